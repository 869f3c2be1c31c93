"""How well ratings predict: what was expected of each match before it, against what came of it."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import NormalDist
from typing import Final

from arena.ladder.rating import BETA, HOUSE, Rating
from arena.ladder.stats import Estimate, wilson

BINS: Final = 10
"""Bins from an expected share of 1/2 to 1, each a twentieth wide; the favourite's view, for the other mirrors it."""

_NORMAL: Final = NormalDist()


@dataclass(frozen=True, slots=True)
class Rated:
    """One rated match that was COMPLETED. before: its seats' ratings before it. block: all that share its deal."""

    block: int
    before: Sequence[Rating]
    ranks: Sequence[int]


@dataclass(frozen=True, slots=True)
class Bin:
    """Pairs of seats with alike predictions. predicted: mean expected share of the favourite; observed: what it got."""

    low: float
    high: float
    pairs: int
    predicted: float
    observed: Estimate


@dataclass(frozen=True, slots=True)
class Reliability:
    """Predictions of a pool against its results; bins without a pair are left out.

    brier: mean square of what the predictions missed by; 1/4 is what "anybody may win" misses. predicted_ties,
    observed_ties: share of pairs that tie.
    """

    matches: int
    pairs: int
    bins: tuple[Bin, ...]
    brier: float
    predicted_ties: float
    observed_ties: float


def expected(one: Rating, other: Rating, draws: float) -> tuple[float, float]:
    """Return the expected share of the points of one against the other, and how likely they tie.

    The difference of their performances is normal with the mean of the difference of mu and the variance
    2 beta^2 + sigma^2 + sigma^2; within the draw margin it is a tie (Herbrich, Minka, Graepel: TrueSkill, 2006).
    """
    spread = math.sqrt(2 * BETA**2 + one.sigma**2 + other.sigma**2)
    margin = _NORMAL.inv_cdf((draws + 1) / 2) * math.sqrt(2) * BETA
    gap = one.mu - other.mu
    wins = _NORMAL.cdf((gap - margin) / spread)
    losses = _NORMAL.cdf((-gap - margin) / spread)
    return (1 + wins - losses) / 2, max(0.0, 1 - wins - losses)


def reliability(matches: Iterable[Rated], draws: float) -> Reliability:
    """Return how predictions went; draws: the pool's draw probability."""
    cells: dict[int, list[tuple[int, float, float]]] = defaultdict(list)
    count = 0
    missed, ties, tied = [], [], []
    for match in matches:
        count += 1
        for share, tie, scored in _pairs(match, draws):
            cells[min(BINS - 1, int((share - 0.5) * 2 * BINS))].append((match.block, share, scored))
            missed.append((share - scored) ** 2)
            ties.append(tie)
            tied.append(float(scored == 0.5))
    pairs = max(1, len(missed))
    return Reliability(
        matches=count,
        pairs=len(missed),
        bins=tuple(_bin(place, cells[place]) for place in sorted(cells)),
        brier=math.fsum(missed) / pairs,
        predicted_ties=math.fsum(ties) / pairs,
        observed_ties=math.fsum(tied) / pairs,
    )


def _pairs(match: Rated, draws: float) -> Iterable[tuple[float, float, float]]:
    """Return (expected share, likelihood of a tie, share it got) of the favourite of every two seats."""
    before, ranks = list(match.before), list(match.ranks)
    if len(before) == 1:
        before, ranks = [before[0], HOUSE], [ranks[0], 3 - ranks[0]]
    for one, other in combinations(range(len(before)), 2):
        share, tie = expected(before[one], before[other], draws)
        scored = (1 + (ranks[one] < ranks[other]) - (ranks[one] > ranks[other])) / 2
        yield (share, tie, scored) if share >= 0.5 else (1 - share, tie, 1 - scored)


def _bin(place: int, cell: list[tuple[int, float, float]]) -> Bin:
    count = len(cell)
    mean = math.fsum(scored for _, _, scored in cell) / count
    return Bin(
        low=0.5 + place / (2 * BINS),
        high=0.5 + (place + 1) / (2 * BINS),
        pairs=count,
        predicted=math.fsum(share for _, share, _ in cell) / count,
        observed=wilson(mean, _effective(cell, mean)),
    )


def _effective(cell: list[tuple[int, float, float]], mean: float) -> float:
    """Return of how many independent pairs the mean is as sure; one block's are not (Cochran 1977, chapter 6)."""
    excess: dict[int, float] = defaultdict(float)
    for block, _, scored in cell:
        excess[block] += scored - mean
    blocks, count = len(excess), len(cell)
    if blocks < 2:
        return 1.0
    variance = blocks / (blocks - 1) * math.fsum(value**2 for value in excess.values()) / count**2
    return min(float(count), mean * (1 - mean) / variance) if variance > 0 else float(blocks)
