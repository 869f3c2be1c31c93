"""Repository of the queue: claiming blocks, heartbeats, and finding what is lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, case, func, insert, or_, select, update

from arena.store.conditions import ACTIVE, QUEUED
from arena.store.records import Claim, Leg, LegSeat
from arena.store.states import AttemptState, BlockState, Lane, MatchState, Queue, TournamentState
from arena.store.tables import (
    attempts,
    blocks,
    bots,
    component_files,
    deals,
    match_seats,
    matches,
    pools,
    tournaments,
    versions,
)


@dataclass(frozen=True, slots=True)
class LostAttempt:
    """An attempt just made LOST, and the first match of its block that has no result while it was being tried.

    match_id: None when the block has nothing left to play. lost: of the block, this one included.
    """

    block_id: int
    attempt: int
    match_id: int | None
    match_lost: int
    lost: int


def count_queued(
    tx: Connection, queue: Queue, now: datetime, most: int, only: ColumnElement[bool] | None = None
) -> int:
    """Return how many blocks could be claimed now, counting no further than most; only: of those it holds for."""
    found = select(blocks.c.id).where(QUEUED, blocks.c.queue == queue, blocks.c.not_before <= now).limit(most)
    if only is not None:
        found = found.where(only)
    return int(tx.scalar(select(func.count()).select_from(found.subquery())) or 0)


def count_claims(tx: Connection) -> int:
    """Return a number that grows with every claim."""
    return tx.scalar(select(func.max(attempts.c.id))) or 0


def list_played_pools(tx: Connection) -> list[tuple[int, str, int, str]]:
    """Return (id, game, rules version, components digest) of the pools that running tournaments play in."""
    of_running = select(tournaments.c.pool_id).where(tournaments.c.state == TournamentState.RUNNING)
    columns = select(pools.c.id, pools.c.game, pools.c.rules_version, pools.c.components_digest)
    return [(row[0], row[1], row[2], row[3]) for row in tx.execute(columns.where(pools.c.id.in_(of_running)))]


def claim_block(
    tx: Connection,
    queue: Queue,
    lane: Lane,
    worker: str,
    *,
    now: datetime,
    lease_until: datetime,
    without_pools: Sequence[int] = (),
    only: ColumnElement[bool] | None = None,
) -> tuple[int, int] | None:
    """Take the lowest queued block of a lane whose wait is over; return its id and the attempt's number, or None.

    without_pools: blocks of these pools cannot be played by the caller. only: which blocks, of them.
    """
    # SKIP LOCKED lets workers claim side by side on PostgreSQL; SQLite, with one writer at a time, leaves it out.
    lowest = select(blocks.c.id).where(QUEUED, blocks.c.queue == queue, blocks.c.lane == lane)
    lowest = lowest.where(blocks.c.not_before <= now)
    if only is not None:
        lowest = lowest.where(only)
    if without_pools:
        theirs = select(tournaments.c.id).where(tournaments.c.pool_id.in_(without_pools))
        lowest = lowest.where(blocks.c.tournament_id.not_in(theirs))
    lowest = lowest.order_by(blocks.c.id).limit(1).with_for_update(skip_locked=True).correlate(None)
    query = (
        update(blocks)
        .where(blocks.c.id == lowest.scalar_subquery(), QUEUED)
        .values(state=BlockState.CLAIMED, attempt=blocks.c.attempt + 1)
        .returning(blocks.c.id, blocks.c.attempt)
    )
    row = tx.execute(query).one_or_none()
    if row is None:
        return None
    values = {
        "block_id": row.id,
        "number": row.attempt,
        "state": AttemptState.ACTIVE,
        "worker": worker,
        "claimed_at": now,
        "beat_at": now,
        "lease_until": lease_until,
        "ply": 0,
        "progressed_at": now,
        "reason": "",
    }
    tx.execute(insert(attempts).values(values))
    return row.id, row.attempt


def read_claim(tx: Connection, block_id: int, attempt: int, lease_until: datetime) -> Claim:
    """Return everything a worker needs to play what is left of a block."""
    columns = select(
        blocks.c.queue,
        tournaments.c.name,
        tournaments.c.clock,
        pools.c.game,
        pools.c.variant,
        pools.c.rules_version,
        component_files.c.content,
    ).select_from(blocks)
    query = (
        columns.join(tournaments)
        .join(pools)
        .outerjoin(
            component_files,
            (component_files.c.digest == pools.c.components_digest) & tournaments.c.custom_components,
        )
    )
    facts = tx.execute(query.where(blocks.c.id == block_id)).one()
    return Claim(
        block_id=block_id,
        attempt=attempt,
        lease_until=lease_until,
        queue=facts.queue,
        tournament=facts.name,
        game=facts.game,
        variant=facts.variant,
        rules_version=facts.rules_version,
        components=facts.content or "",
        clock=facts.clock,
        legs=_legs(tx, block_id),
    )


def beat(
    tx: Connection,
    block_id: int,
    attempt: int,
    *,
    now: datetime,
    lease_until: datetime,
    progress: tuple[int, int, datetime | None] | None,
) -> bool:
    """Prolong an active attempt's lease; False if it is not active. progress: match, ply, its deadline."""
    match_id, ply, deadline = progress or (None, 0, None)
    # The deadline of a ply stays the first one told, so that a worker that only repeats it is noticed.
    same = (attempts.c.match_id == match_id) & (attempts.c.ply == ply)
    values = {
        "beat_at": now,
        "lease_until": lease_until,
        "match_id": match_id,
        "ply": ply,
        "deadline": case((same, attempts.c.deadline), else_=deadline) if progress else None,
        "progressed_at": case((same, attempts.c.progressed_at), else_=now) if progress else now,
    }
    return tx.execute(update(attempts).where(*_is_active(block_id, attempt)).values(values)).rowcount == 1


