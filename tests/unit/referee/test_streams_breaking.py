"""Streams that break, come back, or are opened twice."""

import pytest

from arena.core.protocol import MAX_RECONNECTS


def drop(match, seat, link):
    match.hosted.detach(seat, link)


def test_a_seat_that_comes_back_gets_start_and_its_turn(scene):
    match = scene()
    links = match.connect_all()
    drop(match, 0, links[0])
    again = match.connect(0)
    assert again.kinds == ["start", "turn"]
    assert again.turn.ply == links[0].turn.ply
    assert again.turn.body == links[0].turn.body


def test_a_seat_that_comes_back_and_is_not_asked_gets_start_alone(scene):
    match = scene()
    links = match.connect_all()
    drop(match, 1, links[1])
    assert match.connect(1).kinds == ["start"]


def test_the_clock_runs_on_while_a_seat_is_away(scene):
    match = scene()
    links = match.connect_all()
    match.play_ply(links)
    match.play_ply(links)
    drop(match, 0, links[0])
    match.time.pass_by(0.8)
    links[0] = match.connect(0)
    assert links[0].turn.bank_ms == 2000 - 750
    match.play_ply(links, seconds=0.2)
    assert match.hosted.places[0].charged_ms[-1] == 950


def test_start_after_a_reconnect_carries_what_the_seat_was_shown_before(scene):
    match = scene()
    links = match.connect_all()
    assert len(links[0].sent[0].start.history) == 0
    match.play_ply(links)
    match.play_ply(links)
    drop(match, 0, links[0])
    history = match.connect(0).sent[0].start.history
    assert [event.value for event in history] == [
        event.SerializeToString(deterministic=True) for event in match.hosted.match.history(0)
    ]
    assert len(history) > 0


def test_a_seat_that_does_not_come_back_in_its_time_is_disconnected(scene):
    match = scene()
    links = match.connect_all()
    drop(match, 0, links[0])
    match.time.pass_by(11)
    assert match.ends == ["DISCONNECTED", "PLAYED"]


def test_a_broken_stream_of_a_seat_not_asked_has_no_effect(scene):
    match = scene()
    links = match.connect_all()
    drop(match, 1, links[1])
    match.time.pass_by(5)
    assert not match.hosted.over


def test_a_turn_asked_while_the_seat_is_away_waits_for_it(scene):
    match = scene()
    links = match.connect_all()
    drop(match, 1, links[1])
    match.play_ply(links)
    links[1] = match.connect(1)
    assert links[1].kinds == ["start", "turn"]
    match.play_out(links)
    assert match.result.end == "COMPLETED"


def test_the_newer_of_two_streams_wins(scene):
    match = scene()
    links = match.connect_all()
    newer = match.connect(0)
    assert links[0].refusal.reason == "NEWER_STREAM"
    assert newer.kinds == ["start", "turn"]


def test_the_older_of_two_streams_has_no_say_any_more(scene):
    match = scene()
    links = match.connect_all()
    newer = match.connect(0)
    match.resign(0, links[0])
    drop(match, 0, links[0])
    assert not match.hosted.over
    assert match.hosted.places[0].link is newer


@pytest.mark.parametrize("reconnects", [MAX_RECONNECTS])
def test_five_reconnects_are_borne(scene, reconnects):
    match = scene()
    links = match.connect_all()
    for _ in range(reconnects):
        drop(match, 0, links[0])
        links[0] = match.connect(0)
    match.play_out(links)
    assert match.result.end == "COMPLETED"


def test_a_stream_that_breaks_after_five_reconnects_disconnects_the_seat(scene):
    match = scene()
    links = match.connect_all()
    for _ in range(MAX_RECONNECTS):
        drop(match, 0, links[0])
        links[0] = match.connect(0)
    drop(match, 0, links[0])
    assert match.ends == ["DISCONNECTED", "PLAYED"]


def test_opening_a_sixth_newer_stream_disconnects_the_seat(scene):
    match = scene()
    match.connect_all()
    for _ in range(MAX_RECONNECTS):
        assert match.connect(0).refusal is None
    assert match.connect(0).refusal.reason == "SEAT_OUT"
    assert match.ends == ["DISCONNECTED", "PLAYED"]


def test_a_seat_away_at_the_end_has_played(scene):
    match = scene()
    links = match.connect_all()
    drop(match, 1, links[1])
    match.resign(0, links[0])
    assert match.ends == ["RESIGNED", "PLAYED"]


def test_a_seat_that_comes_back_after_the_end_is_told_of_it(scene):
    match = scene()
    links = match.connect_all()
    drop(match, 1, links[1])
    match.resign(0, links[0])
    again = match.connect(1)
    assert again.kinds == ["start", "game_over"]
    assert again.finished


def test_a_stream_that_breaks_before_the_start_has_connected(scene):
    match = scene()
    drop(match, 0, match.connect(0))
    match.connect(1)
    assert match.asked.seat == 0
    assert match.connect(0).kinds == ["start", "turn"]
