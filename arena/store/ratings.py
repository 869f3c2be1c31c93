"""Repository of ratings: what is next to be folded, what a fold changed, and leaderboards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Row, Select, and_, bindparam, func, insert, or_, select, update
from sqlalchemy import text as sql

from arena.match.result import MatchEnd, SeatEnd
from arena.store.paging import check_page, make_page
from arena.store.records import Page, Pool, RatingChange, RatingRow
from arena.store.sending import lock, send
from arena.store.states import MatchState
from arena.store.tables import accounts, bots, deals, match_seats, matches, pools, rating_changes, ratings, versions

# Spelled as in the partial index, which is not used otherwise.
_UNFOLDED = sql("NOT match_seats.folded AND match_seats.rating_seq IS NOT NULL")

_RERATE = (
    update(ratings)
    .where(ratings.c.pool_id == bindparam("of_pool"), ratings.c.version_id == bindparam("of_version"))
    .values(
        matches=ratings.c.matches + 1,
        rank_sum=ratings.c.rank_sum + bindparam("its_rank"),
        forfeits=ratings.c.forfeits + bindparam("its_forfeits"),
        mu=bindparam("new_mu"),
        sigma=bindparam("new_sigma"),
        score=bindparam("new_score"),
    )
)

# The statements of every fold are put together once: that takes longer than having them carried out.
_LOCK: Final = select(pools.c.id).where(pools.c.id == bindparam("of_pool")).with_for_update(key_share=True)
_UNFOLDED_OF: Final = (_UNFOLDED, match_seats.c.pool_id == bindparam("of_pool"))
_NEXT: Final = (
    select(match_seats.c.match_id, match_seats.c.rating_seq, matches.c.state)
    .join(matches, matches.c.id == match_seats.c.match_id)
    .where(*_UNFOLDED_OF, match_seats.c.version_id == bindparam("of_version"))
    .order_by(match_seats.c.rating_seq)
    .limit(1)
)
_SEATED: Final = match_seats.alias("seated")
_FIRST: Final = (
    select(match_seats.c.rating_seq)
    .where(*_UNFOLDED_OF, match_seats.c.version_id == _SEATED.c.version_id)
    .order_by(match_seats.c.rating_seq)
    .limit(1)
    .correlate(_SEATED)
    .scalar_subquery()
)
_NEXT_SEQ: Final = (
    select(match_seats.c.rating_seq)
    .where(
        *_UNFOLDED_OF,
        match_seats.c.version_id == _SEATED.c.version_id,
        match_seats.c.rating_seq > _SEATED.c.rating_seq,
    )
    .order_by(match_seats.c.rating_seq)
    .limit(1)
    .correlate(_SEATED)
    .scalar_subquery()
)
_LATER: Final = matches.alias("later")
_NEXT_FINAL: Final = (
    select(_LATER.c.id)
    .where(
        _LATER.c.pool_id == bindparam("of_pool"),
        _LATER.c.rating_seq == _NEXT_SEQ,
        _LATER.c.state == MatchState.FINAL,
    )
    .correlate(_SEATED)
    .scalar_subquery()
)
_FINAL: Final = (
    select(
        matches.c.rating_seq,
        matches.c.end,
        matches.c.finished_at,
        _SEATED.c.version_id,
        _SEATED.c.bot_id,
        _SEATED.c.rank,
        _SEATED.c.end.label("seat_end"),
        _SEATED.c.answers,
        ratings.c.mu,
        ratings.c.sigma,
        pools.c.draw_probability,
        _FIRST.label("first"),
        _NEXT_FINAL.label("next_final"),
    )
    .join(pools, pools.c.id == matches.c.pool_id)
    .join(_SEATED, _SEATED.c.match_id == matches.c.id)
    .join(ratings, and_(ratings.c.pool_id == bindparam("of_pool"), ratings.c.version_id == _SEATED.c.version_id))
    .where(
        matches.c.id == bindparam("of_match"),
        matches.c.state == MatchState.FINAL,
        matches.c.rating_seq.is_not(None),
        matches.c.folded == bindparam("marked"),
    )
    .order_by(_SEATED.c.seat)
)
_FOLD: Final = update(matches).where(matches.c.id == bindparam("of_match")).values(folded=True)
_FOLD_SEATS: Final = update(match_seats).where(match_seats.c.match_id == bindparam("of_match")).values(folded=True)
_CHANGE: Final = insert(rating_changes).inline()  # nobody asks for the id of a single one


@dataclass(frozen=True, slots=True)
class Next:
    """The match a version's rating waits for."""

    match_id: int
    rating_seq: int
    final: bool


@dataclass(frozen=True, slots=True)
class Believed:
    """A rating as stored."""

    mu: float
    sigma: float


@dataclass(frozen=True, slots=True)
class FinalMatch:
    """A final match as the fold reads it; versions, bots, ranks, ends and ratings before it in seat order.

    absent: the seats that forfeited without having made a choice. draw_probability: of its pool. later: the matches
    that are next in the participants' ratings after it and have a result, the one made first coming first.
    """

    id: int
    rating_seq: int
    end: MatchEnd
    finished_at: datetime
    versions: tuple[int, ...]
    bots: tuple[int, ...]
    ranks: tuple[int, ...]
    ends: tuple[SeatEnd | None, ...]
    absent: frozenset[int]
    before: tuple[Believed, ...]
    draw_probability: float
    later: tuple[int, ...]


