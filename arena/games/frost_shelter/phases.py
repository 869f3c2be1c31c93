"""What can be decided in Frost Shelter, and what can happen."""

from __future__ import annotations

from enum import Enum, IntEnum
from typing import Any, TypeAlias

from arena.games.frost_shelter.actions import Action


class Phase(IntEnum):
    """What the next ply decides; the numbers are those of the wire."""

    FIRST_LEADER = 1
    EQUIPMENT = 2
    EVENT = 3
    RELIC = 4
    DEAL = 5
    LEADER = 6
    HARPOON = 7
    PLAY = 8
    TAKE = 9
    EXPEDITION = 10
    CHEST = 11
    DEFENCE = 12
    TARP = 13
    INFIRMARY = 14
    PURCHASE = 15
    PAYMENT = 16
    OVER = 17


class What(Enum):
    """A kind of happening; behind it, what its third part is."""

    PLY = "ply"
    """The action; the second part is the seat that acted or received, -1 where chance revealed something for all."""
    DECLINED = "declined"
    """The number of the phase; stands in place of the ply."""
    WON = "won"
    """The number of the card that won the trick."""
    PAID = "paid"
    """The number of the card."""
    FROST_BITE = "frost bite"
    """The damage."""
    HIBERNATION = "hibernation"
    """The damage prevented."""
    SUFFERED = "suffered"
    """The Event's damage that was left."""
    CLEANUP = "cleanup"
    """The number of the Event that ended, from 1; the second part is -1."""


Happening: TypeAlias = tuple[What, int, Action | int]
"""Something that happened, to which seat, and what exactly."""

Node: TypeAlias = tuple[Any, Happening]
"""A happening behind all earlier ones (Any is Node | None: mypyc takes no recursive types); copies share these."""


def between(last: Node | None, first: Node | None) -> list[Happening]:
    """Return what happened after `first` (None: from the beginning) up to `last`, oldest first."""
    found = []
    node = last
    while node is not first and node is not None:
        node, happening = node
        found.append(happening)
    found.reverse()
    return found
