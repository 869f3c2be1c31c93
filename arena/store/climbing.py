"""Repository of open ladders: how much everybody on one has played, and what is still to be played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, and_, bindparam, func, select, update

from arena.store.conditions import UNFINISHED
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
    columns = select(
        entries.c.version_id,
        entries.c.head_start,
        entries.c.first_deal,
        entries.c.blocks,
        entries.c.latest_deal,
        ratings.c.mu,
    ).select_from(entries)
    query = (
        columns.join(tournaments, tournaments.c.id == entries.c.tournament_id)
        .outerjoin(
            ratings,
            and_(ratings.c.pool_id == tournaments.c.pool_id, ratings.c.version_id == entries.c.version_id),
        )
        .where(entries.c.tournament_id == tournament_id, entries.c.withdrawn_at.is_(None))
    )
    return [
        Rung(
            row.version_id,
            row.blocks + row.head_start,
            dealt - max(row.latest_deal, row.first_deal - 1),
            row.mu,
        )
        for row in tx.execute(query.order_by(entries.c.id))
    ]


def count_block(tx: Connection, tournament_id: int, deal: int, version_ids: Sequence[int]) -> None:
    """Count a new block, on the deal with this number, to those who are in it."""
    query = update(entries).where(
        entries.c.tournament_id == tournament_id, entries.c.version_id == bindparam("of_version")
    )
    rows = [{"of_version": version_id} for version_id in version_ids]
    tx.execute(query.values(blocks=entries.c.blocks + 1, latest_deal=deal), rows)


def recount_blocks(tx: Connection, tournament_id: int) -> None:
    """Count everybody's blocks anew, since some have become void."""
    # One match stands for its block: the first leg.
    counted = (
        select(match_seats.c.version_id, func.count().label("blocks"), func.max(deals.c.number).label("latest"))
        .join(matches, matches.c.id == match_seats.c.match_id)
        .join(blocks, blocks.c.id == matches.c.block_id)
        .join(deals, deals.c.id == matches.c.deal_id)
        .where(matches.c.tournament_id == tournament_id, matches.c.leg == 1, blocks.c.state != BlockState.VOID)
        .group_by(match_seats.c.version_id)
    )
    found = {row.version_id: row for row in tx.execute(counted)}
    query = update(entries).where(
        entries.c.tournament_id == tournament_id, entries.c.version_id == bindparam("of_version")
    )
    entered = tx.scalars(select(entries.c.version_id).where(entries.c.tournament_id == tournament_id))
    rows = [
        {
            "of_version": version_id,
            "its_blocks": found[version_id].blocks if version_id in found else 0,
            "its_latest": found[version_id].latest if version_id in found else 0,
        }
        for version_id in entered
    ]
    tx.execute(query.values(blocks=bindparam("its_blocks"), latest_deal=bindparam("its_latest")), rows)


def count_deals(tx: Connection, tournament_id: int) -> int:
    """Return how many deals have been made; they are numbered without a gap."""
    return int(tx.scalar(select(func.max(deals.c.number)).where(deals.c.tournament_id == tournament_id)) or 0)


def count_unfinished(tx: Connection, tournament_id: int) -> int:
    """Return how many blocks wait or are being played."""
    query = select(func.count()).select_from(blocks).where(blocks.c.tournament_id == tournament_id, UNFINISHED)
    return int(tx.scalar(query) or 0)
