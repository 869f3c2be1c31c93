"""Repository of what the pages about bots are made of: a pool's matches, think times, trends, who met whom.

Nothing of a closed deal is read here, however its matches ended.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Select, case, func, select

from arena.match.result import MatchEnd
from arena.store.states import MatchState
from arena.store.tables import bots, deals, match_seats, matches, rating_changes, ratings, tournaments, versions


@dataclass(frozen=True, slots=True)
class PoolMatch:
    """A rated match that counts; players: version ids in seat order. deal: its id, not its number."""

    block: int
    deal: int
    players: tuple[int, ...]
    ranks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """A rating after a match."""

    version: int
    match_id: int
    rank: int
    mu: float
    sigma: float
    finished_at: datetime


@dataclass(frozen=True, slots=True)
class Opponent:
    """What a bot's rated matches against another bot came to, seen from the first."""

    bot: str
    wins: int
    ties: int
    losses: int

    @property
    def matches(self) -> int:
        """All of them."""
        return self.wins + self.ties + self.losses


@dataclass(frozen=True, slots=True)
class MetLeg:
    """A match in which two versions met: both ranks, and where it belongs."""

    match_id: int
    pool_id: int
    block: int
    leg: int
    tournament: str
    deal: int
    end: MatchEnd
    ranks: tuple[int, int]
    seats: tuple[int, int]