def end_attempt(tx: Connection, block_id: int, attempt: int, state: AttemptState, reason: str = "") -> bool:
    """End an active attempt; False if it is not active (any more)."""
    query = update(attempts).where(*_is_active(block_id, attempt)).values(state=state, reason=reason, deadline=None)
    return tx.execute(query).rowcount == 1


def touch_attempt(tx: Connection, block_id: int, attempt: int, now: datetime, lease_until: datetime) -> bool:
    """Prolong an active attempt's lease between matches, and lock it; False if it is not active."""
    return beat(tx, block_id, attempt, now=now, lease_until=lease_until, progress=None)


def find_dead(tx: Connection, now: datetime, stalled_before: datetime, limit: int) -> list[tuple[int, int, str]]:
    """Return (block, attempt, why) of attempts with a lease that is over or a deadline from before stalled_before."""
    dead = or_(attempts.c.lease_until < now, attempts.c.deadline < stalled_before)
    columns = select(attempts.c.block_id, attempts.c.number, attempts.c.lease_until < now, attempts.c.ply)
    query = columns.where(ACTIVE, dead).order_by(attempts.c.lease_until).limit(limit)
    return [
        (row[0], row[1], "no heartbeat came in time" if row[2] else f"ply {row[3]} stood still past its deadline")
        for row in tx.execute(query)
    ]


def list_active(tx: Connection) -> list[tuple[int, int]]:
    """Return (block, attempt) of every attempt that has not ended, the oldest first."""
    query = select(attempts.c.block_id, attempts.c.number).where(ACTIVE).order_by(attempts.c.id)
    return [(row[0], row[1]) for row in tx.execute(query)]


def lose_if_dead(
    tx: Connection, block_id: int, attempt: int, *, now: datetime, stalled_before: datetime, reason: str
) -> bool:
    """Make an attempt LOST if it is still as dead as it was found; False if it has recovered or ended meanwhile."""
    dead = or_(attempts.c.lease_until < now, attempts.c.deadline < stalled_before)
    query = update(attempts).where(*_is_active(block_id, attempt), dead)
    return tx.execute(query.values(state=AttemptState.LOST, reason=reason, deadline=None)).rowcount == 1


