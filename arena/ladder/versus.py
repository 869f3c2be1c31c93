"""Two entrants against each other: who is better, by how much, and how sure that is, from their common blocks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from arena.ladder.stats import Estimate, Leg, effective_blocks, interval, saved_by_blocks

CERTAIN: Final = 8.0
"""Standard deviations beyond which a normal distribution's tail is nothing: 1 in 10^15."""


@dataclass(frozen=True, slots=True)
class Versus:
    """What common blocks say of a pair, seen from the first.

    wins, ties, losses: of all COMPLETED matches in counted blocks. share: of the points, 0 to 1. elo: the difference
    that makes this share expected; infinite where one has won everything. superiority: likelihood that the first is the
    better one. saved: share of the matches that playing in blocks saves, below 0 where it costs; None below two blocks.
    """

    blocks: int
    left_out: int
    wins: int
    ties: int
    losses: int
    share: Estimate
    elo: Estimate
    superiority: float
    saved: float | None


def versus(blocks: Sequence[Sequence[Leg]]) -> Versus | None:
    """Compare two entrants; blocks: their common ones, the ranks of each leg those of the two. None if none counts.

    A block with a match that was not COMPLETED is left out and counted.
    """
    counted = [block for block in blocks if all(leg.completed for leg in block)]
    if not counted:
        return None
    legs = [[_score(leg) for leg in block] for block in counted]
    scores = [block_score(block) for block in counted]
    share = interval(scores)
    every = [score for block in legs for score in block]
    return Versus(
        blocks=len(counted),
        left_out=len(blocks) - len(counted),
        wins=every.count(1.0),
        ties=every.count(0.5),
        losses=every.count(0.0),
        share=share,
        elo=Estimate(*(elo_of(value) for value in (share.mean, share.low, share.high))),
        superiority=superiority(scores),
        saved=saved_by_blocks(legs),
    )


def block_score(legs: Sequence[Leg]) -> float:
    """Return the share of the points, 0 to 1, that the first of two won in a block."""
    return math.fsum(_score(leg) for leg in legs) / len(legs)


def superiority(scores: Sequence[float]) -> float:
    """Return the likelihood, 0 to 1, that the mean of block scores is truly above 1/2.

    The normal tail of (mean - 1/2) / sqrt(1/4 / effective number of blocks): above 97.5 % exactly when the 95 %
    interval of the share lies above 1/2.
    """
    mean = math.fsum(scores) / len(scores)
    return normal((mean - 0.5) * 2 * math.sqrt(effective_blocks(scores)))


def elo_of(share: float) -> float:
    """Return the Elo difference at which this share of the points is expected; infinite at 0 and 1."""
    if not 0 < share < 1:
        return math.copysign(math.inf, share - 0.5)
    return 400 * math.log10(share / (1 - share))


def share_of(elo: float) -> float:
    """Return the share of the points expected at an Elo difference."""
    return 1 / (1 + math.pow(10, -elo / 400))


def normal(z: float) -> float:
    """Return the standard normal distribution function."""
    return math.erfc(-max(-CERTAIN, min(CERTAIN, z)) / math.sqrt(2)) / 2


def _score(leg: Leg) -> float:
    one, other = leg.ranks
    return (1 + (one < other) - (one > other)) / 2
