"""Simulated tournaments and sequential tests, many at a time: truth for the statistics of a whole table.

A seat's performance is its player's strength, the seat's advantage, what the deal gives this seat, and luck of its own,
all in Elo points; the luck is Gumbel's, so that of two players one wins as the Elo formula says. Performances in one
cell of a grid tie. All blocks of a deal share what it gives the seats, as in real tournaments.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from simulation import FIRST_SEAT, World

from arena.ladder.pairing import Block
from arena.ladder.sprt import PRIOR, Hypotheses
from arena.ladder.standings import Played
from arena.ladder.strength import ELO, Result, fit
from arena.ladder.versus import share_of
from arena.match.result import MatchEnd, SeatEnd


@dataclass(frozen=True)
class Season:
    """A schedule between players of known strength. luck: of deals; grid: width of a cell of ties, 0 for none."""

    strength: Sequence[float]
    blocks: Sequence[Block]
    luck: float = 150.0
    grid: float = 60.0

    def ranks(self, stream: np.random.Generator, runs: int) -> NDArray[np.int64]:
        """Play the schedule so many times; returns ranks, shape (runs, legs, seats)."""
        seats = self._seats()
        deals = np.array([block.deal - 1 for block in self.blocks for _ in block.legs])
        given = stream.normal(0, self.luck, (runs, deals.max() + 1, seats.shape[1]))
        luck = stream.gumbel(0, ELO, (runs, *seats.shape))
        shown = np.asarray(self.strength)[seats] + luck + given[:, deals]
        shown[:, :, 0] += FIRST_SEAT
        if self.grid:
            shown = np.floor(shown / self.grid)
        return 1 + (shown[:, :, None, :] > shown[:, :, :, None]).sum(-1)

    def results(self, ranks: NDArray[np.int64]) -> list[list[Result[int]]]:
        """The blocks of one run."""
        at, found = 0, []
        for block in self.blocks:
            found.append([Result(leg, tuple(ranks[at + place])) for place, leg in enumerate(block.legs)])
            at += len(block.legs)
        return found

    def played(self, ranks: NDArray[np.int64]) -> list[Played[int]]:
        """The matches of one run, as standings read them."""
        ends = (SeatEnd.PLAYED,) * ranks.shape[1]
        return [
            Played(MatchEnd.COMPLETED, leg.players, [int(rank) for rank in leg.ranks], ends, number, deal=block.deal)
            for number, (block, legs) in enumerate(zip(self.blocks, self.results(ranks), strict=True))
            for leg in legs
        ]

    def truth(self, stream: np.random.Generator, runs: int = 4000) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """True strengths in Elo points above the mean, and true points shares: what endless play would give."""
        seats, count = self._seats(), len(self.strength)
        ranks = self.ranks(stream, runs)
        ahead = (ranks[:, :, :, None] < ranks[:, :, None, :]) + (ranks[:, :, :, None] == ranks[:, :, None, :]) / 2
        each = ahead.mean(0)
        wins, points, matches = np.zeros((count, count)), np.zeros(count), np.zeros(count)
        for leg, players in enumerate(seats):
            for one, player in enumerate(players):
                matches[player] += 1
                for other, rival in enumerate(players):
                    if one != other:
                        wins[player, rival] += each[leg, one, other]
                        points[player] += each[leg, one, other] / (len(players) - 1)
        found = ELO * fit(wins * 1e6, np.full((2, count), 0.5))
        return found - found.mean(), points / matches

    def _seats(self) -> NDArray[np.int64]:
        return np.array([leg for block in self.blocks for leg in block.legs])


def decided(world: World, hypotheses: Hypotheses, elo: float, *, runs: int, seed: int) -> tuple[float, float, float]:
    """Run sequential tests side by side; returns the shares of LOW and HIGH answers, and the mean number of blocks."""
    stream = np.random.default_rng(seed)
    counts = np.zeros((runs, 5))
    counts[:, [0, 4]] = PRIOR
    left, low, high, blocks = np.arange(runs), 0, 0, 0
    while len(left):
        blocks += len(left)
        counts[left, block_scores(world, stream, elo, len(left))] += 1
        ratio = ratios(counts[left], hypotheses)
        low += int((ratio <= hypotheses.lower).sum())
        high += int((ratio >= hypotheses.upper).sum())
        left = left[(hypotheses.lower < ratio) & (ratio < hypotheses.upper)]
    return low / runs, high / runs, blocks / runs


def block_scores(world: World, stream: np.random.Generator, elo: float, count: int) -> NDArray[np.int64]:
    """Play so many blocks as World.play does; returns twice the score of both legs, 0 to 4."""
    favour = stream.normal(0, world.luck, count)
    scored = np.zeros(count, dtype=np.int64)
    for side in (1, -1):
        win = 1 / (1 + 10 ** (-(elo + side * (FIRST_SEAT + favour)) / 400))
        tie = world.ties * 4 * win * (1 - win)
        drawn = stream.random(count)
        scored += np.where(drawn < tie, 1, np.where(drawn < tie + win - tie / 2, 2, 0))
    return scored


def ratios(counts: NDArray[np.float64], hypotheses: Hypotheses) -> NDArray[np.float64]:
    """Log-likelihood ratios of many tests; counts: (tests, 5), how many blocks scored 0, 1/4, 1/2, 3/4, 1."""
    low, high = share_of(hypotheses.low), share_of(hypotheses.high)
    score = np.arange(5) / 4
    return np.asarray(
        (
            counts
            * (
                np.log1p(_tilts(counts, low)[:, None] * (score - low))
                - np.log1p(_tilts(counts, high)[:, None] * (score - high))
            )
        ).sum(1)
    )


def _tilts(counts: NDArray[np.float64], mean: float) -> NDArray[np.float64]:
    """As arena.ladder.sprt finds it, by halving alone."""
    away = np.arange(5) / 4 - mean
    low, high = np.full(len(counts), -1 / (1 - mean)), np.full(len(counts), 1 / mean)
    for _ in range(math.ceil(math.log2(1e11))):
        middle = (low + high) / 2
        above = (counts * away / (1 + middle[:, None] * away)).sum(1) > 0
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return np.asarray((low + high) / 2)
