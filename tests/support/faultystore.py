"""A store that fails as nobody foresaw, when a test says so."""

from __future__ import annotations

import threading
from typing import Any

from arena.store import Store


class Unforeseen(Exception):
    """No error of ours."""


class FaultyStore:
    """Does what a store does; the next `faults` reads and writes by way of it fail, and `failed` is set by the last."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._left = 0
        self._error: Exception = Unforeseen()
        self.failed = threading.Event()

    def fail(self, times: int, error: Exception | None = None) -> None:
        self.failed.clear()
        self._error = error or Unforeseen("something that nobody foresaw")
        self._left = times

    def read(self) -> Any:
        self._perhaps()
        return self._store.read()

    def write(self) -> Any:
        self._perhaps()
        return self._store.write()

    def check(self) -> None:
        self._perhaps()
        self._store.check()

    def _perhaps(self) -> None:
        if self._left:
            self._left -= 1
            if not self._left:
                self.failed.set()
            raise self._error
