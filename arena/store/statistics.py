"""Repository of what statistics are made of: final matches of open deals, schedules, think times, predictions.

Nothing of a closed deal is read here, however its matches ended.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Select, and_, func, select

from arena.ladder.balance import Planned
from arena.ladder.standings import Played, Thinking
from arena.match.result import MatchEnd
from arena.store.states import MatchState
from arena.store.tables import bots, deals, match_seats, matches, rating_changes, seat_times, tournaments, versions


@dataclass(frozen=True, slots=True)
class Believed:
    """A rated match with its seats' ratings before it: (mu, sigma) and rank, in seat order."""

    block: int
    before: tuple[tuple[float, float], ...]
    ranks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Meeting:
    """A final match with two bots among its seats: their ranks, and whether it was COMPLETED."""

    block: int
    pool_id: int
    completed: bool
    ranks: tuple[int, int]


def read_played(tx: Connection, tournament_id: int) -> Iterator[Played[int]]:
    """Read every final match of a tournament's open deals, in order, with version ids as players."""
    columns = select(
        matches.c.id,
        matches.c.block_id,
        deals.c.number,
        matches.c.end,
        match_seats.c.version_id,
        match_seats.c.rank,
        match_seats.c.end.label("seat_end"),
        match_seats.c.turns,
        match_seats.c.think_total_ms,
        match_seats.c.think_max_ms,
    ).join(match_seats, match_seats.c.match_id == matches.c.id)
    query = _of_open_deals(columns).where(matches.c.tournament_id == tournament_id, matches.c.state == MatchState.FINAL)
    rows = tx.execute(query.order_by(matches.c.id, match_seats.c.seat))
    for _, group in groupby(rows, key=lambda row: row[0]):
        seats = list(group)
        yield Played(
            end=seats[0].end,
            players=tuple(seat.version_id for seat in seats),
            ranks=tuple(seat.rank for seat in seats),
            seat_ends=tuple(seat.seat_end for seat in seats),
            block=seats[0].block_id,
            deal=seats[0].number,
            thinking=tuple(Thinking(seat.turns, seat.think_total_ms, seat.think_max_ms) for seat in seats),
        )


def count_closed(tx: Connection, tournament_id: int) -> int:
    """Return how many final matches of a tournament belong to closed deals."""
    query = select(func.count()).select_from(matches).join(deals, deals.c.id == matches.c.deal_id)
    return int(
        tx.scalar(
            query.where(
                matches.c.tournament_id == tournament_id,
                matches.c.state == MatchState.FINAL,
                deals.c.opened_at.is_(None),
            )
        )
        or 0
    )


def read_planned(tx: Connection, tournament_id: int) -> Iterator[Planned[int]]:
    """Read every match of a tournament's schedule that was played or will be, in order."""
    columns = select(matches.c.id, deals.c.number, match_seats.c.version_id)
    query = columns.join(match_seats, match_seats.c.match_id == matches.c.id).join(
        deals, deals.c.id == matches.c.deal_id
    )
    query = query.where(matches.c.tournament_id == tournament_id, matches.c.state != MatchState.CANCELLED)
    rows = tx.execute(query.order_by(matches.c.id, match_seats.c.seat))
    for _, group in groupby(rows, key=lambda row: row[0]):
        seats = list(group)
        yield Planned(seats[0].number, tuple(seat.version_id for seat in seats))


def read_times(tx: Connection, tournament_id: int) -> Iterator[tuple[int, bytes]]:
    """Read (version id, times as they are stored) of every seat of a tournament's open deals."""
    columns = select(match_seats.c.version_id, seat_times.c.content).select_from(matches)
    of_seat = and_(seat_times.c.match_id == match_seats.c.match_id, seat_times.c.seat == match_seats.c.seat)
    query = columns.join(match_seats, match_seats.c.match_id == matches.c.id).join(seat_times, of_seat)
    for row in tx.execute(_of_open_deals(query).where(matches.c.tournament_id == tournament_id)):
        yield row[0], bytes(row[1])


def read_meetings(
    tx: Connection, one: Sequence[int], other: Sequence[int], *, tournament: str = ""
) -> Iterator[Meeting]:
    """Read the final matches of rated play on open deals in which a version of one and one of the other had seats.

    one, other: version ids. tournament: only those of the one with this name.
    """
    first, second = match_seats.alias("first"), match_seats.alias("second")
    columns: Select[Any] = select(
        matches.c.block_id,
        matches.c.pool_id,
        matches.c.leg,
        matches.c.end,
        first.c.rank,
        second.c.rank.label("other_rank"),
    )
    query = (
        columns.select_from(first)
        .join(second, second.c.match_id == first.c.match_id)
        .join(matches, matches.c.id == first.c.match_id)
    )
    query = _of_open_deals(query.join(tournaments, tournaments.c.id == matches.c.tournament_id)).where(
        # Seats are found by bot; the versions alone would be looked for in all seats there are.
        first.c.bot_id.in_(select(versions.c.bot_id).where(versions.c.id.in_(one))),
        first.c.version_id.in_(one),
        second.c.version_id.in_(other),
        matches.c.state == MatchState.FINAL,
        tournaments.c.rated,
    )
    if tournament:
        query = query.where(tournaments.c.name == tournament)
    for row in tx.execute(query.order_by(matches.c.pool_id, matches.c.block_id, matches.c.leg)):
        completed = row.end is MatchEnd.COMPLETED
        yield Meeting(row.block_id, row.pool_id, completed, (row.rank, row.other_rank))


def read_version_ids(tx: Connection, bot: str, version: int) -> list[int]:
    """Return the ids of a bot's versions; version 0: all of them."""
    query = select(versions.c.id).join(bots, bots.c.id == versions.c.bot_id).where(bots.c.name == bot)
    if version:
        query = query.where(versions.c.number == version)
    return list(tx.scalars(query.order_by(versions.c.id)))


def read_predictions(tx: Connection, pool_id: int) -> Iterator[Believed]:
    """Read every rated, COMPLETED match of a pool's open deals in order of rating_seq."""
    columns = select(
        rating_changes.c.match_id,
        matches.c.block_id,
        rating_changes.c.mu_before,
        rating_changes.c.sigma_before,
        rating_changes.c.rank,
    ).join(matches, matches.c.id == rating_changes.c.match_id)
    # The matches lead: they have an index by pool and number.
    rated = matches.c.pool_id == pool_id, matches.c.rating_seq.is_not(None), matches.c.end == MatchEnd.COMPLETED
    rows = tx.execute(_of_open_deals(columns).where(*rated).order_by(matches.c.rating_seq, rating_changes.c.id))
    for _, group in groupby(rows, key=lambda row: row[0]):
        seats = list(group)
        yield Believed(
            block=seats[0].block_id,
            before=tuple((seat.mu_before, seat.sigma_before) for seat in seats),
            ranks=tuple(seat.rank for seat in seats),
        )


def _of_open_deals(query: Select[Any]) -> Select[Any]:
    return query.join(deals, deals.c.id == matches.c.deal_id).where(deals.c.opened_at.is_not(None))