def lock_pool(tx: Connection, pool_id: int) -> None:
    """Let nobody else fold in this pool until the transaction ends.

    Two records at once would otherwise each miss the other's match and leave both unfolded.
    """
    lock(tx, _LOCK, {"of_pool": pool_id})


def next_unfolded(tx: Connection, pool_id: int, version_id: int) -> Next | None:
    """Return the unfolded match of a version with the lowest rating_seq."""
    row = tx.execute(_NEXT, {"of_pool": pool_id, "of_version": version_id}).one_or_none()
    return None if row is None else Next(row[0], row[1], row[2] is MatchState.FINAL)


def read_next(tx: Connection, pool_id: int, match_id: int, *, marked: bool) -> FinalMatch | None:
    """Return a match if it is final, rated, not yet folded, and next in the ratings of all its participants.

    marked: it is marked as folded, by somebody who knows that it is next.
    """
    rows = tx.execute(_FINAL, {"of_pool": pool_id, "of_match": match_id, "marked": marked}).all()
    if not rows or not (marked or all(row.first == row.rating_seq for row in rows)):
        return None
    return FinalMatch(
        id=match_id,
        rating_seq=rows[0].rating_seq,
        end=rows[0].end,
        finished_at=rows[0].finished_at,
        versions=tuple(row.version_id for row in rows),
        bots=tuple(row.bot_id for row in rows),
        ranks=tuple(row.rank for row in rows),
        ends=tuple(row.seat_end for row in rows),
        absent=frozenset(
            seat for seat, row in enumerate(rows) if row.answers == 0 and row.seat_end is not SeatEnd.PLAYED
        ),
        before=tuple(Believed(row.mu, row.sigma) for row in rows),
        draw_probability=rows[0].draw_probability,
        later=tuple(sorted({row.next_final for row in rows} - {None})),
    )


def mark_folded(tx: Connection, match_id: int) -> None:
    """Consume a match's place in the order."""
    send(tx, _FOLD, {"of_match": match_id})
    send(tx, _FOLD_SEATS, {"of_match": match_id})


def write_fold(
    tx: Connection,
    pool_id: int,
    match: FinalMatch,
    after: Sequence[tuple[float, float, float]],
) -> None:
    """Store the ratings after a rated match, and what it changed; after: (mu, sigma, score) in seat order."""
    rows = [
        {
            "of_pool": pool_id,
            "of_version": version_id,
            "its_rank": match.ranks[seat],
            "its_forfeits": int(match.ends[seat] is not SeatEnd.PLAYED),
            "new_mu": after[seat][0],
            "new_sigma": after[seat][1],
            "new_score": after[seat][2],
        }
        for seat, version_id in enumerate(match.versions)
    ]
    send(tx, _RERATE, rows)
    changes = [
        {
            "match_id": match.id,
            "version_id": version_id,
            "bot_id": match.bots[seat],
            "pool_id": pool_id,
            "rating_seq": match.rating_seq,
            "rank": match.ranks[seat],
            "mu_before": match.before[seat].mu,
            "sigma_before": match.before[seat].sigma,
            "mu_after": after[seat][0],
            "sigma_after": after[seat][1],
            "finished_at": match.finished_at,
        }
        for seat, version_id in enumerate(match.versions)
    ]
    send(tx, _CHANGE, changes)


def find_pool(tx: Connection, pool_id: int) -> Pool | None:
    """Return a pool."""
    row = tx.execute(select(pools).where(pools.c.id == pool_id)).one_or_none()
    return None if row is None else _pool(row)


def page_pools(tx: Connection, game: str, page_size: int, page_token: str) -> Page[Pool]:
    """List the pools that have ratings in order of their making, every game's ("") or one game's."""
    size, after = check_page(page_size, page_token, int)
    rated = select(ratings.c.version_id).where(ratings.c.pool_id == pools.c.id)
    query = select(pools).where(rated.exists()).order_by(pools.c.id).limit(size + 1)
    if game:
        query = query.where(pools.c.game == game)
    if after:
        query = query.where(pools.c.id > after[0])
    return make_page(tx.execute(query).all(), size, _pool, lambda row: (row.id,))


