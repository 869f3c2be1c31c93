"""Repository of claims: taking a queued block, and what a worker needs to play it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Select, bindparam, insert, literal_column, select, update
from sqlalchemy.sql.dml import ReturningUpdate

from arena.store.conditions import QUEUED
from arena.store.records import Claim, Leg, LegSeat
from arena.store.states import AttemptState, BlockState, Lane, MatchState, Queue
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

# The statements of every claim are put together once: that takes longer than having them carried out.
_LOWEST: Final = select(blocks.c.id).where(
    QUEUED,
    blocks.c.queue == bindparam("of_queue"),
    blocks.c.lane == bindparam("of_lane"),
    blocks.c.not_before <= bindparam("now"),
)


def _taking(lowest: Select[Any]) -> ReturningUpdate[Any]:
    # SKIP LOCKED lets workers claim side by side on PostgreSQL; SQLite, with one writer at a time, leaves it out.
    one = lowest.order_by(blocks.c.id).limit(1).with_for_update(skip_locked=True).correlate(None)
    taken = update(blocks).where(blocks.c.id == one.scalar_subquery(), QUEUED)
    return taken.values(state=BlockState.CLAIMED, attempt=blocks.c.attempt + 1).returning(blocks.c.id, blocks.c.attempt)


_TAKE: Final = _taking(_LOWEST)
_OTHERS: Final = blocks.alias("others")
_MORE: Final = (
    select(_OTHERS.c.id)
    .where(
        _OTHERS.c.state == literal_column(f"'{BlockState.QUEUED}'"),
        _OTHERS.c.queue == Queue.HOSTED,
        _OTHERS.c.not_before <= bindparam("now"),
    )
    .exists()
)
_CLAIMED: Final = (
    select(
        blocks.c.queue,
        tournaments.c.name,
        tournaments.c.clock,
        pools.c.game,
        pools.c.variant,
        pools.c.rules_version,
        component_files.c.content,
        _MORE.label("more"),
    )
    .select_from(blocks)
    .join(tournaments)
    .join(pools)
    .outerjoin(
        component_files,
        (component_files.c.digest == pools.c.components_digest) & tournaments.c.custom_components,
    )
    .where(blocks.c.id == bindparam("of_block"))
)
_LEGS: Final = (
    select(
        matches.c.id,
        matches.c.leg,
        deals.c.seed,
        versions.c.id.label("version_id"),
        bots.c.name,
        versions.c.number,
        versions.c.sha256,
        versions.c.manifest,
        versions.c.remote,
    )
    .select_from(matches)
    .join(deals)
    .join(match_seats, match_seats.c.match_id == matches.c.id)
    .join(versions, versions.c.id == match_seats.c.version_id)
    .join(bots, bots.c.id == versions.c.bot_id)
    .where(matches.c.block_id == bindparam("of_block"), matches.c.state == MatchState.SCHEDULED)
    .order_by(matches.c.leg, match_seats.c.seat)
)
_BEGIN: Final = insert(attempts)


def claim_block(
    tx: Connection,
    queue: Queue,
    lane: Lane,
    *,
    now: datetime,
    without_pools: Sequence[int] = (),
    only: ColumnElement[bool] | None = None,
) -> tuple[int, int] | None:
    """Take the lowest queued block of a lane whose wait is over; return its id and the attempt's number, or None.

    without_pools: blocks of these pools cannot be played by the caller. only: which blocks, of them.
    """
    lowest = _LOWEST if only is None else _LOWEST.where(only)
    if without_pools:
        theirs = select(tournaments.c.id).where(tournaments.c.pool_id.in_(without_pools))
        lowest = lowest.where(blocks.c.tournament_id.not_in(theirs))
    query = _TAKE if lowest is _LOWEST else _taking(lowest)
    row = tx.execute(query, {"of_queue": queue, "of_lane": lane, "now": now}).one_or_none()
    return None if row is None else (row.id, row.attempt)


def read_claim(tx: Connection, block_id: int, attempt: int, now: datetime, lease_until: datetime) -> Claim:
    """Return everything a worker needs to play what is left of a block."""
    facts = tx.execute(_CLAIMED, {"of_block": block_id, "now": now}).one()
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
        more=facts.more,
    )


def begin_attempt(tx: Connection, claim: Claim, worker: str, now: datetime) -> None:
    """Put a claim on lease, and say that its first match is what is played."""
    values = {
        "block_id": claim.block_id,
        "number": claim.attempt,
        "state": AttemptState.ACTIVE,
        "worker": worker,
        "claimed_at": now,
        "beat_at": now,
        "lease_until": claim.lease_until,
        "match_id": claim.legs[0].match_id if claim.legs else None,
        "ply": 0,
        "progressed_at": now,
        "reason": "",
    }
    tx.execute(_BEGIN, values)


def _legs(tx: Connection, block_id: int) -> tuple[Leg, ...]:
    rows = tx.execute(_LEGS, {"of_block": block_id}).all()
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
