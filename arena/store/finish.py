"""Repository of results: writing a match's end and everything that becomes settled by it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, bindparam, select, update

from arena.match.result import MatchEnd, MatchResult
from arena.store.climbing import count_deals
from arena.store.conditions import CLOSED
from arena.store.rows import insert_many, insert_one
from arena.store.states import Format, MatchState, TournamentState
from arena.store.tables import (
    deals,
    late_results,
    match_logs,
    match_seats,
    matches,
    seat_outputs,
    seat_times,
    tournaments,
)


@dataclass(frozen=True, slots=True)
class MatchKeys:
    """What a match hangs on; result_digest is empty until it is final."""

    id: int
    block_id: int
    tournament_id: int
    deal_id: int
    pool_id: int
    seats: int
    state: MatchState
    result_digest: str


@dataclass(frozen=True, slots=True)
class SeatSums:
    """How one seat used its time: asked turns, choices made (None: not counted), and milliseconds."""

    turns: int
    answers: int | None
    think_max_ms: int
    think_total_ms: int
    charged_total_ms: int


@dataclass(frozen=True, slots=True)
class StoredLog:
    """A log as it is stored: content is zstd, sha256 and size are of the plain text."""

    sha256: str
    size_bytes: int
    content: bytes


@dataclass(frozen=True, slots=True)
class StoredOutput:
    """What a seat's program printed, as zstd."""

    content: bytes
    truncated: bool


def find_match(tx: Connection, match_id: int) -> MatchKeys | None:
    """Return what a match hangs on."""
    columns = select(
        matches.c.id,
        matches.c.block_id,
        matches.c.tournament_id,
        matches.c.deal_id,
        matches.c.pool_id,
        matches.c.state,
        matches.c.result_digest,
    )
    row = tx.execute(columns.where(matches.c.id == match_id)).one_or_none()
    if row is None:
        return None
    seats = len(tx.execute(select(match_seats.c.seat).where(match_seats.c.match_id == match_id)).all())
    return MatchKeys(
        id=row.id,
        block_id=row.block_id,
        tournament_id=row.tournament_id,
        deal_id=row.deal_id,
        pool_id=row.pool_id,
        seats=seats,
        state=row.state,
        result_digest=row.result_digest,
    )


def list_versions(tx: Connection, match_id: int) -> list[int]:
    """Return who sits in a match, by seat."""
    query = select(match_seats.c.version_id).where(match_seats.c.match_id == match_id).order_by(match_seats.c.seat)
    return list(tx.scalars(query))


def write_result(
    tx: Connection,
    match_id: int,
    result: MatchResult,
    *,
    attempt: int,
    digest: str,
    sums: Sequence[SeatSums],
    now: datetime,
) -> None:
    """Make a match FINAL with its result; sums: one per seat."""
    query = update(matches).where(matches.c.id == match_id)
    tx.execute(
        query.values(
            state=MatchState.FINAL,
            attempt=attempt,
            end=result.end,
            reason=result.reason,
            plies=result.plies,
            result_digest=digest,
            finished_at=now,
        )
    )
    rows = [
        {
            "at": seat,
            "rank": result.ranks[seat],
            "score": result.scores[seat],
            "end": result.seat_ends[seat],
            "turns": one.turns,
            "answers": one.answers,
            "think_max_ms": one.think_max_ms,
            "think_total_ms": one.think_total_ms,
            "charged_total_ms": one.charged_total_ms,
        }
        for seat, one in enumerate(sums)
    ]
    tx.execute(
        update(match_seats).where(match_seats.c.match_id == match_id, match_seats.c.seat == bindparam("at")), rows
    )


def write_aborted(tx: Connection, match_id: int, reason: str, now: datetime) -> None:
    """Make a match FINAL without a result: the platform could not play it, so nobody's seat has an end."""
    query = update(matches).where(matches.c.id == match_id)
    tx.execute(query.values(state=MatchState.FINAL, end=MatchEnd.ABORTED, reason=reason, finished_at=now))


def write_files(
    tx: Connection, match_id: int, log: StoredLog, outputs: Sequence[StoredOutput], times: Sequence[bytes]
) -> None:
    """Store the bytes that belong to a match."""
    log_row = {"match_id": match_id, "sha256": log.sha256, "size_bytes": log.size_bytes, "content": log.content}
    insert_many(tx, match_logs, [log_row])
    output_rows = [
        {"match_id": match_id, "seat": seat, "truncated": one.truncated, "content": one.content}
        for seat, one in enumerate(outputs)
    ]
    insert_many(tx, seat_outputs, output_rows)
    insert_many(
        tx, seat_times, [{"match_id": match_id, "seat": seat, "content": one} for seat, one in enumerate(times)]
    )


def keep_late(tx: Connection, match_id: int, attempt: int, result: str, log: bytes, *, now: datetime) -> None:
    """Keep a result that came after its lease was lost; result: as JSON, log: as zstd."""
    values = {"match_id": match_id, "attempt": attempt, "result": result, "log": log, "received_at": now}
    insert_one(tx, late_results, values)


def open_deal(tx: Connection, deal_id: int, now: datetime) -> bool:
    """Open a deal if all its matches are over; whether it is open now.

    The deal's row is locked first: of two records that finish its last two matches at once, the second sees the first.
    """
    tx.execute(select(deals.c.id).where(deals.c.id == deal_id).with_for_update(key_share=True))
    left = select(matches.c.id).where(matches.c.deal_id == deal_id, matches.c.state == MatchState.SCHEDULED).limit(1)
    if tx.scalar(left) is not None:
        return False
    tx.execute(update(deals).where(deals.c.id == deal_id, deals.c.opened_at.is_(None)).values(opened_at=now))
    return True


def finish_tournament(tx: Connection, tournament_id: int, now: datetime) -> bool:
    """Make a running or paused tournament FINISHED if all its deals are there and open; whether it is."""
    columns = select(tournaments.c.state, tournaments.c.format, tournaments.c.deals)
    query = columns.where(tournaments.c.id == tournament_id).with_for_update(key_share=True)
    state, kind, planned = tx.execute(query).one()
    if state not in {TournamentState.RUNNING, TournamentState.PAUSED}:
        return False
    closed = select(deals.c.id).where(deals.c.tournament_id == tournament_id, CLOSED).limit(1)
    if tx.scalar(closed) is not None:
        return False
    if kind is Format.LADDER:
        dealt = count_deals(tx, tournament_id)
        if not planned or dealt < planned:
            return False
    query_done = update(tournaments).where(tournaments.c.id == tournament_id)
    tx.execute(query_done.values(state=TournamentState.FINISHED, finished_at=now))
    return True
