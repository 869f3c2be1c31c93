"""Repository of the queue: heartbeats, the end of blocks, and finding what is lost."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, bindparam, case, func, or_, select, update

from arena.store.conditions import ACTIVE, QUEUED
from arena.store.sending import send
from arena.store.states import AttemptState, BlockState, MatchState, Queue, TournamentState
from arena.store.tables import attempts, blocks, matches, pools, tournaments


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


# The statements around every match are put together once: that takes longer than having them carried out.
_COUNTED: Final = select(blocks.c.id).where(
    QUEUED, blocks.c.queue == bindparam("of_queue"), blocks.c.not_before <= bindparam("now")
)
_CLAIMS: Final = select(func.max(attempts.c.id)).scalar_subquery()
_PLAYED_POOLS: Final = select(
    pools.c.id, pools.c.game, pools.c.rules_version, pools.c.components_digest, _CLAIMS.label("claims")
).where(pools.c.id.in_(select(tournaments.c.pool_id).where(tournaments.c.state == TournamentState.RUNNING)))
_IS_ACTIVE: Final = (
    attempts.c.block_id == bindparam("of_block"),
    attempts.c.number == bindparam("attempt"),
    attempts.c.state == AttemptState.ACTIVE,
)
_END: Final = update(attempts).where(*_IS_ACTIVE)
# The deadline of a ply stays the first one told, so that a worker that only repeats it is noticed.
_SAME_PLY: Final = (attempts.c.match_id == bindparam("at_match")) & (attempts.c.ply == bindparam("at_ply"))
_TOLD: Final = bindparam("told", type_=attempts.c.deadline.type)
_BEAT: Final = (
    update(attempts)
    .where(*_IS_ACTIVE)
    .values(
        beat_at=bindparam("now"),
        lease_until=bindparam("until"),
        match_id=bindparam("at_match"),
        ply=bindparam("at_ply"),
        deadline=case((_SAME_PLY, func.coalesce(attempts.c.deadline, _TOLD)), else_=_TOLD),
        progressed_at=case(
            (_SAME_PLY, attempts.c.progressed_at), else_=bindparam("now", type_=attempts.c.beat_at.type)
        ),
    )
)
_TOUCH: Final = (
    update(attempts)
    .where(*_IS_ACTIVE)
    .values(
        beat_at=bindparam("now"),
        lease_until=bindparam("until"),
        match_id=bindparam("next_match"),
        ply=0,
        deadline=None,
        progressed_at=bindparam("now"),
    )
)
_PASS_ON: Final = update(attempts).where(*_IS_ACTIVE).values(match_id=bindparam("next_match"))
_UNPLAYED: Final = (
    select(matches.c.id)
    .where(matches.c.block_id == bindparam("of_block"), matches.c.state == MatchState.SCHEDULED)
    .order_by(matches.c.leg)
)
_FINISH: Final = update(blocks).where(blocks.c.id == bindparam("of_block")).values(state=BlockState.DONE)


def count_queued(
    tx: Connection, queue: Queue, now: datetime, most: int, only: ColumnElement[bool] | None = None
) -> int:
    """Return how many blocks could be claimed now, counting no further than most; only: of those it holds for."""
    found = (_COUNTED if only is None else _COUNTED.where(only)).limit(most)
    query = select(func.count()).select_from(found.subquery())
    return int(tx.scalar(query, {"of_queue": queue, "now": now}) or 0)


def read_turn(tx: Connection) -> tuple[int, list[tuple[int, str, int, str]]]:
    """Return a number that grows with every claim, and the pools that running tournaments play in.

    Pools: (id, game, rules version, components digest). The number is 0 where there are none.
    """
    rows = tx.execute(_PLAYED_POOLS).all()
    return (rows[0].claims or 0) if rows else 0, [(row[0], row[1], row[2], row[3]) for row in rows]


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
    of = {"of_block": block_id, "attempt": attempt, "now": now, "until": lease_until}
    if progress is None:
        return tx.execute(_TOUCH, {**of, "next_match": None}).rowcount == 1
    match_id, ply, deadline = progress
    return tx.execute(_BEAT, {**of, "at_match": match_id, "at_ply": ply, "told": deadline}).rowcount == 1


def end_attempt(tx: Connection, block_id: int, attempt: int, state: AttemptState, reason: str = "") -> bool:
    """End an active attempt; False if it is not active (any more)."""
    of = {"of_block": block_id, "attempt": attempt}
    return tx.execute(_END, {**of, "state": state, "reason": reason, "deadline": None}).rowcount == 1


def touch_attempt(
    tx: Connection, block_id: int, attempt: int, now: datetime, lease_until: datetime, *, following: int | None
) -> bool:
    """Prolong an active attempt's lease between matches, and lock it; False if it is not active.

    following: the match that it plays next.
    """
    of = {"of_block": block_id, "attempt": attempt, "now": now, "until": lease_until, "next_match": following}
    return tx.execute(_TOUCH, of).rowcount == 1


def pass_on(tx: Connection, block_id: int, attempt: int, match_id: int) -> None:
    """Say which match an active attempt plays next."""
    send(tx, _PASS_ON, {"of_block": block_id, "attempt": attempt, "next_match": match_id})


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
    left = list(tx.scalars(_UNPLAYED, {"of_block": block_id}))
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


def finish_block(tx: Connection, block_id: int, attempt: int) -> None:
    """Make a block DONE that has nothing left to play, and its attempt, if that is active."""
    send(tx, _FINISH, {"of_block": block_id})
    done = {"state": AttemptState.DONE, "reason": "", "deadline": None}
    send(tx, _END, {"of_block": block_id, "attempt": attempt, **done})


def is_done(tx: Connection, block_id: int) -> bool:
    """Whether a block has nothing left to play."""
    return tx.execute(select(blocks.c.state).where(blocks.c.id == block_id)).scalar_one() is BlockState.DONE


def _is_active(block_id: int, attempt: int) -> tuple[Any, ...]:
    return (attempts.c.block_id == block_id, attempts.c.number == attempt, attempts.c.state == AttemptState.ACTIVE)