def count_loss(tx: Connection, block_id: int, attempt: int, match_id: int | None) -> LostAttempt:
    """Count a loss to the block and to the match that was being played, as far as that is known and not final."""
    playing = match_id or tx.scalar(
        select(attempts.c.match_id).where(attempts.c.block_id == block_id, attempts.c.number == attempt)
    )
    left = list(tx.scalars(_unplayed(block_id)))
    culprit = playing if playing in left else next(iter(left), None)
    lost = tx.execute(
        update(blocks).where(blocks.c.id == block_id).values(lost=blocks.c.lost + 1).returning(blocks.c.lost)
    ).scalar_one()
    match_lost = 0
    if culprit is not None:
        query = update(matches).where(matches.c.id == culprit).values(lost=matches.c.lost + 1)
        match_lost = tx.execute(query.returning(matches.c.lost)).scalar_one()
    return LostAttempt(block_id, attempt, culprit, match_lost, lost)


def requeue(tx: Connection, block_id: int, not_before: datetime) -> None:
    """Put a claimed block back into the queue."""
    query = update(blocks).where(blocks.c.id == block_id, blocks.c.state == BlockState.CLAIMED)
    tx.execute(query.values(state=BlockState.QUEUED, not_before=not_before))


def read_state(tx: Connection, block_id: int) -> TournamentState:
    """Return where the tournament of a block stands."""
    query = select(tournaments.c.state).join(blocks, blocks.c.tournament_id == tournaments.c.id)
    return TournamentState(tx.execute(query.where(blocks.c.id == block_id)).scalar_one())


def read_owner(tx: Connection, block_id: int) -> tuple[int, int]:
    """Return the ids of the tournament and the pool of a block."""
    query = select(tournaments.c.id, tournaments.c.pool_id).join(blocks, blocks.c.tournament_id == tournaments.c.id)
    row = tx.execute(query.where(blocks.c.id == block_id)).one()
    return row[0], row[1]


def finish_block(tx: Connection, block_id: int) -> bool:
    """Make a block DONE if it has nothing left to play; whether it is."""
    if tx.scalar(_unplayed(block_id).limit(1)) is not None:
        return False
    tx.execute(update(blocks).where(blocks.c.id == block_id).values(state=BlockState.DONE))
    return True


def is_done(tx: Connection, block_id: int) -> bool:
    """Whether a block has nothing left to play."""
    return tx.execute(select(blocks.c.state).where(blocks.c.id == block_id)).scalar_one() is BlockState.DONE


def _is_active(block_id: int, attempt: int) -> tuple[Any, ...]:
    return (attempts.c.block_id == block_id, attempts.c.number == attempt, attempts.c.state == AttemptState.ACTIVE)


def _unplayed(block_id: int) -> Select[Any]:
    query = select(matches.c.id).where(matches.c.block_id == block_id, matches.c.state == MatchState.SCHEDULED)
    return query.order_by(matches.c.leg)


def _legs(tx: Connection, block_id: int) -> tuple[Leg, ...]:
    columns = select(
        matches.c.id,
        matches.c.leg,
        deals.c.seed,
        versions.c.id.label("version_id"),
        bots.c.name,
        versions.c.number,
        versions.c.sha256,
        versions.c.manifest,
        versions.c.remote,
    ).select_from(matches)
    query = columns.join(deals).join(match_seats, match_seats.c.match_id == matches.c.id)
    query = query.join(versions, versions.c.id == match_seats.c.version_id).join(bots, bots.c.id == versions.c.bot_id)
    query = query.where(matches.c.block_id == block_id, matches.c.state == MatchState.SCHEDULED)
    rows = tx.execute(query.order_by(matches.c.leg, match_seats.c.seat)).all()
    by_match: dict[int, list[Any]] = {}
    for row in rows:
        by_match.setdefault(row.id, []).append(row)
    return tuple(
        Leg(
            match_id,
            seats[0].leg,
            bytes(seats[0].seed),
            tuple(
                LegSeat(seat.version_id, seat.name, seat.number, seat.sha256, seat.manifest, seat.remote)
                for seat in seats
            ),
        )
        for match_id, seats in by_match.items()
    )
