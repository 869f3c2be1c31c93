"""What one account, or everybody without one, may do at once and in a second; counted in this process only."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil
from typing import Final

from arena.core.errors import LimitReached

PLACE_RETRY_S: Final = 1
"""When to try again where too many calls run: most last milliseconds."""

UPLOAD_RETRY_S: Final = 10
"""When to try again where too many archives are on their way."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one account: nobody's many keep others' few waiting.

    calls: at the same time, watches among them. open_calls: at the same time, of each RPC that needs no token, by
    everybody. uploads: archives on their way. threads: of the server's, for work on the database. per_s: calls a second
    in the long run; burst: calls that may come at once after a rest.
    """

    calls: int = 60
    open_calls: int = 20
    uploads: int = 2
    threads: int = 3
    per_s: float = 50.0
    burst: int = 200


class Places:
    """Counts what each key has going on at the same time."""

    def __init__(self) -> None:
        self._taken: Counter[str] = Counter()

    @contextmanager
    def one(self, key: str, most: int, refusal: LimitReached) -> Iterator[None]:
        """Hold a place while the block runs. Raises the refusal if the key has as many as it may."""
        if self._taken[key] >= most:
            raise refusal
        self._taken[key] += 1
        try:
            yield
        finally:
            self._taken[key] -= 1
            if not self._taken[key]:
                del self._taken[key]


class Rate:
    """A bucket of calls for each key, which fills with time: so many at once, so many a second in the long run."""

    def __init__(self, per_s: float, burst: int, now_s: Callable[[], float] = time.monotonic) -> None:
        self._per_s = per_s
        self._burst = burst
        self._now_s = now_s
        self._buckets: dict[str, tuple[float, float]] = {}

    def take(self, key: str) -> None:
        """Count a call. Raises LimitReached (RATE_LIMITED) that says when the next one is let in."""
        now_s = self._now_s()
        left, at_s = self._buckets.get(key, (float(self._burst), now_s))
        left = min(float(self._burst), left + (now_s - at_s) * self._per_s)
        if left < 1:
            self._buckets[key] = left, now_s
            raise LimitReached(
                f"{key} calls too often: {self._per_s:g} calls a second are the most, {self._burst} at once",
                reason="RATE_LIMITED",
                retry_after_s=max(1, ceil((1 - left) / self._per_s)),
            )
        self._buckets[key] = left - 1, now_s
