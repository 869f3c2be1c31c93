"""Repository of what keeps a tournament from going on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, exists, func, select

from arena.store.conditions import ABORTED, ACTIVE, LOST, QUEUED, UNFINISHED
from arena.store.states import AttemptState, BlockState, Queue
from arena.store.tables import attempts, blocks, bots, entries, lobby, matches, versions


@dataclass(frozen=True, slots=True)
class LostBlock:
    """A block that was lost and waits; lost: how often; reason: of the latest loss."""

    block_id: int
    lost: int
    reason: str
    not_before: datetime


@dataclass(frozen=True, slots=True)
class SilentWorker:
    """A block on lease of a worker that is not heard of; match_id: the one it was playing, if it has said."""

    block_id: int
    match_id: int | None
    worker: str
    heard_at: datetime
    lease_until: datetime


def list_lost(tx: Connection, tournament_id: int, limit: int) -> list[LostBlock]:
    """Return the queued blocks of a tournament that were lost before, in order."""
    query = select(blocks.c.id, blocks.c.lost, blocks.c.not_before).where(
        blocks.c.tournament_id == tournament_id, QUEUED, LOST
    )
    found = tx.execute(query.order_by(blocks.c.ordinal).limit(limit)).all()
    return [LostBlock(row.id, row.lost, _last_reason(tx, row.id), row.not_before) for row in found]


def list_aborted(tx: Connection, tournament_id: int, limit: int) -> list[tuple[int, str]]:
    """Return the id and reason of a tournament's aborted matches, newest first."""
    query = select(matches.c.id, matches.c.reason).where(matches.c.tournament_id == tournament_id, ABORTED)
    return [(row[0], row[1]) for row in tx.execute(query.order_by(matches.c.id.desc()).limit(limit))]


def list_absent(tx: Connection, tournament_id: int, limit: int) -> list[tuple[str, int]]:
    """Return name and version of those who are to play a tournament remotely and are not in the lobby, in order."""
    waits = exists().where(blocks.c.tournament_id == tournament_id, QUEUED, blocks.c.queue == Queue.REMOTE)
    query = (
        select(bots.c.name, versions.c.number)
        .select_from(entries)
        .join(lobby, lobby.c.version_id == entries.c.version_id)
        .join(versions, versions.c.id == entries.c.version_id)
        .join(bots, bots.c.id == versions.c.bot_id)
        .where(entries.c.tournament_id == tournament_id, entries.c.withdrawn_at.is_(None), lobby.c.desk_id.is_(None))
        .where(waits)
    )
    return [(row[0], row[1]) for row in tx.execute(query.order_by(entries.c.id).limit(limit))]


def list_silent(tx: Connection, tournament_id: int, before: datetime, limit: int) -> list[SilentWorker]:
    """Return the blocks of a tournament that are on lease of workers last heard of before a moment, oldest first."""
    columns = select(
        attempts.c.block_id, attempts.c.match_id, attempts.c.worker, attempts.c.beat_at, attempts.c.lease_until
    )
    query = columns.join(blocks, blocks.c.id == attempts.c.block_id)
    query = query.where(ACTIVE, blocks.c.tournament_id == tournament_id, attempts.c.beat_at < before)
    return [SilentWorker(*row) for row in tx.execute(query.order_by(attempts.c.lease_until).limit(limit))]


def waiting_since(tx: Connection, tournament_id: int) -> datetime | None:
    """Return since when the first queued block could be claimed; None if none waits."""
    query = select(func.min(blocks.c.not_before)).where(
        blocks.c.tournament_id == tournament_id, UNFINISHED, blocks.c.state == BlockState.QUEUED
    )
    found: datetime | None = tx.scalar(query)
    return found


def last_heard(tx: Connection) -> datetime | None:
    """Return when any worker last claimed, beat or recorded."""
    latest = select(func.max(attempts.c.id)).scalar_subquery()
    active = tx.scalar(select(func.max(attempts.c.beat_at)).where(ACTIVE))
    newest = tx.scalar(select(attempts.c.beat_at).where(attempts.c.id == latest))
    return max((at for at in (active, newest) if at is not None), default=None)


def _last_reason(tx: Connection, block_id: int) -> str:
    query = select(attempts.c.reason).where(attempts.c.block_id == block_id, attempts.c.state == AttemptState.LOST)
    return tx.scalar(query.order_by(attempts.c.number.desc()).limit(1)) or ""
