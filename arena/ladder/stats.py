"""Statistics of blocks: points shares and mean ranks with 95 % intervals.

A block is one deal played in several seat orders; its matches are not independent, so a block is one observation. A
block in which a match was not COMPLETED is left out of the statistics and counted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

Z: Final = 1.959963984540054
"""The 97.5 % point of the normal distribution."""


@dataclass(frozen=True, slots=True)
class Leg:
    """One match of a block. ranks: per entrant, in the order of the entrants, not of the seats; completed: its end."""

    ranks: tuple[int, ...]
    completed: bool


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its 95 % interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class EntrantStats:
    """What the counted blocks say of one entrant: share of the points, 0 to 1, and mean rank, 1 is best."""

    points: Estimate
    rank: Estimate


@dataclass(frozen=True, slots=True)
class BlockStats:
    """Statistics of a set of blocks; entrants is empty while no block counts."""

    entrants: tuple[EntrantStats, ...]
    counted: int
    left_out: int


def block_stats(blocks: Sequence[Sequence[Leg]]) -> BlockStats:
    """Return the statistics over blocks, each a sequence of at least one leg; all legs have the same entrants."""
    counted = [block for block in blocks if all(leg.completed for leg in block)]
    left_out = len(blocks) - len(counted)
    if not counted:
        return BlockStats((), 0, left_out)
    places = max(2, len(counted[0][0].ranks))  # alone against the house there are two places
    stats = []
    for entrant in range(len(counted[0][0].ranks)):
        shares = [math.fsum(points(leg.ranks)[entrant] for leg in block) / len(block) for block in counted]
        share = interval(shares)
        low, mean, high = (places - value * (places - 1) for value in (share.high, share.mean, share.low))
        stats.append(EntrantStats(share, Estimate(mean, low, high)))
    return BlockStats(tuple(stats), len(counted), left_out)


def points(ranks: Sequence[int]) -> tuple[float, ...]:
    """Return (n - rank) / (n - 1) for each of n entrants, a tie sharing the places it takes; alone: 1 won, 0 lost."""
    n = max(2, len(ranks))
    return tuple((n - rank - (ranks.count(rank) - 1) / 2) / (n - 1) for rank in ranks)


def interval(values: Sequence[float]) -> Estimate:
    """Return the mean of at least one value in 0 .. 1 with its 95 % interval.

    Wilson's score interval with an effective number of observations, mean (1 - mean) / variance of the mean, as for
    clustered samples (Korn and Graubard 1998, with t for small samples). It stays within 0 .. 1, and where all values
    are equal, so that no variance is seen, it is that of as many independent trials.
    """
    mean = math.fsum(values) / len(values)
    effective = effective_blocks(values)
    spread = Z * math.sqrt(mean * (1 - mean) / effective + Z**2 / (4 * effective**2))
    middle = mean + Z**2 / (2 * effective)
    whole = 1 + Z**2 / effective
    return Estimate(mean, max(0.0, (middle - spread) / whole), min(1.0, (middle + spread) / whole))


def effective_blocks(values: Sequence[float]) -> float:
    """Return of how many independent yes-or-no trials the mean of values in 0 .. 1 is as sure; see interval."""
    n = len(values)
    mean = math.fsum(values) / n
    variance = math.fsum((value - mean) ** 2 for value in values) / (n - 1) if n > 1 else 0.0
    return mean * (1 - mean) / (variance / n) * (Z / student_t(n - 1)) ** 2 if variance > 0 else float(n)


def student_t(df: int) -> float:
    """Return the 97.5 % point of Student's t with df >= 1 degrees of freedom, right to 0.01.

    Source: Abramowitz and Stegun 26.7.5, exact values for 1 and 2.
    """
    if df == 1:
        return 12.706
    if df == 2:
        return 4.303
    terms = (
        (Z**3 + Z) / 4,
        (5 * Z**5 + 16 * Z**3 + 3 * Z) / 96,
        (3 * Z**7 + 19 * Z**5 + 17 * Z**3 - 15 * Z) / 384,
        (79 * Z**9 + 776 * Z**7 + 1482 * Z**5 - 1920 * Z**3 - 945 * Z) / 92160,
    )
    return Z + math.fsum(term / math.pow(df, power) for power, term in enumerate(terms, 1))
