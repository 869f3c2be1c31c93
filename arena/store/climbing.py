"""Repository of open ladders: how much everybody on one has played, and what is still to be played."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, and_, func, select

from arena.store.states import BlockState
from arena.store.tables import blocks, deals, entries, match_seats, matches, ratings, tournaments


@dataclass(frozen=True, slots=True)
class Rung:
    """How an entrant stands: blocks with it that are not void, blocks scheduled since its latest, its mu if any."""

    version_id: int
    blocks: int
    since: int
    mu: float | None


def list_rungs(tx: Connection, tournament_id: int) -> list[Rung]:
    """Return how everybody stands who has not withdrawn, in order of entry."""
    dealt = count_deals(tx, tournament_id)
    # One match stands for its block: the first leg.
    played = (
        select(match_seats.c.version_id, func.count().label("blocks"), func.max(deals.c.number).label("latest"))
        .join(matches, matches.c.id == match_seats.c.match_id)
        .join(blocks, blocks.c.id == matches.c.block_id)
        .join(deals, deals.c.id == matches.c.deal_id)
        .where(matches.c.tournament_id == tournament_id, matches.c.leg == 1, blocks.c.state != BlockState.VOID)
        .group_by(match_seats.c.version_id)
        .subquery()
    )
    columns = select(
        entries.c.version_id,
        entries.c.head_start,
        entries.c.first_deal,
        played.c.blocks,
        played.c.latest,
        ratings.c.mu,
    ).select_from(entries)
    query = (
        columns.join(tournaments, tournaments.c.id == entries.c.tournament_id)
        .outerjoin(played, played.c.version_id == entries.c.version_id)
        .outerjoin(
            ratings,
            and_(ratings.c.pool_id == tournaments.c.pool_id, ratings.c.version_id == entries.c.version_id),
        )
        .where(entries.c.tournament_id == tournament_id, entries.c.withdrawn_at.is_(None))
    )
    return [
        Rung(
            row.version_id,
            (row.blocks or 0) + row.head_start,
            dealt - max(row.latest or 0, row.first_deal - 1),
            row.mu,
        )
        for row in tx.execute(query.order_by(entries.c.id))
    ]


def count_deals(tx: Connection, tournament_id: int) -> int:
    """Return how many deals have been made."""
    return int(tx.scalar(select(func.count()).where(deals.c.tournament_id == tournament_id)) or 0)


def count_unfinished(tx: Connection, tournament_id: int) -> int:
    """Return how many blocks wait or are being played."""
    unfinished = blocks.c.state.in_((BlockState.QUEUED, BlockState.CLAIMED, BlockState.HELD))
    return int(tx.scalar(select(func.count()).where(blocks.c.tournament_id == tournament_id, unfinished)) or 0)
