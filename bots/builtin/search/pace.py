"""How long Search thinks: its settings, and what a clock leaves of them."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf
from pathlib import Path
from time import monotonic, thread_time
from typing import Final

from bots.sdk import MatchInfo

MOVES: Final = 40
"""Moves a full bank is spread over, beside the increment."""
INCREMENT_SHARE: Final = 0.8
BANK_SHARE: Final = 0.4
"""The part of the bank that one move may take at the very most, by the clock on the wall."""
STRETCH: Final = 4.0
"""How much longer than its computing time a move may last on a busy machine."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a move may take: think_ms without a clock, at most most_ms with one, or a number of iterations if not 0."""

    think_ms: int = 100
    most_ms: int = 1000
    iterations: int = 0


def read_settings(path: Path) -> Settings:
    """Read settings.toml; what it does not name has its default."""
    return Settings(**tomllib.loads(path.read_text(encoding="utf-8")))


@dataclass(frozen=True, slots=True)
class Budget:
    """What one move may take: iterations, or seconds of this thread's computing and seconds on the wall."""

    iterations: int
    computing_s: float
    wall_s: float

    def spend(
        self, computing: Callable[[], float] = thread_time, wall: Callable[[], float] = monotonic
    ) -> Iterator[float]:
        """Yield before every iteration how many more there can be, about, this one included; at least one.

        The clocks tell seconds. A number of iterations needs none; with time alone the first guess is infinite.
        """
        if self.iterations:
            for number in range(self.iterations):
                yield self.iterations - number
            return
        began, started = computing(), wall()
        done, left = 0, inf
        while True:
            yield left
            done += 1
            spent = max((computing() - began) / self.computing_s, (wall() - started) / self.wall_s)
            if spent >= 1.0:
                return
            left = done * (1.0 / spent - 1.0) if spent > 0.0 else inf


def budget(settings: Settings, match: MatchInfo, bank_ms: int) -> Budget:
    """Return what the next move may take with so much in the bank (no clock: what the settings say)."""
    if settings.iterations:
        return Budget(settings.iterations, 0.0, 0.0)
    if not (match.bank_ms or match.increment_ms):
        return Budget(0, settings.think_ms / 1000, inf)
    # What the clock gives anyway is free, even with an empty bank.
    wall_ms = max(BANK_SHARE * bank_ms, match.margin_ms / 4, 1.0)
    planned = INCREMENT_SHARE * match.increment_ms + bank_ms / MOVES
    computing_ms = max(1.0, min(settings.most_ms, planned, wall_ms))
    return Budget(0, computing_ms / 1000, min(wall_ms, STRETCH * computing_ms) / 1000)
