"""How often somebody may try to sign in."""

from __future__ import annotations

import threading
from collections import deque
from datetime import datetime, timedelta
from typing import Final

from arena.core.errors import LimitReached

SPAN: Final = timedelta(minutes=1)
MOST: Final = 10
"""Tries that may fail from one address in a span."""

MOST_IN_ALL: Final = 100
"""And from all addresses: whoever has many gets no further."""


class Tries:
    """Counts failed tries by the address they came from; forgets those that are over."""

    def __init__(self) -> None:
        self._failed: deque[tuple[datetime, str]] = deque()
        self._lock = threading.Lock()

    def check(self, address: str, now: datetime) -> None:
        """Raise LimitReached (TOO_MANY_TRIES) if too many have failed."""
        with self._lock:
            while self._failed and self._failed[0][0] + SPAN <= now:
                self._failed.popleft()
            own = sum(1 for _, who in self._failed if who == address)
            if own >= MOST or len(self._failed) >= MOST_IN_ALL:
                raise LimitReached(
                    "too many tries to sign in have failed; wait a minute and try again", reason="TOO_MANY_TRIES"
                )

    def failed(self, address: str, now: datetime) -> None:
        """Count a try that failed."""
        with self._lock:
            self._failed.append((now, address))
