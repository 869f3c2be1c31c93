"""Who acts: a seat of the match, chance, or nobody."""

from __future__ import annotations

from enum import Enum
from typing import Final, NewType, TypeAlias

Seat = NewType("Seat", int)
"""A place at the table, 0 .. seats-1. Seats are given by the arena, never by a bot."""


class Chance(Enum):
    """The actor of every random event; its actions are logged like any other."""

    CHANCE = "chance"


CHANCE: Final = Chance.CHANCE

Actor: TypeAlias = Seat | Chance
"""Whoever makes a ply."""
