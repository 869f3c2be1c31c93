"""Plays a match in this process: one chooser per seat, no referee, no clock."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from arena.core.errors import IllegalAction, Terminated
from arena.match.match import Decision, Match
from arena.match.result import SeatEnd
from arena.match.setup import Setup

Chooser: TypeAlias = Callable[[Match, Decision], int]
"""Returns the index of its choice; an exception is a crash of the bot."""


def play_local(
    setup: Setup,
    choosers: Sequence[Chooser],
    *,
    now_ms: Callable[[], int] | None = None,
    crashed: Callable[[Decision, BaseException], None] | None = None,
) -> Match:
    """Play a match to its end and return it.

    now_ms: a clock for think times in the log; nobody is ever too late here. crashed: is told what a bot raised.
    Raises ValueError unless there is one chooser a seat.
    """
    if len(choosers) != len(setup.seats):
        raise ValueError(f"{len(setup.seats)} seats need as many choosers, not {len(choosers)}")
    match = Match(setup)
    match.start()
    while match.decision is not None:
        _ask(match, match.decision, choosers, now_ms or _no_time, crashed)
    return match


def _ask(
    match: Match,
    decision: Decision,
    choosers: Sequence[Chooser],
    now_ms: Callable[[], int],
    crashed: Callable[[Decision, BaseException], None] | None,
) -> None:
    started = now_ms()
    try:
        index = choosers[decision.seat](match, decision)
    except Terminated:
        raise
    except (Exception, SystemExit) as fault:  # noqa: BLE001 - a bot may raise anything; that ends its own part only
        if crashed is not None:
            crashed(decision, fault)
        match.forfeit({decision.seat: SeatEnd.CRASHED}, think_ms=now_ms() - started)
        return
    think_ms = now_ms() - started
    try:
        match.answer(decision.ply, index, think_ms=think_ms)
    except IllegalAction:
        match.forfeit({decision.seat: SeatEnd.ILLEGAL_ACTION}, think_ms=think_ms)


def _no_time() -> int:
    return 0
