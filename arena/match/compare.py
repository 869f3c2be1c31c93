"""Compares two logs of what should be the same match, and finds the first line in which they differ."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import zip_longest

from arena.core.seat import CHANCE
from arena.match.entries import End, Entry, Forfeit, Header, Ply
from arena.match.log import read_log


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two logs part.

    ply: of the first line that differs, None in header and result. first, second: what each says there.
    """

    ply: int | None
    first: str
    second: str


def first_difference(first: Iterable[bytes], second: Iterable[bytes]) -> Difference | None:
    """Return where two whole logs differ apart from ids, dates and times; None if nowhere.

    Raises LogError for a log that is broken or not whole.
    """
    for one, other in zip_longest(read_log(first), read_log(second)):
        ours, theirs = (None if line is None else line.entry for line in (one, other))
        if _facts(ours) != _facts(theirs):
            return Difference(_ply(ours, theirs), describe(ours), describe(theirs))
    return None


def describe(entry: Entry | None) -> str:
    """Return what a line says, in words; None: there is no such line."""
    match entry:
        case Ply():
            actor = "chance" if entry.actor is CHANCE else f"seat {entry.actor}"
            return f"{actor}: {entry.action}"
        case Forfeit():
            return "; ".join(f"seat {seat} forfeits: {end}" for seat, end in entry.ends.items())
        case End():
            ranks = ", ".join(map(str, entry.result.ranks))
            return f"{entry.result.end}, ranks {ranks} ({entry.result.reason})"
        case Header():
            seats = ", ".join(f"{seat.bot}@{seat.version}" for seat in entry.seats)
            return f"{entry.game} ({entry.variant}), rules {entry.rules}, clock {entry.clock}, {seats}"
        case _:
            return "nothing more"


def _facts(entry: Entry | None) -> object:
    """Return what has to be equal: all but meta, times, and the digest over them."""
    match entry:
        case Header():
            facts = (entry.game, entry.variant, entry.rules, entry.components, entry.components_text, entry.clock)
            return (*facts, entry.seed, entry.seats)
        case Ply():
            return (entry.ply, entry.actor, entry.action, entry.auto)
        case Forfeit():
            return (entry.ply, tuple(entry.ends.items()))
        case End():
            return entry.result
        case _:
            return None


def _ply(*entries: Entry | None) -> int | None:
    plies = [entry.ply for entry in entries if isinstance(entry, Ply | Forfeit)]
    return min(plies, default=None)
