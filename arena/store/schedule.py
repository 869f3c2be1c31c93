"""Repository of what is to be played: writing a tournament's blocks and matches in one go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from sqlalchemy import Connection, bindparam, func, select, update

from arena.store.records import Tournament
from arena.store.rows import BATCH, insert_in_order, insert_many
from arena.store.states import BlockState, Lane, MatchState, Queue
from arena.store.tables import blocks, match_seats, matches, pools, ratings, versions


@dataclass(frozen=True, slots=True)
class PlannedBlock:
    """A block to be stored; legs: version ids in seat order, one tuple a leg. queue: which workers can play it."""

    deal_id: int
    legs: tuple[tuple[int, ...], ...]
    queue: Queue = Queue.HOSTED


@dataclass(frozen=True, slots=True)
class FirstRating:
    """What a version that is new to a pool starts with."""

    mu: float
    sigma: float
    score: float


def insert_blocks(
    tx: Connection,
    tournament: Tournament,
    planned: Iterable[PlannedBlock],
    now: datetime,
    *,
    lane: Lane = Lane.TOURNAMENT,
    held: bool = False,
) -> int:
    """Store blocks with their matches and seats; return how many matches.

    They are queued and, where the tournament is rated, numbered for rating in order; held: neither, until the
    tournament goes on.
    """
    seq = _lock_numbers(tx, tournament.pool_id) if tournament.rated else 0
    owner = _BotsOfVersions(tx)
    last = tx.scalar(select(func.max(blocks.c.ordinal)).where(blocks.c.tournament_id == tournament.id))
    ordinal = 0 if last is None else last + 1
    total = 0
    for batch in _batches(planned):
        block_rows = [
            {
                "tournament_id": tournament.id,
                "ordinal": ordinal + number,
                "queue": block.queue,
                "state": BlockState.HELD if held else BlockState.QUEUED,
                "attempt": 0,
                "lost": 0,
                "not_before": now,
                "lane": lane,
            }
            for number, block in enumerate(batch)
        ]
        ordinal += len(batch)
        block_ids = insert_in_order(tx, blocks, block_rows, within="tournament_id", by="ordinal")
        match_rows = [
            _match_row(tournament, block_id, block.deal_id, leg)
            for block_id, block in zip(block_ids, batch, strict=True)
            for leg in range(1, len(block.legs) + 1)
        ]
        for row in match_rows:
            row["rating_seq"] = None if held or not tournament.rated else seq + total
            total += 1
        match_ids = _insert_matches(tx, match_rows)
        legs = [leg for block in batch for leg in block.legs]
        insert_many(tx, match_seats, list(_seat_rows(match_rows, match_ids, legs, owner)))
    if tournament.rated and not held:
        tx.execute(update(pools).where(pools.c.id == tournament.pool_id).values(next_seq=seq + total))
    return total


def number_matches(tx: Connection, tournament: Tournament) -> None:
    """Number for rating, in order, every scheduled match of a rated tournament that has no number."""
    seq = _lock_numbers(tx, tournament.pool_id)
    waiting = (
        matches.c.tournament_id == tournament.id,
        matches.c.state == MatchState.SCHEDULED,
        matches.c.rating_seq.is_(None),
    )
    found = list(tx.scalars(select(matches.c.id).where(*waiting).order_by(matches.c.block_id, matches.c.leg)))
    if not (found and tournament.rated):
        return
    numbers = [{"of_match": match_id, "seq": seq + at} for at, match_id in enumerate(found)]
    for table, column in ((matches, matches.c.id), (match_seats, match_seats.c.match_id)):
        tx.execute(update(table).where(column == bindparam("of_match")).values(rating_seq=bindparam("seq")), numbers)
    tx.execute(update(pools).where(pools.c.id == tournament.pool_id).values(next_seq=seq + len(found)))


def insert_first_ratings(tx: Connection, pool_id: int, version_ids: Sequence[int], first: FirstRating) -> None:
    """Give every version that has no rating in the pool its first one; the caller holds the pool's lock."""
    known = set(tx.scalars(select(ratings.c.version_id).where(ratings.c.pool_id == pool_id)))
    rows = [
        {
            "pool_id": pool_id,
            "version_id": version_id,
            "mu": first.mu,
            "sigma": first.sigma,
            "score": first.score,
            "matches": 0,
            "rank_sum": 0,
            "forfeits": 0,
        }
        for version_id in version_ids
        if version_id not in known
    ]
    insert_many(tx, ratings, rows)


class _BotsOfVersions:
    """Looks up which bot a version belongs to, each once."""

    def __init__(self, tx: Connection) -> None:
        self._tx = tx
        self._known: dict[int, int] = {}

    def __getitem__(self, version_id: int) -> int:
        if version_id not in self._known:
            query = select(versions.c.bot_id).where(versions.c.id == version_id)
            self._known[version_id] = self._tx.execute(query).scalar_one()
        return self._known[version_id]


def _lock_numbers(tx: Connection, pool_id: int) -> int:
    """Return a pool's next rating number; its row is locked, so that numbers are given without gaps or repetition."""
    query = select(pools.c.next_seq).where(pools.c.id == pool_id).with_for_update(key_share=True)
    return int(tx.execute(query).scalar_one())


def _match_row(tournament: Tournament, block_id: int, deal_id: int, leg: int) -> dict[str, Any]:
    return {
        "block_id": block_id,
        "tournament_id": tournament.id,
        "deal_id": deal_id,
        "pool_id": tournament.pool_id,
        "game": tournament.game,
        "leg": leg,
        "state": MatchState.SCHEDULED,
        "folded": False,
        "lost": 0,
        "reason": "",
        "plies": 0,
        "result_digest": "",
    }


def _insert_matches(tx: Connection, rows: list[dict[str, Any]]) -> list[int]:
    """Insert matches of one tournament, whose blocks are in ascending order, and return their ids."""
    insert_many(tx, matches, rows)
    query = select(matches.c.id).where(
        matches.c.tournament_id == rows[0]["tournament_id"],
        matches.c.block_id.between(rows[0]["block_id"], rows[-1]["block_id"]),
    )
    return list(tx.scalars(query.order_by(matches.c.block_id, matches.c.leg)))


def _seat_rows(
    match_rows: list[dict[str, Any]], match_ids: list[int], legs: list[tuple[int, ...]], owner: _BotsOfVersions
) -> Iterator[dict[str, Any]]:
    for row, match_id, leg in zip(match_rows, match_ids, legs, strict=True):
        for seat, version_id in enumerate(leg):
            yield {
                "match_id": match_id,
                "seat": seat,
                "version_id": version_id,
                "bot_id": owner[version_id],
                "pool_id": row["pool_id"],
                "rating_seq": row["rating_seq"],
                "folded": False,
                "rank": 0,
                "turns": 0,
                "think_max_ms": 0,
                "think_total_ms": 0,
                "charged_total_ms": 0,
            }


def _batches(planned: Iterable[PlannedBlock]) -> Iterator[list[PlannedBlock]]:
    rest = iter(planned)
    while batch := list(islice(rest, BATCH)):
        yield batch
