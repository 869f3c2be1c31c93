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


LEAST_DEALS: Final = 3
"""Deals from which on it can be seen whether blocks of one deal vary together."""


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
    """What the counted blocks say of one entrant: share of the points, 0 to 1, and mean rank, 1 is best.

    saved: see saved_by_blocks.
    """

    points: Estimate
    rank: Estimate
    saved: float | None


@dataclass(frozen=True, slots=True)
class BlockStats:
    """Statistics of a set of blocks; entrants is empty while no block counts.

    ties: share of neighbouring places that are one place, over all matches; what a pool's draw probability is measured
    by. 0 for a single seat.
    """

    entrants: tuple[EntrantStats, ...]
    counted: int
    left_out: int
    ties: float


def block_stats(blocks: Sequence[Sequence[Leg]]) -> BlockStats:
    """Return the statistics over blocks, each a sequence of at least one leg; all legs have the same entrants."""
    counted = [block for block in blocks if all(leg.completed for leg in block)]
    left_out = len(blocks) - len(counted)
    if not counted:
        return BlockStats((), 0, left_out, 0.0)
    places = max(2, len(counted[0][0].ranks))  # alone against the house there are two places
    stats = []
    for entrant in range(len(counted[0][0].ranks)):
        legs = [[points(leg.ranks)[entrant] for leg in block] for block in counted]
        share = interval([math.fsum(block) / len(block) for block in legs])
        low, mean, high = (places - value * (places - 1) for value in (share.high, share.mean, share.low))
        stats.append(EntrantStats(share, Estimate(mean, low, high), saved_by_blocks(legs)))
    shared = [share_of_ties(leg.ranks) for block in counted for leg in block]
    return BlockStats(tuple(stats), len(counted), left_out, math.fsum(shared) / len(shared))


def share_of_ties(ranks: Sequence[int]) -> float:
    """Return which share of the n - 1 steps from one place to the next is no step; 0.0 for a single seat."""
    return (len(ranks) - len(set(ranks))) / (len(ranks) - 1) if len(ranks) > 1 else 0.0


def saved_by_blocks(blocks: Sequence[Sequence[float]]) -> float | None:
    """Return 1 - variance of a block's score / variance of as many unpaired matches' mean; None if nothing varies.

    The share of the matches that can be left out for an equally wide interval. blocks: scores of the legs of each.
    An unpaired match is one on a deal of its own, in any seat order.
    """
    if len(blocks) < 2:
        return None
    mean = math.fsum(score for block in blocks for score in block) / sum(map(len, blocks))
    unpaired = math.fsum((score - mean) ** 2 / len(block) ** 2 for block in blocks for score in block)
    paired = math.fsum((math.fsum(block) / len(block) - mean) ** 2 for block in blocks)
    return 1 - paired / unpaired if unpaired > 0 else None


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
    return wilson(mean, effective_blocks(values))


def interval_of_strata(strata: Sequence[Sequence[float]]) -> Estimate:
    """Return the mean of all values in 0 .. 1 with its 95 % interval; at least one value.

    strata: values of blocks that are alike, such as those against one opponent. How many blocks each opponent plays is
    fixed by the schedule, so the differences between strata are no error: the variance is that of a stratified sample
    (Cochran, Sampling Techniques, 1977, chapter 5). Strata of one value are put together.
    """
    mean, variance, df = _stratified(strata)
    return wilson(mean, _effective(mean, variance, sum(map(len, strata)), df))


def clustered_interval(strata: Sequence[Sequence[tuple[int, float]]]) -> Estimate:
    """Return the mean of all values in 0 .. 1 with its 95 % interval; each value comes with the number of its deal.

    As interval_of_strata, unless values of one deal vary together: then the deals are the observations (Cochran,
    Sampling Techniques, 1977, chapter 9A), from LEAST_DEALS of them on. The larger of the two variances counts.
    """
    n = sum(map(len, strata))
    mean, variance, df = _stratified([[value for _, value in values] for values in strata])
    excess: dict[int, float] = {}
    for values in strata:
        expected = math.fsum(value for _, value in values) / len(values)
        for deal, value in values:
            excess[deal] = excess.get(deal, 0.0) + value - expected
    if LEAST_DEALS <= len(excess) < n:
        together = len(excess) / (len(excess) - 1) * math.fsum(part**2 for part in excess.values()) / n**2
        if together > variance:
            variance, df = together, len(excess) - 1
    return wilson(mean, _effective(mean, variance, n, df))


def _stratified(strata: Sequence[Sequence[float]]) -> tuple[float, float, int]:
    """Return the mean of all values, its variance and degrees of freedom; strata of one value are put together."""
    several = [list(values) for values in strata if len(values) > 1]
    single = [value for values in strata if len(values) == 1 for value in values]
    if single:
        several = [*several, single] if len(single) > 1 or not several else [[*several[0], *single], *several[1:]]
    n = sum(map(len, several))
    mean = math.fsum(value for values in several for value in values) / n
    variance = math.fsum(len(values) / n * _variance(values) for values in several) / n
    return mean, variance, n - len(several)


def wilson(mean: float, effective: float) -> Estimate:
    """Return Wilson's 95 % interval of a share seen in an effective number of trials (Wilson, JASA 22, 1927)."""
    spread = Z * math.sqrt(mean * (1 - mean) / effective + Z**2 / (4 * effective**2))
    middle = mean + Z**2 / (2 * effective)
    whole = 1 + Z**2 / effective
    # At 0 and 1 the mean is an end, up to the last bit.
    return Estimate(
        mean, min(mean, max(0.0, (middle - spread) / whole)), max(mean, min(1.0, (middle + spread) / whole))
    )


def effective_blocks(values: Sequence[float]) -> float:
    """Return of how many independent yes-or-no trials the mean of values in 0 .. 1 is as sure; see interval."""
    n = len(values)
    return _effective(math.fsum(values) / n, _variance(values) / n, n, n - 1)


def _variance(values: Sequence[float]) -> float:
    if len(values) < 2:
        return 0.0
    mean = math.fsum(values) / len(values)
    return math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)


def _effective(mean: float, variance: float, n: int, df: int) -> float:
    """Return of how many trials a mean of n values is as sure; variance: of the mean, with df degrees of freedom."""
    return mean * (1 - mean) / variance * (Z / student_t(df)) ** 2 if variance > 0 else float(n)


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