def page_leaderboard(tx: Connection, pool_id: int, page_size: int, page_token: str) -> Page[RatingRow]:
    """List a pool's ratings, highest score first, the older version first among equals."""
    size, after = check_page(page_size, page_token, float, int)
    query = _of_pool(pool_id).order_by(ratings.c.score.desc(), ratings.c.version_id).limit(size + 1)
    if after:
        below = and_(ratings.c.score == after[0], ratings.c.version_id > after[1])
        query = query.where(ratings.c.score <= after[0], or_(ratings.c.score < after[0], below))
    rows = tx.execute(query).all()
    waiting = _pending(tx, pool_id, [row.version_id for row in rows])
    # Equal scores share a place; later rows count on from the first of the page.
    place_of: dict[float, int] = {}
    if rows:
        higher = select(func.count()).where(ratings.c.pool_id == pool_id, ratings.c.score > rows[0].score)
        first = int(tx.scalar(higher) or 0) + 1
        before = select(func.count()).where(
            ratings.c.pool_id == pool_id, ratings.c.score == rows[0].score, ratings.c.version_id < rows[0].version_id
        )
        shared = int(tx.scalar(before) or 0)
        for number, row in enumerate(rows):
            place_of.setdefault(row.score, first + number + (shared if row.score != rows[0].score else 0))
    return make_page(
        rows,
        size,
        lambda row: _rating(row, place_of[row.score], waiting.get(row.version_id, 0)),
        lambda row: (row.score, row.version_id),
    )


def read_rows(tx: Connection, pool_id: int, version_ids: Sequence[int]) -> tuple[RatingRow, ...]:
    """Return these versions' lines of a pool's leaderboard, in their order; who is not in the pool is left out."""
    others = ratings.alias()
    ahead = select(func.count()).where(others.c.pool_id == pool_id, others.c.score > ratings.c.score)
    query = _of_pool(pool_id).where(ratings.c.version_id.in_(version_ids))
    found = {row.version_id: row for row in tx.execute(query.add_columns(ahead.scalar_subquery().label("ahead")))}
    waiting = _pending(tx, pool_id, list(found))
    return tuple(_rating(found[one], found[one].ahead + 1, waiting.get(one, 0)) for one in version_ids if one in found)


def page_changes(
    tx: Connection,
    bot: str,
    *,
    version: int,
    pool_id: int,
    page_size: int,
    page_token: str,
    only_open: bool = False,
) -> Page[RatingChange]:
    """List what matches changed for a bot, newest first; version 0: all, pool_id 0: all; only_open: of open deals."""
    size, after = check_page(page_size, page_token, int)
    columns = select(rating_changes, bots.c.name.label("bot"), versions.c.number)
    query = columns.join(versions, versions.c.id == rating_changes.c.version_id)
    query = query.join(bots, bots.c.id == rating_changes.c.bot_id)
    query = query.order_by(rating_changes.c.id.desc()).limit(size + 1)
    bot_id = select(bots.c.id).where(bots.c.name == bot).scalar_subquery()
    if version:
        of_version = select(versions.c.id).where(versions.c.bot_id == bot_id, versions.c.number == version)
        query = query.where(rating_changes.c.version_id == of_version.scalar_subquery())
    else:
        query = query.where(rating_changes.c.bot_id == bot_id)
    if pool_id:
        query = query.where(rating_changes.c.pool_id == pool_id)
    if only_open:
        query = query.join(matches, matches.c.id == rating_changes.c.match_id)
        query = query.join(deals, deals.c.id == matches.c.deal_id).where(deals.c.opened_at.is_not(None))
    if after:
        query = query.where(rating_changes.c.id < after[0])
    return make_page(tx.execute(query).all(), size, _change, lambda row: (row.id,))


def _of_pool(pool_id: int) -> Select[Any]:
    columns = select(ratings, bots.c.name.label("bot"), versions.c.number, accounts.c.name.label("author"))
    query = columns.join(versions, versions.c.id == ratings.c.version_id).join(bots, bots.c.id == versions.c.bot_id)
    return query.join(accounts, accounts.c.id == bots.c.owner_id).where(ratings.c.pool_id == pool_id)


def _pending(tx: Connection, pool_id: int, version_ids: list[int]) -> dict[int, int]:
    """Return how many rated matches of each version are not folded yet."""
    if not version_ids:
        return {}
    query = select(match_seats.c.version_id, func.count()).where(
        _UNFOLDED, match_seats.c.pool_id == pool_id, match_seats.c.version_id.in_(version_ids)
    )
    return {row[0]: row[1] for row in tx.execute(query.group_by(match_seats.c.version_id))}


def _pool(row: Row[Any]) -> Pool:
    return Pool(
        id=row.id,
        game=row.game,
        variant=row.variant,
        seats=row.seats,
        rules_version=row.rules_version,
        components_digest=row.components_digest,
        remote=row.remote,
        draw_probability=row.draw_probability,
    )


def _rating(row: Row[Any], place: int, pending: int) -> RatingRow:
    return RatingRow(
        place=place,
        version_id=row.version_id,
        bot=row.bot,
        version=row.number,
        author=row.author,
        mu=row.mu,
        sigma=row.sigma,
        score=row.score,
        matches=row.matches,
        pending=pending,
        mean_rank=row.rank_sum / row.matches if row.matches else 0.0,
        forfeits=row.forfeits,
    )


def _change(row: Row[Any]) -> RatingChange:
    return RatingChange(
        bot=row.bot,
        version=row.number,
        pool_id=row.pool_id,
        rating_seq=row.rating_seq,
        match_id=row.match_id,
        rank=row.rank,
        mu_before=row.mu_before,
        sigma_before=row.sigma_before,
        mu_after=row.mu_after,
        sigma_after=row.sigma_after,
        finished_at=row.finished_at,
    )
