"""How long Search thinks: iterations, computing time, and a clock that must not run out."""

from __future__ import annotations

from itertools import count, islice
from math import inf

import pytest

from arena.core import Seat
from arena.core.registry import load_game
from arena.match.clock import Bank, Clock
from bots.builtin.search.pace import Budget, Settings, budget
from bots.sdk import MatchInfo

OVERHEAD_MS = 12
"""What a move takes beside the search: reading the turn, the last iteration, the way to the referee."""


def info(clock: Clock | None) -> MatchInfo:
    game = load_game("first-snow")
    times = (clock.bank_ms, clock.increment_ms, clock.start_ms, clock.margin_ms) if clock else (0, 0, 0, 0)
    return MatchInfo(game, "standard", 2, Seat(0), game.components(None, ""), 1, *times)


def stepping(step):
    """Return a clock that goes on by a step every time it is read."""
    times = count()
    return lambda: next(times) * step


def test_a_number_of_iterations_reads_no_clock():
    def never():
        raise AssertionError("a clock was read")

    assert list(Budget(3, 0.0, 0.0).spend(never, never)) == [3, 2, 1]


def test_it_stops_when_its_computing_time_is_spent():
    assert len(list(Budget(0, 1.0, inf).spend(stepping(0.125), stepping(5)))) == 8


def test_it_stops_when_the_clock_on_the_wall_says_so():
    assert len(list(Budget(0, 1.0, 1.0).spend(stepping(0.001), stepping(0.25)))) == 4


def test_there_is_one_iteration_however_little_time_there_is():
    assert list(Budget(0, 0.001, 0.001).spend(stepping(1.0), stepping(1.0))) == [inf]


def test_it_guesses_how_many_iterations_are_left():
    assert list(islice(Budget(0, 1.0, inf).spend(stepping(0.125), stepping(1)), 1, 4)) == [7, 6, 5]


def test_without_a_clock_a_move_takes_what_the_settings_say():
    assert budget(Settings(think_ms=100), info(None), 0) == Budget(0, 0.1, inf)


def test_with_a_clock_a_move_takes_no_more_than_the_settings_allow():
    assert budget(Settings(most_ms=100), info(Clock.parse("60s+1s")), 60_000).computing_s == 0.1


@pytest.mark.parametrize("notation", ["10s+0.1s", "1s+0s", "0.2s+0.05s", "0s+0.1s", "60s+0s,margin=20ms", "3s+2s"])
def test_no_clock_runs_out_in_200_moves_that_take_all_they_may(notation):
    clock = Clock.parse(notation)
    bank = Bank(clock)
    bank.charge(0)
    for _ in range(200):
        allowed = budget(Settings(), info(clock), bank.remaining_ms)
        bank.charge(int(1000 * allowed.wall_s) + OVERHEAD_MS)
        assert not bank.flagged
