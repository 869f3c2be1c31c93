"""Repository of which workers are there, and of how the queue and the leases stand."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, func, select, update

from arena.store.conditions import ACTIVE, QUEUED
from arena.store.rows import insert_many
from arena.store.states import Lane, Queue
from arena.store.tables import attempts, blocks, workers


@dataclass(frozen=True, slots=True)
class Leases:
    """Active attempts: how many, since when the oldest lives, and when the most silent one was last heard of."""

    active: int
    oldest: datetime | None
    silent_since: datetime | None


def see_worker(tx: Connection, name: str, queues: Collection[Queue], now: datetime) -> None:
    """Note that a worker is there."""
    if not tx.execute(update(workers).where(workers.c.name == name).values(seen_at=now)).rowcount:
        rows = [{"name": name, "queue": queue, "started_at": now, "seen_at": now} for queue in sorted(queues)]
        insert_many(tx, workers, rows)


def forget_worker(tx: Connection, name: str) -> None:
    """Note that a worker has ended."""
    tx.execute(delete(workers).where(workers.c.name == name))


def forget_silent(tx: Connection, before: datetime) -> int:
    """Forget the workers that were not heard of since; return how many rows that were."""
    return tx.execute(delete(workers).where(workers.c.seen_at < before)).rowcount


def count_workers(tx: Connection, since: datetime) -> dict[Queue, int]:
    """Return how many workers of each queue were heard of since."""
    query = select(workers.c.queue, func.count()).where(workers.c.seen_at >= since).group_by(workers.c.queue)
    found = {row[0]: row[1] for row in tx.execute(query)}
    return {queue: found.get(queue, 0) for queue in Queue}


def last_seen(tx: Connection) -> datetime | None:
    """Return when any worker said that it is there."""
    found: datetime | None = tx.scalar(select(func.max(workers.c.seen_at)))
    return found


def list_heads(tx: Connection) -> dict[tuple[Queue, Lane], datetime]:
    """Return of each lane with queued blocks since when the first of them could be claimed."""
    heads: dict[tuple[Queue, Lane], datetime] = {}
    for queue in Queue:
        for lane in Lane:
            first = select(blocks.c.not_before).where(QUEUED, blocks.c.queue == queue, blocks.c.lane == lane)
            found = tx.scalar(first.order_by(blocks.c.id).limit(1))
            if found is not None:
                heads[queue, lane] = found
    return heads


def read_leases(tx: Connection) -> Leases:
    """Return how the leases stand."""
    query = select(func.count(), func.min(attempts.c.claimed_at), func.min(attempts.c.beat_at)).where(ACTIVE)
    row = tx.execute(query).one()
    return Leases(row[0], row[1], row[2])
