"""Repository of what may be thrown away: the bytes of matches that nothing needs any more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, Table, func, or_, select, update

from arena.store.states import MatchState, TournamentState
from arena.store.tables import deals, late_results, match_logs, matches, seat_outputs, tournaments

GONE = b""
"""What stands for bytes that were thrown away: zstd never gives so few."""


@dataclass(frozen=True, slots=True)
class Taken:
    """How many were thrown away, and their size as stored."""

    count: int
    size_bytes: int


NOTHING: Final = Taken(0, 0)


def list_prunable(tx: Connection, before: datetime, after_id: int, limit: int) -> tuple[list[int], int]:
    """Return the ids of old matches whose bytes nobody needs, among the next `limit` final ones; and the last id seen.

    Old: over before a moment, in a tournament that is over, on a deal that is open, with nothing left to rate.
    """
    final = select(matches.c.id).where(matches.c.state == MatchState.FINAL, matches.c.id > after_id)
    seen = list(tx.scalars(final.order_by(matches.c.id).limit(limit)))
    if not seen:
        return [], after_id
    over = tournaments.c.state.in_((TournamentState.FINISHED, TournamentState.CANCELLED))
    query = (
        select(matches.c.id)
        .join(deals, deals.c.id == matches.c.deal_id)
        .join(tournaments, tournaments.c.id == matches.c.tournament_id)
        .where(matches.c.id.in_(seen), matches.c.finished_at < before, deals.c.opened_at < before, over)
        .where(or_(matches.c.rating_seq.is_(None), matches.c.folded))
    )
    return list(tx.scalars(query)), seen[-1]


def measure_logs(tx: Connection, match_ids: Sequence[int]) -> Taken:
    """Return how much the logs of these matches are."""
    return _measure(tx, match_logs, match_ids)


def measure_outputs(tx: Connection, match_ids: Sequence[int]) -> Taken:
    """Return how much the bots of these matches printed."""
    return _measure(tx, seat_outputs, match_ids)


def empty_logs(tx: Connection, match_ids: Sequence[int]) -> None:
    """Throw the logs of these matches away, also those that came too late; sha256 and size stay."""
    tx.execute(update(match_logs).where(match_logs.c.match_id.in_(match_ids)).values(content=GONE))
    tx.execute(update(late_results).where(late_results.c.match_id.in_(match_ids)).values(log=GONE))


def empty_outputs(tx: Connection, match_ids: Sequence[int]) -> None:
    """Throw away what the bots of these matches printed."""
    tx.execute(update(seat_outputs).where(seat_outputs.c.match_id.in_(match_ids)).values(content=GONE))


def _measure(tx: Connection, table: Table, match_ids: Sequence[int]) -> Taken:
    query = select(func.count(), func.coalesce(func.sum(func.length(table.c.content)), 0))
    row = tx.execute(query.where(table.c.match_id.in_(match_ids), func.length(table.c.content) > 0)).one()
    return Taken(row[0], int(row[1]))
