"""What happens in First Snow besides the plies themselves, and the shared, ever-growing record of all of it."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

from arena.core.seat import Actor, Seat
from arena.games.first_snow.actions import Action
from arena.games.first_snow.landscape import Stay


class Encounter(NamedTuple):
    """The newest camp of this seat met the other seat's bear."""

    seat: Seat
    card: int


class Finish(NamedTuple):
    """The landscape is finished and both bears are shown; attacked is the camp's card, 0 for none."""

    row: tuple[int, ...]
    bears: tuple[int, int]
    attacked: int


class Arrival(NamedTuple):
    """A camp begins to be resolved; gathered is a pool."""

    stay: Stay
    gathered: int


class Meal(NamedTuple):
    """A diet was eaten; eaten is a pool."""

    seat: Seat
    eaten: int
    points: int


class Warmth(NamedTuple):
    """The night's wood was burned."""

    seat: Seat
    demand: int
    burned: int
    points: int


class Wear(NamedTuple):
    """The night wore the tools; damaged and broken are sets of tools."""

    seat: Seat
    damaged: int
    broken: int


class TurnOrder(NamedTuple):
    """The camp dice were sorted."""

    seats: tuple[Seat, ...]


class Bonus(NamedTuple):
    """Points for good tools when the game ends."""

    seat: Seat
    points: int


class Ply(NamedTuple):
    """Somebody acted."""

    actor: Actor
    action: Action


Event: TypeAlias = Ply | Encounter | Finish | Arrival | Meal | Warmth | Wear | TurnOrder | Bonus

Record: TypeAlias = tuple[Any, Event] | None
"""Everything so far, newest first; copies of a state share it. Any is a Record: mypyc takes no recursive types."""


def since(record: Record, start: Record) -> list[Event]:
    """Return the events after start, oldest first; start is an earlier state of the same record."""
    found: list[Event] = []
    while record is not start and record is not None:
        record, event = record
        found.append(event)
    found.reverse()
    return found
