"""Strengths that do not depend on the order of the matches: the Bradley-Terry model, with intervals from blocks.

A match counts as a comparison of every two of its seats: a win for the better rank, half a win each for a tie. How sure
a strength is comes from a bootstrap over blocks, since the matches of a block share their deal. Formulas, sources and
how the intervals were checked: docs/statistics.md.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from arena.ladder.stats import LEAST_DEALS, Estimate, Z, student_t

K = TypeVar("K", bound=Hashable)
Reals: TypeAlias = NDArray[np.float64]

ELO: Final = 400 / math.log(10)
"""Elo points of one unit of the model's natural scale."""

PRIOR: Final = 0.5
"""Virtual wins, and as many losses, of every entrant against an average one: they keep the undefeated finite."""

DRAWS: Final = 1000
"""Bootstrap draws where there are few entrants."""

_WORK: Final = 3_000_000
"""Numbers in the matrices of all draws, draws x entrants squared: above it fewer draws are made, so that it takes
seconds."""

LEAST_BLOCKS: Final = 2
"""Blocks from which something can be said of how sure a strength is."""

_TAIL: Final = 0.035
"""What may lie beyond the places of an interval on either side, for 95 % to hold the truth: found by simulation, see
docs/statistics.md. The errors of the bootstrap are a little too wide, and whole places are rounded up."""
_SPREADS: Final = np.geomspace(1, 2000, 60)
"""Standard deviations in Elo points that a field's strengths may have."""

_LEAST_WIDTH: Final = 1e-9
_LEAST_VARIANCE: Final = 1e-6
_LEAST_DRAWS: Final = 200
_CHUNK: Final = 500_000
_STEPS: Final = 200
_LARGEST_STEP: Final = 1.0
_CONJUGATE_STEPS: Final = 3
_EXACT: Final = 1e-24
_CLOSE: Final = 1e-3
"""How exact a draw is solved, on the natural scale: 0.2 Elo points."""


@dataclass(frozen=True, slots=True)
class Result(Generic[K]):
    """One rated match: players in seat order, their ranks (1 is best, equal numbers tie)."""

    players: Sequence[K]
    ranks: Sequence[int]


@dataclass(frozen=True, slots=True)
class Strength:
    """How strong an entrant is. elo: above the mean of all entrants. blocks: that it played in.

    first, last: the places it may have, with 95 %.
    """

    elo: Estimate
    first: int
    last: int
    blocks: int


@dataclass(frozen=True, slots=True)
class Samples:
    """What a bootstrap drew, shape (draws, entrants) in Elo points: of blocks, and of whole deals.

    deals: how many there are; deal is None where the blocks are as many, or the deals too few to say anything.
    """

    block: Reals
    deal: Reals | None
    deals: int

    def difference(self, one: int, other: int) -> Samples:
        """Return the samples of a difference, one column."""
        deal = None if self.deal is None else self.deal[:, [one]] - self.deal[:, [other]]
        return Samples(self.block[:, [one]] - self.block[:, [other]], deal, self.deals)

    def interval(self, value: float, column: int, blocks: int) -> Estimate:
        """Return the percentiles of a column around a value, wider where there are few observations."""
        if blocks < LEAST_BLOCKS:
            return Estimate(value, -math.inf, math.inf)
        low, middle, high = np.quantile(self.block[:, column], (0.025, 0.5, 0.975))
        wider = self.widening(column, blocks)
        return Estimate(value, value + float(low - middle) * wider, value + float(high - middle) * wider)

    def widening(self, column: int, blocks: int) -> float:
        """Return by how much blocks alone make a column seem too sure.

        Student's t in place of the normal distribution, and the factors by which a bootstrap of few observations falls
        short of the unbiased variance. Where whole deals vary more than their blocks would, their variance counts.
        """
        wider = student_t(blocks - 1) / Z * math.sqrt(blocks / (blocks - 1))
        if self.deal is None:
            return wider
        more = float(self.more_with_deals(slice(column, column + 1))[0])
        return max(wider, more * math.sqrt((self.deals + 1) / (self.deals - 1)))

    def more_with_deals(self, columns: slice = slice(None)) -> Reals:
        """Return how many times as wide columns are with deals drawn as with blocks; 1 where deals say nothing."""
        if self.deal is None:
            return np.ones(self.block[:, columns].shape[1])
        return _width(self.deal[:, columns]) / np.maximum(_width(self.block[:, columns]), _LEAST_WIDTH)


@dataclass(frozen=True, slots=True)
class Strengths(Generic[K]):
    """The strengths of all entrants in Elo points above the mean, and the samples behind their intervals."""

    entrants: tuple[K, ...]
    of: dict[K, Strength]
    elo: Reals
    samples: Samples

    def difference(self, one: K, other: K) -> Estimate:
        """Return by how many Elo points one is stronger than the other, from all their matches, also with others."""
        here, there = self.entrants.index(one), self.entrants.index(other)
        blocks = min(self.of[one].blocks, self.of[other].blocks)
        return self.samples.difference(here, there).interval(float(self.elo[here] - self.elo[there]), 0, blocks)


