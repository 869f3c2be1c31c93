"""What an Inuit can do at a camp: arithmetic on pools of resources and sets of tools.

A pool is one integer with a byte for each resource (its count, in the order of Resource); a set of tools is one
integer with a bit for each tool.
"""

from __future__ import annotations

from typing import Final

from arena.games.first_snow.actions import (
    CRAFTS,
    DONE,
    LEAVE_DAMAGED,
    LEAVE_GOOD,
    LEAVE_RESOURCES,
    REPAIRS,
    Action,
    Diet,
)
from arena.games.first_snow.components import FOOD, TOOL_SETS, FirstSnowComponents, Resource, Tool

PLACES_TO_CARRY: Final = 4
"""Cubes of a player: the most items, tools and resources together, that leave a camp (rulebook, Inventory cards)."""
FOOD_MASK: Final = 0xFFFFFFFF
COAT: Final = 1 << Tool.COAT
WOOD_SHIFT: Final = 8 * Resource.WOOD
_GUARD: Final = 0x80808080808080
_DIET_SHIFTS: Final = {diet: 8 * kind for diet, kind in zip(tuple(Diet)[1:], FOOD, strict=True)}
_CRAFT_LISTS: Final[tuple[tuple[Action, ...], ...]] = tuple(
    (*(CRAFTS[tool] for tool in Tool if tools >> tool & 1), DONE) for tools in range(TOOL_SETS)
)
_LEAVE_GOOD_LISTS: Final = tuple(
    tuple(LEAVE_GOOD[tool] for tool in Tool if tools >> tool & 1) for tools in range(TOOL_SETS)
)
_LEAVE_DAMAGED_LISTS: Final = tuple(
    tuple(LEAVE_DAMAGED[tool] for tool in Tool if tools >> tool & 1) for tools in range(TOOL_SETS)
)


def count(pool: int, kind: Resource) -> int:
    """Return how many pieces of the resource are in the pool."""
    return pool >> 8 * kind & 0xFF


def pool_of(counts: dict[Resource, int]) -> int:
    """Return the pool with these counts."""
    return sum(number << 8 * kind for kind, number in counts.items())


def items(pool: int, good: int, damaged: int) -> int:
    """Return the number of places that resources and tools take."""
    # 256 leaves 1 when divided by 255, so the remainder is the sum of the bytes.
    return pool % 0xFF + good.bit_count() + damaged.bit_count()


def meal(pool: int, diet: Diet) -> tuple[int, int]:
    """Return (what is eaten as a pool, points) for a diet (rulebook, Score food; ruling 13)."""
    if diet is not Diet.BALANCED:
        shift = _DIET_SHIFTS[diet]
        pieces = pool >> shift & 0xFF
        return pieces << shift, pieces + (pieces >= 4)
    eaten = kinds = 0
    for shift in (0, 8, 16, 24):
        if pool >> shift & 0xFF:
            eaten += 1 << shift
            kinds += 1
    return eaten, kinds + (kinds >= 3)


def craftable(components: FirstSnowComponents, pool: int, good: int) -> int:
    """Return the set of tools that the pool pays for and of which no good copy is carried (ruling 16)."""
    guarded = pool | _GUARD
    tools = 0
    bit = 1
    for cost in components.cost_pools:
        # A byte that is short of its cost borrows from its guard bit.
        if not good & bit and (guarded - cost) & _GUARD == _GUARD:
            tools |= bit
        bit <<= 1
    return tools


def craft_list(tools: int) -> tuple[Action, ...]:
    """Return the legal actions while these tools can be crafted."""
    return _CRAFT_LISTS[tools]


def repair_list(components: FirstSnowComponents, pool: int, damaged: int) -> tuple[Action, ...]:
    """Return the legal actions of a repair step; empty if no damaged tool can be repaired (ruling 15)."""
    legal: list[Action] = []
    for tool, kinds in enumerate(components.cost_kinds):
        if damaged >> tool & 1:
            legal += [REPAIRS[tool][kind] for kind in kinds if pool >> 8 * kind & 0xFF]
    return (*legal, DONE) if legal else ()


def leave_list(pool: int, good: int, damaged: int) -> tuple[Action, ...]:
    """Return what can stay behind: each kind of item once (ruling 11)."""
    resources = [leave for leave in LEAVE_RESOURCES if pool >> 8 * leave.resource & 0xFF]
    return (*resources, *_LEAVE_GOOD_LISTS[good], *_LEAVE_DAMAGED_LISTS[damaged])
