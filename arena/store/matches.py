"""Repository for reading matches and the bytes that belong to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Row, Select, and_, select

from arena.store.paging import check_page, make_page
from arena.store.records import Match, MatchSeat, Page
from arena.store.states import AttemptState, MatchState
from arena.store.tables import (
    accounts,
    attempts,
    blocks,
    bots,
    component_files,
    deals,
    match_logs,
    match_seats,
    matches,
    pools,
    seat_outputs,
    seat_times,
    tournaments,
    versions,
)


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """Which matches a listing shows; empty fields match everything. running: see services.matches.list_matches."""

    tournament: str = ""
    game: str = ""
    bot: str = ""
    state: MatchState | None = None
    running: bool | None = None


def find_match(tx: Connection, match_id: int) -> Match | None:
    """Return a match with its seats."""
    row = tx.execute(_matches().where(matches.c.id == match_id)).one_or_none()
    return None if row is None else _match(row, _seats(tx, [row])[match_id])


def page_matches(tx: Connection, wanted: MatchFilter, page_size: int, page_token: str) -> Page[Match]:
    """List matches, newest first."""
    size, after = check_page(page_size, page_token, int)
    query = _filtered(_matches(), wanted).order_by(matches.c.id.desc()).limit(size + 1)
    if after:
        query = query.where(matches.c.id < after[0])
    rows = tx.execute(query).all()
    seats = _seats(tx, rows)
    return make_page(rows, size, lambda row: _match(row, seats[row.id]), lambda row: (row.id,))


def is_last_of_deal(tx: Connection, match_id: int) -> bool:
    """Whether no other match is still to be played on the deal of this one."""
    deal = select(matches.c.deal_id).where(matches.c.id == match_id).scalar_subquery()
    others = select(matches.c.id).where(
        matches.c.deal_id == deal, matches.c.state == MatchState.SCHEDULED, matches.c.id != match_id
    )
    return tx.execute(others.limit(1)).one_or_none() is None


def read_components(tx: Connection, match_id: int) -> str:
    """Return the text of the component file that a match is played with, "" for the game's own."""
    query = select(component_files.c.content).select_from(matches)
    query = query.join(tournaments, tournaments.c.id == matches.c.tournament_id)
    query = query.join(pools, pools.c.id == tournaments.c.pool_id)
    query = query.join(component_files, component_files.c.digest == pools.c.components_digest)
    return tx.execute(query.where(matches.c.id == match_id, tournaments.c.custom_components)).scalar_one_or_none() or ""


def read_log(tx: Connection, match_id: int) -> tuple[bytes, str] | None:
    """Return a log as zstd, and the sha256 of its text."""
    query = select(match_logs.c.content, match_logs.c.sha256).where(match_logs.c.match_id == match_id)
    row = tx.execute(query).one_or_none()
    return None if row is None else (bytes(row[0]), row[1])


def read_output(tx: Connection, match_id: int, seat: int) -> tuple[bytes, bool] | None:
    """Return what a seat's program printed as zstd, and whether it was cut."""
    columns = select(seat_outputs.c.content, seat_outputs.c.truncated)
    row = tx.execute(columns.where(seat_outputs.c.match_id == match_id, seat_outputs.c.seat == seat)).one_or_none()
    return None if row is None else (bytes(row[0]), row[1])


def read_times(tx: Connection, match_id: int, seat: int) -> bytes | None:
    """Return a seat's times as they are stored."""
    query = select(seat_times.c.content).where(seat_times.c.match_id == match_id, seat_times.c.seat == seat)
    content = tx.scalar(query)
    return None if content is None else bytes(content)