def strengths(
    entrants: Sequence[K], blocks: Sequence[Sequence[Result[K]]], deals: Sequence[int] = (), seed: int = 0
) -> Strengths[K]:
    """Return the strengths of all entrants; blocks: the rated matches of each block, those without one may be empty.

    deals: the number of each block's deal; left out where every block has a deal of its own. seed: of the bootstrap;
    equal seeds give equal intervals. An entrant without a match has strength 0 and any place.
    """
    number = {entrant: place for place, entrant in enumerate(entrants)}
    pairs = _Pairs(number, blocks)
    count = len(entrants)
    fitted = fit(pairs.wins(np.ones(len(blocks))), np.full((2, count), PRIOR))
    elo = ELO * _centred(fitted)
    stream = np.random.default_rng(seed)
    every, of_block = np.unique(np.array(deals, dtype=np.int64), return_inverse=True)
    whole = LEAST_DEALS <= len(every) < len(blocks)
    samples = Samples(
        block=_draw(pairs, fitted, np.arange(len(blocks)), stream),
        deal=_draw(pairs, fitted, of_block, stream) if whole else None,
        deals=len(every),
    )
    firsts, lasts = _places(elo, samples, pairs.blocks, stream)
    of = {
        entrant: Strength(
            elo=samples.interval(float(elo[place]), place, int(pairs.blocks[place])),
            first=int(firsts[place]),
            last=int(lasts[place]),
            blocks=int(pairs.blocks[place]),
        )
        for entrant, place in number.items()
    }
    return Strengths(tuple(entrants), of, elo, samples)


