"""Clocks, deadlines and what is charged."""

import pytest

MARGIN = 0.05


def test_the_first_answer_costs_the_bank_nothing(scene):
    match = scene()
    links = match.connect_all()
    match.play_ply(links, seconds=9)
    assert match.hosted.places[0].charged_ms == [0]
    assert match.hosted.places[0].think_ms == [9000]


@pytest.mark.parametrize(("seconds", "end"), [(10 + MARGIN, "PLAYED"), (10 + MARGIN + 0.002, "TIMEOUT")])
def test_the_first_answer_has_the_start_time(scene, seconds, end):
    match = scene()
    links = match.connect_all()
    match.play_ply(links, seconds)
    match.play_out(links)
    assert match.ends == [end, "PLAYED"]


@pytest.mark.parametrize(("seconds", "end"), [(2 + MARGIN, "PLAYED"), (2 + MARGIN + 0.002, "TIMEOUT")])
def test_a_later_answer_has_the_bank(scene, seconds, end):
    match = scene()
    links = match.connect_all()
    match.play_ply(links)
    match.play_ply(links)
    match.play_ply(links, seconds)
    match.play_out(links)
    assert match.ends == [end, "PLAYED"]


def test_a_deadline_ends_the_wait_without_any_answer(scene):
    match = scene()
    links = match.connect_all()
    match.time.pass_by(10 + MARGIN + 0.001)
    assert match.ends == ["TIMEOUT", "PLAYED"]
    assert links[1].over.seats[0].rank == 2


def test_margin_is_free_and_the_rest_is_charged(scene):
    match = scene()
    links = match.connect_all()
    match.play_ply(links)
    match.play_ply(links)
    match.play_ply(links, seconds=0.55)
    assert match.hosted.places[0].charged_ms == [0, 500]


def test_a_turn_tells_what_is_left_of_the_bank(scene):
    match = scene()
    links = match.connect_all()
    match.play_ply(links)
    match.play_ply(links)
    match.play_ply(links, seconds=0.55)
    match.play_ply(links)
    assert links[0].turn.bank_ms == 2000 - 500 + 100


def test_the_referees_own_delay_is_not_charged(scene):
    match = scene()
    links = match.connect_all()
    match.play_ply(links)
    match.play_ply(links)
    match.time.lag = 0.3
    match.play_ply(links, seconds=0.55)
    assert match.hosted.places[0].charged_ms[-1] == 200


def test_a_deadline_moves_by_the_referees_own_delay(scene):
    match = scene()
    links = match.connect_all()
    match.time.lag = 0.5
    match.time.pass_by(10 + MARGIN + 0.4)
    assert not match.hosted.over
    match.play_ply(links)
    assert match.hosted.places[0].charged_ms == [0]


def test_a_moved_deadline_still_ends_the_wait(scene):
    match = scene()
    match.connect_all()
    match.time.lag = 0.5
    match.time.pass_by(10 + MARGIN + 0.502)
    assert match.ends == ["TIMEOUT", "PLAYED"]


def test_a_timeout_is_logged_with_a_charge_above_what_was_left(scene):
    match = scene()
    links = match.connect_all()
    match.play_ply(links)
    match.play_ply(links)
    match.time.pass_by(3)
    assert match.hosted.places[0].charged_ms[-1] > 2000


def test_without_a_clock_nothing_is_charged_and_no_deadline_runs(scene):
    match = scene(clock="none", cap_ms=600_000)
    links = match.connect_all()
    match.play_ply(links, seconds=300)
    assert not match.hosted.over
    assert match.hosted.places[0].charged_ms == [0]
    assert match.hosted.places[0].think_ms == [300_000]


def test_the_cap_aborts_a_match(scene):
    match = scene(cap_ms=5_000)
    links = match.connect_all()
    match.time.pass_by(5)
    assert match.result.end == "ABORTED"
    assert links[0].over.end == links[1].over.end
    assert all(link.finished for link in links)


def test_a_finished_match_leaves_no_alarm_behind(scene):
    match = scene()
    match.play_out(match.connect_all())
    assert match.time.waiting == 0


def test_progress_names_the_acting_seat_and_its_deadline(scene):
    match = scene()
    links = match.connect_all()
    match.play_ply(links)
    progress = match.hosted.progress()
    assert (progress.ply, progress.seat) == (match.asked.ply, 1)
    assert progress.deadline_ms == 10_051


def test_progress_while_gathering_tells_the_start_deadline(scene):
    match = scene()
    match.time.pass_by(4)
    progress = match.hosted.progress()
    assert (progress.seat, progress.deadline_ms) == (None, 6000)


def test_progress_after_the_end_has_no_deadline(scene):
    match = scene()
    match.play_out(match.connect_all())
    progress = match.hosted.progress()
    assert (progress.seat, progress.deadline_ms) == (None, 0)
    assert match.overs == 1
