"""Simulated players of known strength, to check the statistics against a truth that real bots do not have.

In a leg the first mover has an advantage, the deal favours one of the two places, and some matches end as ties: all
that blocks are there for. Places change in the second leg, so that the deal's favour cancels in the block.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random
from typing import Final

import numpy as np

from arena.ladder.stats import Leg

FIRST_SEAT: Final = 40.0
"""Advantage of the first seat in Elo points, about that of White in chess."""

TIES: Final = 0.15
"""Share of ties between equals, for worlds that do not say otherwise."""

_LUCK_STEPS: Final = 41


@dataclass(frozen=True, slots=True)
class World:
    """How matches go. luck: standard deviation of a deal's favour in Elo points; ties: their share between equals."""

    luck: float = 150.0
    ties: float = TIES

    def play(self, stream: Random, elo: float) -> tuple[float, float]:
        """Return the scores of both legs of a block, of one who is better by elo points."""
        favour = stream.gauss(0, self.luck)
        return self._score(stream, elo + FIRST_SEAT + favour), self._score(stream, elo - FIRST_SEAT - favour)

    def share(self, elo: float) -> float:
        """Return the true share of the points of one who is better by elo points."""
        favours = np.linspace(-4, 4, _LUCK_STEPS)
        weights = np.exp(-(favours**2) / 2)
        legs = [_chance(elo + sign * (FIRST_SEAT + favours * self.luck)) for sign in (1, -1)]
        return float((weights * (legs[0] + legs[1]) / 2).sum() / weights.sum())

    def elo_for(self, share: float) -> float:
        """Return how much better one must be for this share of the points."""
        low, high = -4000.0, 4000.0
        for _ in range(100):
            middle = (low + high) / 2
            low, high = (middle, high) if self.share(middle) < share else (low, middle)
        return (low + high) / 2

    def pair(self, stream: Random, elo: float, blocks: int) -> list[list[Leg]]:
        """Return blocks of a pair, the first better by elo points."""
        return [[Leg(_ranks(score), completed=True) for score in self.play(stream, elo)] for _ in range(blocks)]

    def _score(self, stream: Random, elo: float) -> float:
        win = 1 / (1 + math.pow(10, -elo / 400))
        tie = self.ties * 4 * win * (1 - win)  # fewer between unequals, and never more than the loser's half can give
        drawn = stream.random()
        if drawn < tie:
            return 0.5
        return 1.0 if drawn < tie + win - tie / 2 else 0.0


def _ranks(score: float) -> tuple[int, int]:
    return (1, 1) if score == 0.5 else ((1, 2) if score else (2, 1))


def _chance(elo: np.ndarray) -> np.ndarray:
    return np.asarray(1 / (1 + np.power(10.0, -elo / 400)))