def read_sizes(tx: Connection, pool_ids: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Return how many versions each pool rates, and how many seats of matches they were rated by."""
    query = select(ratings.c.pool_id, func.count(), func.sum(ratings.c.matches)).where(ratings.c.pool_id.in_(pool_ids))
    return {row[0]: (row[1], int(row[2])) for row in tx.execute(query.group_by(ratings.c.pool_id))}


def read_stamp(tx: Connection, pool_id: int) -> tuple[int, int]:
    """Return two numbers that grow whenever what is read of a pool changes: rated seats folded, open deals."""
    folded = select(func.coalesce(func.sum(ratings.c.matches), 0)).where(ratings.c.pool_id == pool_id)
    of_pool = select(func.count()).select_from(deals).join(tournaments, tournaments.c.id == deals.c.tournament_id)
    is_open = of_pool.where(tournaments.c.pool_id == pool_id, deals.c.opened_at.is_not(None))
    return int(tx.scalar(folded) or 0), int(tx.scalar(is_open) or 0)


def read_pool_matches(tx: Connection, pool_id: int, most: int) -> Iterator[PoolMatch]:
    """Read a pool's rated matches, at most so many, the latest by rating_seq."""
    latest = _counted(select(matches.c.id), pool_id).order_by(matches.c.rating_seq.desc()).limit(most)
    columns = select(matches.c.id, matches.c.block_id, matches.c.deal_id, match_seats.c.version_id, match_seats.c.rank)
    query = columns.join(match_seats, match_seats.c.match_id == matches.c.id).where(matches.c.id.in_(latest))
    rows = tx.execute(query.order_by(matches.c.id, match_seats.c.seat))
    for _, group in groupby(rows, key=lambda row: row[0]):
        seats = list(group)
        yield PoolMatch(
            seats[0].block_id,
            seats[0].deal_id,
            tuple(seat.version_id for seat in seats),
            tuple(seat.rank for seat in seats),
        )


def read_mean_thinking(tx: Connection, pool_id: int) -> dict[int, float]:
    """Return how many milliseconds a turn of each version took in the mean, by version id."""
    thought = func.sum(match_seats.c.think_total_ms) * 1.0 / func.sum(match_seats.c.turns)
    query = select(match_seats.c.version_id, thought).select_from(matches)
    query = _counted(query.join(match_seats, match_seats.c.match_id == matches.c.id), pool_id)
    query = query.group_by(match_seats.c.version_id).having(func.sum(match_seats.c.turns) > 0)
    return {row[0]: float(row[1]) for row in tx.execute(query)}


def read_trends(tx: Connection, pool_id: int, version_ids: Sequence[int], length: int) -> dict[int, list[float]]:
    """Return the scores after the last matches of each version, oldest first; length: at most so many."""
    place = func.row_number().over(partition_by=rating_changes.c.version_id, order_by=rating_changes.c.id.desc())
    score = rating_changes.c.mu_after - 3 * rating_changes.c.sigma_after
    query = _of_open_deals(
        select(rating_changes.c.version_id, score.label("score"), place.label("place")).join(
            matches, matches.c.id == rating_changes.c.match_id
        )
    ).where(rating_changes.c.pool_id == pool_id, rating_changes.c.version_id.in_(version_ids))
    last = query.subquery()
    found: dict[int, list[float]] = {}
    for row in tx.execute(select(last).where(last.c.place <= length).order_by(last.c.version_id, last.c.place.desc())):
        found.setdefault(row.version_id, []).append(row.score)
    return found


def read_steps(tx: Connection, bot: str, pool_id: int, most: int) -> list[Step]:
    """Return what each match made of a bot's ratings in a pool, in the order of folding; the latest so many."""
    columns = select(rating_changes, versions.c.number).join(versions, versions.c.id == rating_changes.c.version_id)
    columns = columns.join(bots, bots.c.id == rating_changes.c.bot_id)
    query = _of_open_deals(columns.join(matches, matches.c.id == rating_changes.c.match_id))
    query = query.where(bots.c.name == bot, rating_changes.c.pool_id == pool_id)
    rows = tx.execute(query.order_by(rating_changes.c.id.desc()).limit(most)).all()
    return [
        Step(row.number, row.match_id, row.rank, row.mu_after, row.sigma_after, row.finished_at) for row in rows[::-1]
    ]


def read_pools_of(tx: Connection, bot: str) -> list[tuple[int, int]]:
    """Return (pool id, version id) wherever a version of a bot has a rating."""
    query = select(ratings.c.pool_id, ratings.c.version_id).join(versions, versions.c.id == ratings.c.version_id)
    query = query.join(bots, bots.c.id == versions.c.bot_id).where(bots.c.name == bot)
    return [(row[0], row[1]) for row in tx.execute(query.order_by(ratings.c.pool_id, versions.c.number.desc()))]


def read_opponents(tx: Connection, bot: str, pool_id: int, most: int) -> list[Opponent]:
    """Return whom a bot met in a pool's rated matches, most often met first, at most so many."""
    mine, theirs = match_seats.alias("mine"), match_seats.alias("theirs")
    met = func.count()
    wins = func.sum(case((mine.c.rank < theirs.c.rank, 1), else_=0))
    losses = func.sum(case((mine.c.rank > theirs.c.rank, 1), else_=0))
    own = select(bots.c.id).where(bots.c.name == bot).scalar_subquery()
    query = select(bots.c.name, met.label("met"), wins.label("wins"), losses.label("losses")).select_from(mine)
    query = query.join(theirs, theirs.c.match_id == mine.c.match_id).join(bots, bots.c.id == theirs.c.bot_id)
    query = _counted(query.join(matches, matches.c.id == mine.c.match_id), pool_id)
    query = query.where(mine.c.bot_id == own, theirs.c.bot_id != own)
    rows = tx.execute(query.group_by(bots.c.name).order_by(met.desc(), bots.c.name).limit(most))
    return [Opponent(row.name, row.wins, row.met - row.wins - row.losses, row.losses) for row in rows]


def read_met(tx: Connection, one: Sequence[int], other: Sequence[int], most: int) -> list[MetLeg]:
    """Return the latest matches of rated play in which one of each list of version ids had seats, newest first."""
    first, second = match_seats.alias("first"), match_seats.alias("second")
    columns = select(
        matches,
        tournaments.c.name.label("tournament"),
        deals.c.number,
        first.c.rank,
        first.c.seat,
        second.c.rank.label("other_rank"),
        second.c.seat.label("other_seat"),
    )
    query = columns.select_from(first).join(second, second.c.match_id == first.c.match_id)
    query = query.join(matches, matches.c.id == first.c.match_id)
    query = _of_open_deals(query.join(tournaments, tournaments.c.id == matches.c.tournament_id))
    query = query.where(
        first.c.version_id.in_(one),
        second.c.version_id.in_(other),
        matches.c.state == MatchState.FINAL,
        tournaments.c.rated,
    )
    return [
        MetLeg(
            match_id=row.id,
            pool_id=row.pool_id,
            block=row.block_id,
            leg=row.leg,
            tournament=row.tournament,
            deal=row.number,
            end=row.end,
            ranks=(row.rank, row.other_rank),
            seats=(row.seat, row.other_seat),
        )
        for row in tx.execute(query.order_by(matches.c.id.desc()).limit(most))
    ]


def _counted(query: Select[Any], pool_id: int) -> Select[Any]:
    """Keep the rated matches of a pool that are over and whose deals are open."""
    return _of_open_deals(query).where(
        matches.c.pool_id == pool_id,
        matches.c.rating_seq.is_not(None),
        matches.c.state == MatchState.FINAL,
        matches.c.end.in_((MatchEnd.COMPLETED, MatchEnd.FORFEIT)),
    )


def _of_open_deals(query: Select[Any]) -> Select[Any]:
    return query.join(deals, deals.c.id == matches.c.deal_id).where(deals.c.opened_at.is_not(None))