def _draw(pairs: _Pairs, fitted: Reals, units: NDArray[np.int64], stream: np.random.Generator) -> Reals:
    """Return strengths in Elo points where every unit counts by a weight of its own; units: the one of each block.

    Weights as of Rubin's Bayesian bootstrap (Annals of Statistics 9, 1981); the virtual matches are drawn too, each as
    half a block.
    """
    count = len(fitted)
    draws = max(_LEAST_DRAWS, min(DRAWS, _WORK // max(1, count * count)))
    samples = np.empty((draws, count))
    size = int(units.max(initial=-1)) + 1
    for chunk in np.array_split(np.arange(draws), max(1, draws * count * count // _CHUNK)):
        drawn = np.stack([pairs.wins(stream.exponential(size=size)[units]) for _ in chunk])
        samples[chunk] = fit(drawn, stream.gamma(PRIOR, size=(len(chunk), 2, count)), fitted, close=_CLOSE)
    return ELO * _centred(samples)


def fit(wins: Reals, prior: Reals, start: Reals | None = None, close: float = 1e-9) -> Reals:
    """Return the likeliest strengths on the natural scale, an average entrant at 0.

    wins: how often each (row) won against each (column), any real numbers from 0, shape (..., n, n). prior: virtual
    wins and losses of each against an average one, shape (..., 2, n), all above 0. start: where to begin, (..., n).
    Newton's method on the concave log-likelihood sum of wins[i, j] log(1 / (1 + exp(s[j] - s[i]))) (Bradley and Terry,
    Biometrika 39, 1952), with steps of at most 1, until none is above close.
    """
    shape, count = wins.shape[:-1], wins.shape[-1]
    if not count:
        return np.zeros(shape)
    met = (wins + np.swapaxes(wins, -1, -2)).reshape(-1, count, count)
    won = (wins.sum(-1) + prior[..., 0, :]).reshape(-1, count)
    virtual = prior.sum(-2).reshape(-1, count)
    place = np.zeros(won.shape) if start is None else np.broadcast_to(start, shape).reshape(-1, count).copy()
    left = np.arange(len(place))
    for _ in range(_STEPS):
        if not len(left):
            break
        step = _newton(met[left], won[left], virtual[left], place[left])
        longest = np.abs(step).max(-1)
        place[left] += step * np.minimum(1.0, _LARGEST_STEP / np.maximum(longest, _LARGEST_STEP))[:, None]
        left = left[longest > close]
    return place.reshape(shape)


def _newton(met: Reals, won: Reals, virtual: Reals, place: Reals) -> Reals:
    """Return Newton's steps; each of several problems is one row."""
    likely = _logistic(place[:, :, None] - place[:, None, :])
    own = _logistic(place)
    slope = won - np.einsum("dij,dij->di", met, likely) - virtual * own
    bend = likely * np.swapaxes(likely, 1, 2)
    bend *= -met
    diagonal = np.arange(place.shape[-1])
    bend[:, diagonal, diagonal] = 0
    bend[:, diagonal, diagonal] = virtual * own * (1 - own) - bend.sum(-1)
    return _solve(bend, slope)


def _solve(matrix: Reals, right: Reals) -> Reals:
    """Return the solutions of linear equations, one problem a row, by conjugate gradients scaled by the diagonal.

    The matrices are symmetric and their diagonal dominates, so that a few steps are enough (Golub, Van Loan, Matrix
    Computations, 2013, section 11.5). LAPACK would start threads for them, which wait for each other where other work
    runs: twenty times slower than one thread on a busy machine.
    """
    scale = 1 / np.einsum("dii->di", matrix)
    found = np.zeros_like(right)
    rest = right.copy()
    search = scale * rest
    size = np.einsum("di,di->d", rest, search)
    enough = _EXACT * size
    for _ in range(_CONJUGATE_STEPS * right.shape[-1]):
        if (size <= enough).all():
            break
        turned = np.einsum("dij,dj->di", matrix, search)
        along = np.einsum("di,di->d", search, turned)
        step = np.divide(size, along, out=np.zeros_like(size), where=along > 0)[:, None]
        found += step * search
        rest -= step * turned
        before, size = size, np.einsum("di,di->d", rest, scale * rest)
        search = scale * rest + np.divide(size, before, out=np.zeros_like(size), where=before > 0)[:, None] * search
    return found


class _Pairs:
    """The comparisons of all blocks as flat lists, so that a weighted wins matrix is one sum."""

    def __init__(self, number: dict[K, int], blocks: Sequence[Sequence[Result[K]]]) -> None:
        self._size = len(number)
        cells, values, owners = [], [], []
        self.blocks = np.zeros(self._size, dtype=np.int64)
        for owner, block in enumerate(blocks):
            for player in {player for result in block for player in result.players}:
                self.blocks[number[player]] += 1
            for result in block:
                for one, other in combinations(range(len(result.players)), 2):
                    here, there = number[result.players[one]], number[result.players[other]]
                    mine, theirs = result.ranks[one], result.ranks[other]
                    won = (1 + (mine < theirs) - (mine > theirs)) / 2
                    cells += [here * self._size + there, there * self._size + here]
                    values += [won, 1 - won]
                    owners += [owner, owner]
        self._cells = np.array(cells, dtype=np.int64)
        self._values = np.array(values)
        self._owners = np.array(owners, dtype=np.int64)

    def wins(self, weights: Reals) -> Reals:
        """Return how often each won against each, every block counted by its weight."""
        flat = np.bincount(self._cells, weights[self._owners] * self._values, self._size * self._size)
        return flat.astype(np.float64).reshape(self._size, self._size)


def _width(samples: Reals) -> Reals:
    low, high = np.quantile(samples, (0.025, 0.975), axis=0)
    return np.asarray(high - low)


def _places(
    elo: Reals, samples: Samples, blocks: NDArray[np.int64], stream: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first and the last place each may have, with 95 %.

    Strengths are taken for a draw from one normal field (empirical Bayes: Laird and Louis, Journal of Educational
    Statistics 14, 1989): what looks best among many equals is partly luck, and places by the bootstrap alone are too
    sure. A place belongs to the interval unless at most _TAIL lies at or beyond it, its own share counted half (mid-p,
    Lancaster, Biometrika 48, 1961): whole numbers would otherwise hold the truth more often than said.
    """
    count = len(elo)
    firsts, lasts = np.ones(count, dtype=np.int64), np.full(count, count, dtype=np.int64)
    if not (blocks >= LEAST_BLOCKS).any():
        return firsts, lasts
    likely = _of_one_field(elo, samples, stream)
    for place in np.flatnonzero(blocks >= LEAST_BLOCKS):
        share = np.bincount((likely > likely[:, [place]]).sum(1), minlength=count) / len(likely)
        middle = np.cumsum(share) - share / 2
        within = np.flatnonzero((middle >= _TAIL) & (middle <= 1 - _TAIL))
        if not len(within):
            within = np.flatnonzero(np.cumsum(share) >= 0.5)[:1]
        firsts[place], lasts[place] = within[0] + 1, within[-1] + 1
    return firsts, lasts


def _of_one_field(elo: Reals, samples: Samples, stream: np.random.Generator) -> Reals:
    """Return strengths as they may be, shape (draws, entrants), if they come from one normal field around 0.

    Its spread is drawn from its likelihood, with a density beforehand that falls as one over its root; each error is a
    draw of the bootstrap, so that errors keep their shape and stay together.
    """
    errors = (samples.block - samples.block.mean(0)) * np.maximum(1, samples.more_with_deals())
    known = np.maximum(errors.var(0, ddof=1), _LEAST_VARIANCE)
    expected = _SPREADS[:, None] ** 2 + known
    free = (len(elo) - 1) / len(elo)  # strengths are differences from their mean
    likelihood = np.log(_SPREADS) / 2 - free * (np.log(expected) + elo**2 / expected).sum(1) / 2
    weights = np.exp(likelihood - likelihood.max())
    spread = stream.choice(_SPREADS, size=len(errors), p=weights / weights.sum())[:, None] ** 2
    kept = spread / (spread + known)
    return np.asarray(kept * elo + np.sqrt(kept) * errors)


def _centred(strength: Reals) -> Reals:
    return strength - strength.mean(-1, keepdims=True) if strength.shape[-1] else strength


def _logistic(x: Reals) -> Reals:
    return np.asarray(0.5 * (1 + np.tanh(x / 2)))
