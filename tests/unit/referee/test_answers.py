"""What bots send: answers, resignations, nonsense."""

import pytest

from arena.v1 import play_pb2
from referee.hosted import MAX_IGNORED


def test_a_match_is_played_to_its_end(scene):
    match = scene()
    links = match.connect_all()
    match.play_out(links)
    assert match.result.end == "COMPLETED"
    assert [link.kinds[-1] for link in links] == ["game_over", "game_over"]
    assert all(link.finished for link in links)


def test_game_over_carries_the_seats_own_last_view(scene):
    match = scene()
    links = match.connect_all()
    match.play_out(links)
    assert links[0].over.view.type_url.endswith("View")
    assert links[0].over.view.value == match.hosted.match.view(0).SerializeToString(deterministic=True)


def test_a_stale_answer_has_no_effect(scene):
    match = scene()
    links = match.connect_all()
    ply = match.asked.ply
    match.play_ply(links)
    match.answer(0, links[0], ply, action=1)
    assert match.asked.ply == ply + 1
    assert match.hosted.places[0].end is None


def test_an_answer_for_a_coming_ply_has_no_effect(scene):
    match = scene()
    links = match.connect_all()
    ply = match.asked.ply
    match.answer(0, links[0], ply + 2)
    assert match.asked.ply == ply


def test_an_answer_of_a_seat_that_is_not_asked_has_no_effect(scene):
    match = scene()
    links = match.connect_all()
    ply = match.asked.ply
    match.answer(1, links[1], ply)
    assert match.asked.ply == ply
    assert match.asked.seat == 0


@pytest.mark.parametrize("index", [-1, 99, 2**31 - 1, -(2**31)])
def test_an_index_outside_the_list_is_an_illegal_action(scene, index):
    match = scene()
    links = match.connect_all()
    match.answer(0, links[0], match.asked.ply, index)
    assert match.ends == ["ILLEGAL_ACTION", "PLAYED"]
    assert match.result.ranks == (2, 1)


@pytest.mark.parametrize("message", [b"\xff\xff\xff", b"", b"\x12\x7f", b"\0" * 70_000])
def test_bytes_that_are_no_request_are_malformed(scene, message):
    match = scene()
    links = match.connect_all()
    match.hosted.receive(1, links[1], message)
    assert match.ends == ["PLAYED", "MALFORMED"]


def test_a_second_hello_is_malformed(scene):
    match = scene()
    links = match.connect_all()
    match.tell(0, links[0], hello=play_pb2.Hello(ticket="x"))
    assert match.ends == ["MALFORMED", "PLAYED"]


def test_a_few_answers_too_many_are_borne(scene):
    match = scene()
    links = match.connect_all()
    for _ in range(MAX_IGNORED):
        match.answer(1, links[1], 0)
    assert not match.hosted.over


def test_a_flood_of_answers_is_malformed(scene):
    match = scene()
    links = match.connect_all()
    for _ in range(MAX_IGNORED + 1):
        match.answer(1, links[1], 0)
    assert match.ends == ["PLAYED", "MALFORMED"]


def test_resigning_counts_while_another_seat_is_asked(scene):
    match = scene()
    links = match.connect_all()
    match.resign(1, links[1])
    assert match.ends == ["PLAYED", "RESIGNED"]


def test_what_comes_after_the_end_has_no_effect(scene):
    match = scene()
    links = match.connect_all()
    match.resign(1, links[1])
    match.resign(0, links[0])
    match.hosted.report_exit(0, 1)
    match.hosted.replace(0)
    assert match.ends == ["PLAYED", "RESIGNED"]


def test_every_failed_seat_has_a_note_for_its_author(scene):
    match = scene()
    links = match.connect_all()
    match.answer(0, links[0], match.asked.ply, 99)
    assert "action 99 is not in 0 .." in match.hosted.places[0].note
    assert match.hosted.places[1].note == ""
