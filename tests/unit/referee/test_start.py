"""From opening a match to its first question."""

import pytest

from arena.core.chance import bot_seed
from arena.core.errors import UsageError


def test_nobody_is_asked_before_every_seat_has_connected(scene):
    match = scene(seats=3)
    links = [match.connect(0), match.connect(1)]
    assert [link.kinds for link in links] == [["start"], ["start"]]


def test_the_last_seat_to_connect_begins_the_match(scene):
    match = scene()
    second = match.connect(1)
    first = match.connect(0)
    assert first.kinds == ["start", "turn"]
    assert second.kinds == ["start"]


def test_start_tells_the_facts_of_the_match(scene):
    start = scene(seats=3).connect(2).sent[0].start
    assert (start.game, start.variant, start.seats, start.seat, start.rules_version) == ("icefall", "race", 3, 2, 1)
    clock = start.clock
    assert (clock.bank_ms, clock.increment_ms, clock.start_ms, clock.margin_ms) == (2000, 100, 10_000, 50)


def test_start_without_a_clock_has_an_empty_one(scene):
    clock = scene(clock="none").connect(0).sent[0].start.clock
    assert (clock.bank_ms, clock.increment_ms, clock.start_ms, clock.margin_ms) == (0, 0, 0, 0)


def test_each_seat_has_a_bot_seed_of_its_own(scene):
    seeds = [link.sent[0].start.bot_seed for link in scene().connect_all()]
    assert seeds == [bot_seed(bytes(range(16)), 0), bot_seed(bytes(range(16)), 1)]


def test_nothing_sent_to_a_bot_carries_the_seed(scene):
    match = scene()
    links = match.connect_all()
    match.play_out(links)
    for link in links:
        for message in link.sent:
            assert bytes(range(16)) not in message.SerializeToString()
            assert bytes(range(16)).hex().encode() not in message.SerializeToString()


def test_a_seat_that_connects_just_in_time_plays(scene):
    match = scene()
    match.connect(0)
    match.time.pass_by(9.999)
    assert match.connect(1).refusal is None
    assert match.asked.seat == 0
    assert not match.hosted.over


def test_a_seat_that_does_not_connect_in_time_is_a_no_show(scene):
    match = scene()
    link = match.connect(0)
    match.time.pass_by(10)
    assert match.ends == ["PLAYED", "NO_SHOW"]
    assert match.result.end == "FORFEIT"
    assert link.kinds == ["start", "game_over"]
    assert link.finished


def test_a_match_of_two_in_which_nobody_connects_is_void(scene):
    match = scene()
    match.time.pass_by(10)
    assert match.result.end == "VOID"
    assert match.ends == ["NO_SHOW", "NO_SHOW"]
    assert match.result.ranks == (0, 0)


def test_a_crash_and_a_no_show_before_the_start_make_the_match_void(scene):
    match = scene()
    match.hosted.report_exit(0, 1)
    assert not match.hosted.over
    match.time.pass_by(10)
    assert match.result.end == "VOID"
    assert match.ends == ["CRASHED", "NO_SHOW"]


def test_two_crashes_before_the_start_make_the_match_void_at_once(scene):
    match = scene()
    match.hosted.report_exit(0, 1)
    match.hosted.report_exit(1, 1)
    assert match.result.end == "VOID"


def test_a_crash_before_the_start_loses_as_soon_as_the_other_has_connected(scene):
    match = scene()
    match.hosted.report_exit(1, 1)
    link = match.connect(0)
    assert match.ends == ["PLAYED", "CRASHED"]
    assert match.result.ranks == (1, 2)
    assert link.over.seats[1].end


def test_without_a_clock_the_start_may_take_as_long_as_the_cap(scene):
    match = scene(clock="none", cap_ms=60_000)
    match.time.pass_by(59.9)
    assert not match.hosted.over
    match.time.pass_by(0.1)
    assert match.result.end == "ABORTED"


def test_answers_before_the_start_have_no_effect(scene):
    match = scene()
    link = match.connect(0)
    match.answer(0, link, match.asked.ply)
    assert match.hosted.match.plies == match.asked.ply
    match.connect(1)
    assert link.kinds == ["start", "turn"]


def test_resigning_before_the_start_waits_for_the_others(scene):
    match = scene()
    match.resign(0, match.connect(0))
    assert not match.hosted.over
    match.connect(1)
    assert match.ends == ["RESIGNED", "PLAYED"]


def test_no_shows_at_a_larger_table_tie_behind_the_others(scene):
    match = scene(seats=4)
    links = {0: match.connect(0), 2: match.connect(2)}
    match.time.pass_by(10)
    match.play_out(links)
    assert match.ends == ["PLAYED", "NO_SHOW", "PLAYED", "NO_SHOW"]
    assert match.result.ranks[1] == match.result.ranks[3] == 3


def test_a_setup_that_cannot_be_played_is_refused(scene):
    with pytest.raises(UsageError):
        scene(seats=5)
