"""Who is there to play, and how the queue and the leases stand: for the dispatcher and for whoever watches."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from arena.store import Store
from arena.store import presence as repository
from arena.store.states import Lane, Queue

SEEN_EVERY: Final = timedelta(seconds=5)
"""How often a worker says that it is there, whether it plays or waits."""

ABSENT_AFTER: Final = 4 * SEEN_EVERY
"""Silence after which a worker no longer counts: a few writes may be late."""

FORGOTTEN_AFTER: Final = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Standing:
    """How it stands: workers by queue, waits of each lane's first block, leases, age of the oldest, longest silence."""

    workers: dict[Queue, int]
    waits: dict[tuple[Queue, Lane], timedelta]
    leases: int
    oldest_lease: timedelta
    longest_silence: timedelta


def appear(store: Store, name: str, queues: Collection[Queue], now: datetime) -> None:
    """Say that a worker is there and which queues it serves. Raises Unavailable."""
    with store.write() as tx:
        repository.see_worker(tx, name, queues, now)


def leave(store: Store, name: str) -> None:
    """Say that a worker has ended. Raises Unavailable."""
    with store.write() as tx:
        repository.forget_worker(tx, name)


def count_present(store: Store, now: datetime) -> dict[Queue, int]:
    """Return how many workers of each queue are there. Raises Unavailable."""
    with store.read() as tx:
        return repository.count_workers(tx, now - ABSENT_AFTER)


def forget_silent(store: Store, now: datetime) -> None:
    """Forget workers that ended without a word long ago. Raises Unavailable."""
    with store.write() as tx:
        repository.forget_silent(tx, now - FORGOTTEN_AFTER)


def standing(store: Store, now: datetime) -> Standing:
    """Return how workers, queue and leases stand. Raises Unavailable."""
    with store.read() as tx:
        leases = repository.read_leases(tx)
        return Standing(
            workers=repository.count_workers(tx, now - ABSENT_AFTER),
            waits={lane: max(now - since, timedelta()) for lane, since in repository.list_heads(tx).items()},
            leases=leases.active,
            oldest_lease=_since(leases.oldest, now),
            longest_silence=_since(leases.silent_since, now),
        )


def _since(moment: datetime | None, now: datetime) -> timedelta:
    return timedelta() if moment is None else max(now - moment, timedelta())
