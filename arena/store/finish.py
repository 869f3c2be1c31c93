"""Repository of results: writing a match's end and everything that becomes settled by it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, bindparam, func, insert, select, update
from sqlalchemy import text as sql

from arena.match.result import MatchEnd, MatchResult
from arena.store.climbing import count_deals
from arena.store.conditions import CLOSED
from arena.store.rows import insert_one
from arena.store.sending import lock, send
from arena.store.states import Format, MatchState, TournamentState
from arena.store.tables import (
    deals,
    late_results,
    match_logs,
    match_seats,
    matches,
    qualifications,
    seat_outputs,
    seat_times,
    tournaments,
    versions,
)


@dataclass(frozen=True, slots=True)
class MatchKeys:
    """What a match hangs on; result_digest is empty until it is final.

    versions: who sits there, by seat. failing: those of them that failed the match before. decides: the version about
    which its tournament decides, None for none. following: the first of its block's other matches that have no result.
    is_next: it is the next one in the ratings of all its participants, which it stays until it is folded: numbers are
    given in rising order, and only with its block are they taken back.
    """

    id: int
    block_id: int
    tournament_id: int
    deal_id: int
    pool_id: int
    versions: tuple[int, ...]
    failing: frozenset[int]
    decides: int | None
    state: MatchState
    result_digest: str
    following: int | None
    is_next: bool

    @property
    def seats(self) -> int:
        """How many play."""
        return len(self.versions)


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


# The statements of every record are put together once: that takes longer than having them carried out.
_LATER: Final = matches.alias("later")
_FOLLOWING: Final = (
    select(_LATER.c.id)
    .where(_LATER.c.block_id == matches.c.block_id, _LATER.c.state == MatchState.SCHEDULED, _LATER.c.id != matches.c.id)
    .order_by(_LATER.c.leg)
    .limit(1)
    .correlate(matches)
    .scalar_subquery()
)
_EARLIER: Final = match_seats.alias("earlier")
_WAITS: Final = (
    select(_EARLIER.c.match_id)
    .where(
        sql("NOT earlier.folded AND earlier.rating_seq IS NOT NULL"),  # as in the partial index
        _EARLIER.c.pool_id == match_seats.c.pool_id,
        _EARLIER.c.version_id == match_seats.c.version_id,
        _EARLIER.c.rating_seq < match_seats.c.rating_seq,
    )
    .correlate(match_seats)
    .exists()
)
_KEYS: Final = (
    select(
        matches.c.id,
        matches.c.block_id,
        matches.c.tournament_id,
        matches.c.deal_id,
        matches.c.pool_id,
        matches.c.state,
        matches.c.result_digest,
        matches.c.rating_seq,
        match_seats.c.version_id,
        versions.c.failed_in_row,
        qualifications.c.version_id.label("decides"),
        _FOLLOWING.label("following"),
        _WAITS.label("waits"),
    )
    .join(match_seats, match_seats.c.match_id == matches.c.id)
    .join(versions, versions.c.id == match_seats.c.version_id)
    .outerjoin(qualifications, qualifications.c.tournament_id == matches.c.tournament_id)
    .where(matches.c.id == bindparam("of_match"))
    .order_by(match_seats.c.seat)
)
_RESULT: Final = update(matches).where(matches.c.id == bindparam("of_match"))
_SEAT_RESULT: Final = update(match_seats).where(
    match_seats.c.match_id == bindparam("of_match"), match_seats.c.seat == bindparam("at")
)
_LOG: Final = insert(match_logs)
_OUTPUTS: Final = insert(seat_outputs)
_TIMES: Final = insert(seat_times)
# Locked, so that of two records that finish a deal's last two matches at once, the second sees the first.
_LOCK_DEAL: Final = select(deals.c.id).where(deals.c.id == bindparam("of_deal")).with_for_update(key_share=True)
_LEFT_OF_DEAL: Final = select(matches.c.id).where(
    matches.c.deal_id == bindparam("of_deal"), matches.c.state == MatchState.SCHEDULED
)
_OPEN: Final = (
    update(deals)
    .where(deals.c.id == bindparam("of_deal"), ~_LEFT_OF_DEAL.exists())
    .values(opened_at=func.coalesce(deals.c.opened_at, bindparam("now", type_=deals.c.opened_at.type)))
)
_TOURNAMENT: Final = (
    select(tournaments.c.state, tournaments.c.format, tournaments.c.deals)
    .where(tournaments.c.id == bindparam("of_tournament"))
    .with_for_update(key_share=True)
)
_CLOSED_DEAL: Final = select(deals.c.id).where(deals.c.tournament_id == bindparam("of_tournament"), CLOSED).limit(1)


def find_match(tx: Connection, match_id: int) -> MatchKeys | None:
    """Return what a match hangs on."""
    rows = tx.execute(_KEYS, {"of_match": match_id}).all()
    if not rows:
        return None
    row = rows[0]
    return MatchKeys(
        id=row.id,
        block_id=row.block_id,
        tournament_id=row.tournament_id,
        deal_id=row.deal_id,
        pool_id=row.pool_id,
        versions=tuple(one.version_id for one in rows),
        failing=frozenset(one.version_id for one in rows if one.failed_in_row),
        decides=row.decides,
        state=row.state,
        result_digest=row.result_digest,
        following=row.following,
        is_next=row.rating_seq is not None and not any(one.waits for one in rows),
    )


def write_result(
    tx: Connection,
    match_id: int,
    result: MatchResult,
    *,
    attempt: int,
    digest: str,
    sums: Sequence[SeatSums],
    folded: bool,
    now: datetime,
) -> None:
    """Make a match FINAL with its result; sums: one per seat. folded: its place in the rating order is consumed."""
    final = {
        "state": MatchState.FINAL,
        "attempt": attempt,
        "end": result.end,
        "reason": result.reason,
        "plies": result.plies,
        "result_digest": digest,
        "folded": folded,
        "finished_at": now,
    }
    send(tx, _RESULT, {"of_match": match_id, **final})
    rows = [
        {
            "of_match": match_id,
            "at": seat,
            "rank": result.ranks[seat],
            "score": result.scores[seat],
            "end": result.seat_ends[seat],
            "turns": one.turns,
            "answers": one.answers,
            "think_max_ms": one.think_max_ms,
            "think_total_ms": one.think_total_ms,
            "charged_total_ms": one.charged_total_ms,
            "folded": folded,
        }
        for seat, one in enumerate(sums)
    ]
    send(tx, _SEAT_RESULT, rows)


def write_aborted(tx: Connection, match_id: int, reason: str, now: datetime) -> None:
    """Make a match FINAL without a result: the platform could not play it, so nobody's seat has an end."""
    query = update(matches).where(matches.c.id == match_id)
    tx.execute(query.values(state=MatchState.FINAL, end=MatchEnd.ABORTED, reason=reason, finished_at=now))


