"""Who meets whom: blocks of legs in which every seat order comes once, deal after deal.

An entrant is a number 0 .. n-1 here, in order of entry. A block is one group of entrants on one deal: as many legs as
seats, each a cyclic shift of the one before, mirrored in odd blocks. All groups play deal 1, then all play deal 2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, repeat
from typing import Final

from arena.core.errors import LimitReached, UsageError
from arena.ladder.designs import Group, deals_of_groups, least_groups

MAX_GROUP_ENTRANTS: Final = 200
"""Entrants of a tournament with three or more seats: choosing its groups takes seconds up to here, minutes beyond."""

MANY: Final = 200_000
"""Matches up to which they are counted: more than anybody schedules at once."""


@dataclass(frozen=True, slots=True)
class Block:
    """One group on one deal. deal: from 1. legs: for each leg the entrant of every seat."""

    deal: int
    legs: tuple[Group, ...]


def round_robin(entrants: int, seats: int, deals: int) -> Iterator[Block]:
    """Return the blocks of a round-robin, deal-major.

    One seat: each entrant alone. Two: every pair once a deal, by the circle method. More: groups in which everybody
    plays equally often and pairs have met equally often, or at most once more than others; see arena.ladder.designs.
    Raises UsageError (TOO_FEW_ENTRANTS), LimitReached (TOO_MANY_ENTRANTS).
    """
    check_entrants(entrants, seats)
    return _blocks(entrants, seats, deals)


def check_entrants(entrants: int, seats: int) -> None:
    """Raise UsageError (TOO_FEW_ENTRANTS) or LimitReached (TOO_MANY_ENTRANTS) unless a schedule can be made."""
    if entrants < seats or entrants < 1:
        raise UsageError(
            f"{entrants} entrants cannot fill {max(seats, 1)} seats; enter at least that many",
            reason="TOO_FEW_ENTRANTS",
        )
    if seats > 2 and entrants > MAX_GROUP_ENTRANTS:
        raise LimitReached(
            f"{entrants} entrants are more than {MAX_GROUP_ENTRANTS}, the most for {seats} seats; make two tournaments",
            reason="TOO_MANY_ENTRANTS",
        )


def entrants_needed(seats: int, *, heads: int | None = None) -> int:
    """Return the fewest entrants that make a tournament; heads: of a gauntlet, None for another format."""
    if heads is None:
        return max(seats, 1)
    return max(heads, 1) + max(seats - 1, 1)


def check_gauntlet(heads: int, rest: int, seats: int) -> None:
    """Raise UsageError (TOO_FEW_ENTRANTS, TOO_FEW_SEATS) or LimitReached unless a gauntlet can be scheduled."""
    if seats < 2:
        raise UsageError("a gauntlet needs two seats or more; give a round-robin", reason="TOO_FEW_SEATS")
    if heads < 1:
        raise UsageError("a gauntlet needs somebody to meet the rest; name them as heads", reason="TOO_FEW_ENTRANTS")
    if rest < seats - 1:
        raise UsageError(
            f"{rest} entrants beside the heads cannot fill {seats - 1} seats; enter more", reason="TOO_FEW_ENTRANTS"
        )
    check_entrants(rest, seats - 1)


def gauntlet(heads: int, rest: int, seats: int, deals: int) -> Iterator[Block]:
    """Return the blocks of a gauntlet, deal-major: every head with the same groups of the rest, heads never together.

    Entrants 0 .. heads - 1 are the heads. The groups are those of a round-robin of the rest with one seat less.
    Raises UsageError (TOO_FEW_ENTRANTS, TOO_FEW_SEATS), LimitReached (TOO_MANY_ENTRANTS).
    """
    check_gauntlet(heads, rest, seats)
    return _gauntlet_blocks(heads, rest, seats, deals)


def _gauntlet_blocks(heads: int, rest: int, seats: int, deals: int) -> Iterator[Block]:
    number = 0
    deal = 0
    for block in _blocks(rest, seats - 1, deals):
        number = number + 1 if block.deal == deal else 0
        deal = block.deal
        others = tuple(heads + one for one in block.legs[0])
        for head in range(heads):
            yield Block(deal, cyclic_orders((head, *others), mirrored=(deal + number) % 2 == 1))


def count_gauntlet_matches(heads: int, rest: int, seats: int, deals: int) -> int:
    """Return how many matches gauntlet makes."""
    return count_matches(rest, seats - 1, deals) // (seats - 1) * heads * seats


def count_matches(entrants: int, seats: int, deals: int) -> int:
    """Return how many matches round_robin makes; if they are more than MANY, some number above it."""
    least = least_groups(entrants, seats) * seats * deals if seats > 2 else 0
    if least > MANY:  # known without searching for the groups of so many deals
        return least
    total = 0
    for groups in islice(_groups(entrants, seats), deals):
        total += len(groups) * seats
        if total > MANY:
            break
    return total


def cyclic_orders(group: Group, *, mirrored: bool) -> tuple[Group, ...]:
    """Return every cyclic shift of a group, of the reversed one if mirrored."""
    base = group[::-1] if mirrored else group
    return tuple(base[shift:] + base[:shift] for shift in range(len(base)))


def circle_pairs(entrants: int) -> Iterator[Group]:
    """Return every pair once, in rounds in which nobody plays twice (circle method); with an odd number one rests."""
    circle: list[int | None] = list(range(entrants))
    if entrants % 2:
        circle.append(None)
    half = len(circle) // 2
    for _ in range(len(circle) - 1):
        for left, right in zip(circle[:half], reversed(circle[half:]), strict=True):
            if left is not None and right is not None:
                yield (left, right)
        circle.insert(1, circle.pop())


def _blocks(entrants: int, seats: int, deals: int) -> Iterator[Block]:
    for deal, groups in enumerate(islice(_groups(entrants, seats), deals), 1):
        for number, group in enumerate(groups):
            yield Block(deal, cyclic_orders(group, mirrored=(deal + number) % 2 == 1))


def _groups(entrants: int, seats: int) -> Iterator[tuple[Group, ...]]:
    """Return the groups of every deal, without an end."""
    if seats > 2:
        return deals_of_groups(entrants, seats)
    return repeat(tuple(circle_pairs(entrants)) if seats == 2 else tuple((one,) for one in range(entrants)))
