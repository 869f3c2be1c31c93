"""A worker says that it is there, every few seconds, from a thread of its own: whether it plays or waits."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from datetime import datetime
from typing import Final

from arena.core.errors import ArenaError
from arena.services import presence
from arena.store import Store
from arena.store.states import Queue
from arena.telemetry.logs import get_logger

LOG: Final = get_logger("worker")


class Presence:
    """Says it from start to close; a database that is away for a while is told later."""

    def __init__(self, store: Store, name: str, queues: Collection[Queue], now: Callable[[], datetime]) -> None:
        self._store = store
        self._name = name
        self._queues = queues
        self._now = now
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="presence", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def close(self) -> None:
        """Say that the worker has ended."""
        self._ended.set()
        self._thread.join()
        try:
            presence.leave(self._store, self._name)
        except ArenaError as error:
            LOG.warning("could not say goodbye", why=error.message)

    def _run(self) -> None:
        while True:
            try:
                presence.appear(self._store, self._name, self._queues, self._now())
            except ArenaError as error:
                LOG.warning("could not say that this worker is there", why=error.message)
            except Exception as fault:
                LOG.exception("could not say that this worker is there", exc_info=fault)
            if self._ended.wait(presence.SEEN_EVERY.total_seconds()):
                return
