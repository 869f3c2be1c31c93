"""Who meets whom: blocks of legs in which every seat order comes once, deal after deal.

An entrant is a number 0 .. n-1 here, in order of entry. A block is one group of entrants on one deal: as many legs as
seats, each a cyclic shift of the one before, mirrored in odd blocks. All groups play deal 1, then all play deal 2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import gcd
from typing import Final, TypeAlias

from arena.core.errors import LimitReached, UsageError

Group: TypeAlias = tuple[int, ...]
Met: TypeAlias = list[list[int]]
"""How often each two entrants have been in one group."""

MAX_GROUP_ENTRANTS: Final = 200
"""Entrants of a tournament with three or more seats: choosing its groups takes seconds up to here, minutes beyond."""


@dataclass(frozen=True, slots=True)
class Block:
    """One group on one deal. deal: from 1. legs: for each leg the entrant of every seat."""

    deal: int
    legs: tuple[Group, ...]


def round_robin(entrants: int, seats: int, deals: int) -> Iterator[Block]:
    """Return the blocks of a round-robin, deal-major.

    One seat: each entrant alone. Two: every pair once a deal, by the circle method. More: groups in which everybody
    plays equally often and pairs meet as equally often as a search finds, counted over all deals so far.
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
    """Return how many matches round_robin makes."""
    groups = {1: entrants, 2: entrants * (entrants - 1) // 2}.get(seats)
    if groups is None:
        groups = entrants * _groups_each(entrants, seats) // seats
    return groups * seats * deals


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


def balanced_groups(entrants: int, seats: int, met: Met) -> list[Group]:
    """Return groups in which everybody plays equally often, and add them to met.

    Fewest groups in which everybody could meet everybody. Each group takes those with most plays left who have met
    its members least; then members of two groups are exchanged while that evens out how often pairs have met.
    """
    left = [_groups_each(entrants, seats)] * entrants
    groups: list[list[int]] = []
    while any(left):
        group: list[int] = []
        slots = sum(left) // seats
        for _ in range(seats):
            # Whoever has as many plays left as there are groups must be in every one of them.
            free = [one for one in range(entrants) if left[one] and one not in group]
            forced = [one for one in free if left[one] >= slots]
            best = min(forced or free, key=lambda one: (sum(met[one][other] for other in group), -left[one], one))
            group.append(best)
            left[best] -= 1
        _count(met, group, 1)
        groups.append(group)
    _even_out(groups, met)
    return [tuple(group) for group in groups]


def _blocks(entrants: int, seats: int, deals: int) -> Iterator[Block]:
    met: Met = [[0] * entrants for _ in range(entrants)]
    for deal in range(1, deals + 1):
        if seats == 1:
            groups: Iterator[Group] = iter([(one,) for one in range(entrants)])
        elif seats == 2:
            groups = circle_pairs(entrants)
        else:
            groups = iter(balanced_groups(entrants, seats, met))
        for number, group in enumerate(groups):
            yield Block(deal, cyclic_orders(group, mirrored=(deal + number) % 2 == 1))


def _groups_each(entrants: int, seats: int) -> int:
    """Return the fewest groups per entrant so that each could meet all others and the groups are full."""
    step = seats // gcd(entrants, seats)
    needed = -(-(entrants - 1) // (seats - 1))
    return -(-needed // step) * step


def _count(met: Met, group: list[int], change: int) -> None:
    for one, other in combinations(group, 2):
        met[one][other] += change
        met[other][one] += change


def _even_out(groups: list[list[int]], met: Met) -> None:
    """Exchange members between groups while the sum of squares of met falls; it ends, for that sum is whole."""
    improved = len(groups) * len(groups) <= 250_000  # one sweep of more pairs of groups takes longer than it is worth
    while improved:
        improved = False
        for first, second in combinations(groups, 2):
            for at, one in enumerate(first):
                for place, other in enumerate(second):
                    if one in second or other in first or _gain(met, first, second, one, other) <= 0:
                        continue
                    _count(met, first, -1)
                    _count(met, second, -1)
                    first[at], second[place] = other, one
                    _count(met, first, 1)
                    _count(met, second, 1)
                    improved = True
                    break
                else:
                    continue
                break


def _gain(met: Met, first: list[int], second: list[int], one: int, other: int) -> int:
    """Return by how much half the sum of squares falls when one and other change places."""
    gain = 0
    for mate in first:
        if mate != one:
            gain += met[one][mate] - met[other][mate] - 1
    for mate in second:
        if mate != other:
            gain += met[other][mate] - met[one][mate] - 1
    return gain
