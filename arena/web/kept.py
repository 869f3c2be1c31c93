"""What costs more than a moment to compute, kept for a while: rank intervals, a tournament's whole table."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Generic, TypeVar

T = TypeVar("T")

LEAST_AGE: Final = timedelta(seconds=20)
"""How old something gets while matches keep coming: pages that many people load cost no more than one that one does."""

MOST_KEPT: Final = 64


@dataclass(slots=True)
class _Entry(Generic[T]):
    value: T
    at: datetime
    seen: Hashable
    firm: Hashable


class Kept(Generic[T]):
    """Values by key; one computation at a time, since each takes a core."""

    def __init__(self) -> None:
        self._of: OrderedDict[Hashable, _Entry[T]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, now: datetime, make: Callable[[], T], *, seen: Hashable, firm: Hashable = None) -> T:
        """Return the value of a key, made anew when what it stands for has changed.

        seen: changes with every match, and counts once the value is LEAST_AGE old. firm: changes that count at once.
        """
        with self._lock:
            entry = self._of.get(key)
            if entry is not None and entry.firm == firm:
                fresh = entry.seen == seen or entry.at <= now < entry.at + LEAST_AGE
                if fresh:
                    self._of.move_to_end(key)
                    return entry.value
            value = make()
            self._of[key] = _Entry(value, now, seen, firm)
            self._of.move_to_end(key)
            while len(self._of) > MOST_KEPT:
                self._of.popitem(last=False)
            return value
