"""The phases of First Snow: what is being decided."""

from __future__ import annotations

from enum import Enum


class Phase(Enum):
    """What is being decided; the value is the number of the phase on the wire."""

    FIRST_SEAT = 1
    COOL = 2
    BEAR = 3
    TAKE = 4
    PLACE = 5
    FOOD = 6
    REPAIR = 7
    CRAFT = 8
    LEAVE = 9
    OVER = 10
