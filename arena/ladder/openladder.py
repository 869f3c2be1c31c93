"""Who plays next on an open ladder: whoever has played least, against those nearest in rating (mu).

Opponents are taken from those who have played at most WINDOW matches more than the one who has played least, as far as
there are enough. So nobody gets more than WINDOW + 1 blocks ahead, and who has just played waits at most
(entrants - 1) * (WINDOW + 2) blocks: every block until then is one more for somebody who is not ahead of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from arena.core.errors import UsageError

WINDOW: Final = 2
"""Blocks: wide enough for a choice of opponents, narrow enough for a short bound of the wait."""


@dataclass(frozen=True, slots=True)
class Climber:
    """Somebody on the ladder. key: in order of entry. blocks: played, scheduled and given for a late entry.

    waited: blocks scheduled on the ladder since the latest one with them in it, or since their entry.
    """

    key: int
    blocks: int
    waited: int
    rating: float


def next_group(climbers: Sequence[Climber], seats: int) -> tuple[int, ...]:
    """Return the keys of those who play the next block, whoever has played least first.

    Equal numbers of blocks: the longest wait first, then the order of entry. Raises UsageError (TOO_FEW_ENTRANTS).
    """
    if len(climbers) < max(seats, 1):
        raise UsageError(
            f"{len(climbers)} entrants cannot fill {seats} seats; enter more bots", reason="TOO_FEW_ENTRANTS"
        )
    first, *others = sorted(climbers, key=lambda one: (one.blocks, -one.waited, one.key))
    within = [one for one in others if one.blocks <= first.blocks + WINDOW]
    near = within if len(within) >= seats - 1 else others[: seats - 1]
    near = sorted(near, key=lambda one: (abs(one.rating - first.rating), one.blocks, -one.waited, one.key))
    return (first.key, *(one.key for one in near[: seats - 1]))


def longest_wait(entrants: int) -> int:
    """Return the most blocks that can be scheduled between two of one entrant, while nobody joins or leaves."""
    return max(0, (entrants - 1) * (WINDOW + 2))
