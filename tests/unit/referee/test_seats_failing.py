"""Crashes, withdrawals, faults, and tables where the others play on."""

import pytest

from referee import hosted as module
from referee.hosted import EXIT_GRACE_MS


def test_a_reported_exit_without_a_stream_crashes_the_seat_at_once(scene):
    match = scene()
    links = match.connect_all()
    match.hosted.detach(1, links[1])
    match.hosted.report_exit(1, 139)
    assert match.ends == ["PLAYED", "CRASHED"]
    assert "139" in match.hosted.places[1].note


def test_the_end_of_the_stream_after_a_reported_exit_crashes_the_seat_at_once(scene):
    match = scene()
    links = match.connect_all()
    match.hosted.report_exit(1, 1)
    assert not match.hosted.over
    match.hosted.detach(1, links[1])
    assert match.ends == ["PLAYED", "CRASHED"]


def test_what_a_process_sent_before_it_ended_still_counts(scene):
    match = scene()
    links = match.connect_all()
    match.hosted.report_exit(1, 0)
    match.resign(1, links[1])
    match.hosted.detach(1, links[1])
    assert match.ends == ["PLAYED", "RESIGNED"]


def test_a_last_answer_of_an_ended_process_can_finish_the_match(scene):
    dry = scene()
    dry_links = dry.connect_all()
    last = 0
    while not dry.hosted.over:
        last = dry.asked.ply
        dry.play_ply(dry_links)
    match = scene()
    links = match.connect_all()
    while match.asked.ply < last:
        match.play_ply(links)
    match.hosted.report_exit(match.asked.seat, 0)
    match.play_ply(links)
    assert match.result.end == "COMPLETED"


def test_a_stream_that_outlives_its_process_crashes_the_seat_after_a_grace(scene):
    match = scene()
    match.connect_all()
    match.hosted.report_exit(0, 1)
    match.time.pass_by(EXIT_GRACE_MS / 1000)
    assert match.ends == ["CRASHED", "PLAYED"]


def test_an_exit_reported_twice_counts_once(scene):
    match = scene()
    match.connect_all()
    match.hosted.report_exit(0, 1)
    match.hosted.report_exit(0, 2)
    match.time.pass_by(EXIT_GRACE_MS / 1000)
    assert "status 1" in match.hosted.places[0].note
    assert match.time.waiting == 0


def test_a_withdrawn_bot_is_replaced(scene):
    match = scene()
    match.connect_all()
    match.hosted.replace(0)
    assert match.ends == ["REPLACED", "PLAYED"]


def test_three_seats_play_on_after_one_failed(scene):
    match = scene(seats=3)
    links = match.connect_all()
    match.resign(1, links[1])
    assert not match.hosted.over
    match.play_out(links)
    assert match.result.end == "FORFEIT"
    assert match.ends == ["PLAYED", "RESIGNED", "PLAYED"]
    assert match.result.ranks[1] == 3


def test_a_failed_seat_of_a_larger_table_loses_its_stream(scene):
    match = scene(seats=3)
    links = match.connect_all()
    match.resign(1, links[1])
    assert links[1].refusal.reason == "SEAT_OUT"
    assert "RESIGNED" in links[1].refusal.message


def test_a_failed_seat_of_a_larger_table_cannot_come_back(scene):
    match = scene(seats=3)
    links = match.connect_all()
    match.resign(1, links[1])
    assert match.connect(1).refusal.reason == "SEAT_OUT"


def test_a_failure_elsewhere_leaves_the_running_clock_alone(scene):
    match = scene(seats=3)
    links = match.connect_all()
    match.time.pass_by(4)
    match.resign(2, links[2])
    assert links[0].kinds == ["start", "turn"]
    assert match.hosted.progress().deadline_ms == 6051


def test_when_all_but_one_have_failed_the_match_is_over(scene):
    match = scene(seats=3)
    links = match.connect_all()
    match.resign(1, links[1])
    match.resign(0, links[0])
    assert match.ends == ["RESIGNED", "RESIGNED", "PLAYED"]
    assert match.result.ranks == (2, 3, 1)
    assert links[2].kinds[-1] == "game_over"


def test_a_seat_alone_that_fails_loses_to_the_house(scene):
    match = scene(seats=1, variant="solo")
    match.resign(0, match.connect(0))
    assert match.result.ranks == (2,)


def test_a_stopped_match_has_no_result_and_tells_its_bots(scene):
    match = scene()
    links = match.connect_all()
    match.hosted.stop()
    assert match.hosted.over
    assert match.result is None
    assert [link.refusal.reason for link in links] == ["MATCH_STOPPED", "MATCH_STOPPED"]
    assert match.time.waiting == 0


def test_stopping_twice_is_a_no_op(scene):
    match = scene()
    match.hosted.stop()
    match.hosted.stop()
    assert match.overs == 1


class BrokenGame:
    """A game whose views fail, around a real one."""

    def __init__(self, game):
        self._game = game

    def __getattr__(self, name):
        return getattr(self._game, name)

    def turn(self, view, legal):
        raise ZeroDivisionError


def test_a_fault_in_the_rules_aborts_the_match_and_blames_nobody(scene, capsys):
    match = scene()
    first = match.connect(0)
    match.hosted.match.game = BrokenGame(match.hosted.match.game)
    second = match.connect(1)
    assert match.result.end == "ABORTED"
    assert match.ends == ["PLAYED", "PLAYED"]
    assert [first.refusal.reason, second.refusal.reason] == ["REFEREE_FAULT", "REFEREE_FAULT"]
    assert "ZeroDivisionError" in capsys.readouterr().err
    assert match.time.waiting == 0


@pytest.mark.parametrize("name", ["attach", "detach", "receive", "report_exit", "replace", "_on_deadline"])
def test_every_door_into_a_match_is_guarded_against_faults(name):
    assert hasattr(getattr(module.HostedMatch, name), "__wrapped__")