def _matches() -> Select[Any]:
    # An attempt at most is active per block, so the outer join adds no rows.
    playing = and_(attempts.c.match_id == matches.c.id, attempts.c.state == AttemptState.ACTIVE)
    columns = select(
        matches,
        tournaments.c.name.label("tournament"),
        pools.c.variant,
        pools.c.remote,
        deals.c.number.label("deal"),
        deals.c.opened_at,
        blocks.c.attempt.label("block_attempt"),
        attempts.c.id.label("attempt_id"),
        match_logs.c.sha256,
    )
    return (
        columns.join(tournaments, tournaments.c.id == matches.c.tournament_id)
        .join(pools, pools.c.id == matches.c.pool_id)
        .join(deals, deals.c.id == matches.c.deal_id)
        .join(blocks, blocks.c.id == matches.c.block_id)
        .outerjoin(attempts, playing)
        .outerjoin(match_logs, match_logs.c.match_id == matches.c.id)
    )


def _filtered(query: Select[Any], wanted: MatchFilter) -> Select[Any]:
    if wanted.tournament:
        named = select(tournaments.c.id).where(tournaments.c.name == wanted.tournament)
        query = query.where(matches.c.tournament_id == named.scalar_subquery())
    if wanted.game:
        query = query.where(matches.c.game == wanted.game)
    if wanted.bot:
        named = select(bots.c.id).where(bots.c.name == wanted.bot)
        # Starting from the bot's seats: asking every match whether the bot is in it would pass over all others.
        played = select(match_seats.c.match_id).where(match_seats.c.bot_id == named.scalar_subquery())
        query = query.where(matches.c.id.in_(played))
    if wanted.state is not None:
        query = query.where(matches.c.state == wanted.state)
    if wanted.running is not None:
        # Starting from the few active attempts; asking every match would pass over all that wait.
        active = select(attempts.c.match_id).where(
            attempts.c.state == AttemptState.ACTIVE, attempts.c.match_id.is_not(None)
        )
        running = matches.c.id.in_(active) if wanted.running else matches.c.id.not_in(active)
        query = query.where(running, matches.c.state == MatchState.SCHEDULED)
    return query


def _seats(tx: Connection, played: Sequence[Row[Any]]) -> dict[int, tuple[MatchSeat, ...]]:
    if not played:
        return {}
    is_open = {row.id: row.opened_at is not None for row in played}
    columns = select(match_seats, bots.c.name.label("bot"), versions.c.number, accounts.c.name.label("author"))
    query = columns.join(versions, versions.c.id == match_seats.c.version_id)
    query = query.join(bots, bots.c.id == versions.c.bot_id).join(accounts, accounts.c.id == bots.c.owner_id)
    query = query.where(match_seats.c.match_id.in_(is_open)).order_by(match_seats.c.match_id, match_seats.c.seat)
    rows = tx.execute(query)
    return {
        match_id: tuple(_seat(row, times=is_open[match_id]) for row in group)
        for match_id, group in groupby(rows, key=lambda row: row.match_id)
    }


def _match(row: Row[Any], seats: tuple[MatchSeat, ...]) -> Match:
    is_open = row.opened_at is not None
    return Match(
        id=row.id,
        tournament=row.tournament,
        game=row.game,
        variant=row.variant,
        deal=row.deal,
        leg=row.leg,
        state=row.state,
        running=row.state is MatchState.SCHEDULED and row.attempt_id is not None,
        end=row.end,
        reason=row.reason,
        plies=row.plies,
        attempts=row.block_attempt if row.attempt is None else row.attempt,
        deal_open=is_open,
        log_sha256=(row.sha256 or "") if is_open else "",
        rating_seq=row.rating_seq,
        finished_at=row.finished_at,
        seats=seats,
        remote=row.remote,
    )


def _seat(row: Any, *, times: bool) -> MatchSeat:
    """Read a seat; times: whether what it thought may be told, which in a closed deal nobody is."""
    return MatchSeat(
        seat=row.seat,
        version_id=row.version_id,
        bot=row.bot,
        version=row.number,
        author=row.author,
        rank=row.rank,
        score=row.score,
        end=row.end,
        turns=row.turns if times else 0,
        think_max_ms=row.think_max_ms if times else 0,
        think_total_ms=row.think_total_ms if times else 0,
        charged_total_ms=row.charged_total_ms if times else 0,
    )