def write_files(
    tx: Connection, match_id: int, log: StoredLog, outputs: Sequence[StoredOutput], times: Sequence[bytes]
) -> None:
    """Store the bytes that belong to a match."""
    send(tx, _LOG, {"match_id": match_id, "sha256": log.sha256, "size_bytes": log.size_bytes, "content": log.content})
    if outputs:
        rows = [
            {"match_id": match_id, "seat": seat, "truncated": one.truncated, "content": one.content}
            for seat, one in enumerate(outputs)
        ]
        send(tx, _OUTPUTS, rows)
    if times:
        send(tx, _TIMES, [{"match_id": match_id, "seat": seat, "content": one} for seat, one in enumerate(times)])


def keep_late(tx: Connection, match_id: int, attempt: int, result: str, log: bytes, *, now: datetime) -> None:
    """Keep a result that came after its lease was lost; result: as JSON, log: as zstd."""
    values = {"match_id": match_id, "attempt": attempt, "result": result, "log": log, "received_at": now}
    insert_one(tx, late_results, values)


def open_deal(tx: Connection, deal_id: int, now: datetime) -> bool:
    """Open a deal if all its matches are over; whether it is open now."""
    lock(tx, _LOCK_DEAL, {"of_deal": deal_id})
    return tx.execute(_OPEN, {"of_deal": deal_id, "now": now}).rowcount == 1


def finish_tournament(tx: Connection, tournament_id: int, now: datetime) -> Format | None:
    """Make a running or paused tournament FINISHED if all its deals are there and open; else return its format."""
    state, kind, planned = tx.execute(_TOURNAMENT, {"of_tournament": tournament_id}).one()
    if state not in {TournamentState.RUNNING, TournamentState.PAUSED}:
        return Format(kind)
    if tx.scalar(_CLOSED_DEAL, {"of_tournament": tournament_id}) is not None:
        return Format(kind)
    if kind is Format.LADDER:
        dealt = count_deals(tx, tournament_id)
        if not planned or dealt < planned:
            return Format.LADDER
    query_done = update(tournaments).where(tournaments.c.id == tournament_id)
    tx.execute(query_done.values(state=TournamentState.FINISHED, finished_at=now))
    return None
