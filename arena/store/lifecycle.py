"""Repository of what happens to a schedule once it stands: held, queued again, void, or made anew."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypeAlias

from sqlalchemy import ColumnElement, Connection, Select, delete, exists, select, update

from arena.store.conditions import ACTIVE, UNFINISHED
from arena.store.rows import BATCH
from arena.store.states import AttemptState, BlockState, MatchState
from arena.store.tables import attempts, blocks, deals, entries, match_seats, matches

Which: TypeAlias = ColumnElement[bool]
"""A condition on blocks."""

WAITING = (BlockState.QUEUED, BlockState.HELD)


def lock_schedule(tx: Connection, *tournament_ids: int) -> None:
    """Let nobody claim, beat, record or expire in these tournaments until the transaction ends.

    In the order attempt, block, deal, as everywhere; the caller locks the tournaments and the pools after it.
    """
    active = select(attempts.c.id).join(blocks, blocks.c.id == attempts.c.block_id)
    active = active.where(ACTIVE, blocks.c.tournament_id.in_(tournament_ids))
    tx.execute(active.order_by(attempts.c.id).with_for_update(of=attempts))
    query = select(blocks.c.id).where(blocks.c.tournament_id.in_(tournament_ids), UNFINISHED).order_by(blocks.c.id)
    tx.execute(query.with_for_update(key_share=True))
    closed = select(deals.c.id).where(deals.c.tournament_id.in_(tournament_ids), deals.c.opened_at.is_(None))
    tx.execute(closed.order_by(deals.c.id).with_for_update(key_share=True))


def set_block_state(tx: Connection, which: Which, state: BlockState) -> int:
    """Change the state of blocks; return of how many."""
    return tx.execute(update(blocks).where(which).values(state=state)).rowcount


def queue_held(tx: Connection, tournament_id: int, now: datetime) -> None:
    """Queue every held block of a tournament; one that was lost before need not wait any more."""
    query = update(blocks).where(blocks.c.tournament_id == tournament_id, blocks.c.state == BlockState.HELD)
    tx.execute(query.values(state=BlockState.QUEUED, not_before=now))


def give_back_numbers(tx: Connection, which: Which) -> list[int]:
    """Take the rating numbers from the unplayed matches of blocks; return the versions that these are of."""
    unplayed = _unplayed(which).where(matches.c.rating_seq.is_not(None))
    of_versions = select(match_seats.c.version_id).where(match_seats.c.match_id.in_(unplayed)).distinct()
    versions = sorted(tx.scalars(of_versions))
    tx.execute(update(match_seats).where(match_seats.c.match_id.in_(unplayed)).values(rating_seq=None))
    tx.execute(update(matches).where(matches.c.id.in_(unplayed)).values(rating_seq=None))
    return versions


def cancel_matches(tx: Connection, which: Which, reason: str) -> int:
    """Take the unplayed matches of blocks out for good; return how many. Their numbers are given back before."""
    query = update(matches).where(matches.c.id.in_(_unplayed(which)))
    return tx.execute(query.values(state=MatchState.CANCELLED, reason=reason)).rowcount


def delete_blocks(tx: Connection, which: Which) -> None:
    """Remove blocks that nobody has ever claimed, with all that hangs on them."""
    # The condition may look at the matches that go first, so it is asked once.
    found = list(tx.scalars(select(blocks.c.id).where(which, blocks.c.attempt == 0)))
    for first in range(0, len(found), BATCH):
        batch = found[first : first + BATCH]
        theirs = select(matches.c.id).where(matches.c.block_id.in_(batch))
        tx.execute(delete(match_seats).where(match_seats.c.match_id.in_(theirs)))
        tx.execute(delete(matches).where(matches.c.block_id.in_(batch)))
        tx.execute(delete(blocks).where(blocks.c.id.in_(batch)))


def end_attempts(tx: Connection, tournament_id: int, reason: str) -> None:
    """Release every active attempt of a tournament, so that its workers stop."""
    of_tournament = select(blocks.c.id).where(blocks.c.tournament_id == tournament_id)
    query = update(attempts).where(ACTIVE, attempts.c.block_id.in_(of_tournament))
    tx.execute(query.values(state=AttemptState.RELEASED, reason=reason, deadline=None))


def open_deals(tx: Connection, tournament_id: int, now: datetime) -> int:
    """Open every deal of a tournament that has nothing left to play; return how many were opened."""
    left = exists().where(matches.c.deal_id == deals.c.id, matches.c.state == MatchState.SCHEDULED)
    query = update(deals).where(deals.c.tournament_id == tournament_id, deals.c.opened_at.is_(None), ~left)
    return tx.execute(query.values(opened_at=now)).rowcount


def fresh_deals(tx: Connection, tournament_id: int) -> list[tuple[int, int]]:
    """Return (number, id) of the deals of which nothing has begun, in order."""
    begun = exists().where(matches.c.deal_id == deals.c.id, matches.c.block_id == blocks.c.id, blocks.c.attempt > 0)
    query = select(deals.c.number, deals.c.id).where(
        deals.c.tournament_id == tournament_id, deals.c.opened_at.is_(None)
    )
    return [(row[0], row[1]) for row in tx.execute(query.where(~begun).order_by(deals.c.number))]


def is_void(tx: Connection, block_id: int) -> bool:
    """Whether a block has a withdrawn entrant in it and no leg of it has been played."""
    withdrawn = exists().where(
        matches.c.block_id == blocks.c.id,
        match_seats.c.match_id == matches.c.id,
        entries.c.tournament_id == blocks.c.tournament_id,
        entries.c.version_id == match_seats.c.version_id,
        entries.c.withdrawn_at.is_not(None),
    )
    query = select(blocks.c.id).where(blocks.c.id == block_id, withdrawn, ~_played())
    return tx.scalar(query) is not None


def of_tournament(tournament_id: int, *states: BlockState) -> Which:
    """Which blocks: a tournament's in these states."""
    return (blocks.c.tournament_id == tournament_id) & blocks.c.state.in_(states)


def untouched_of(tournament_id: int, version_id: int) -> Which:
    """Which blocks: a tournament's with this version, that wait and of which no leg has been played."""
    has_version = exists().where(
        matches.c.block_id == blocks.c.id,
        match_seats.c.match_id == matches.c.id,
        match_seats.c.version_id == version_id,
    )
    return of_tournament(tournament_id, *WAITING) & has_version & ~_played()


def waiting_of_deals(tournament_id: int, deal_ids: Sequence[int]) -> Which:
    """Which blocks: those of some deals of a tournament, that wait."""
    of_deals = exists().where(matches.c.block_id == blocks.c.id, matches.c.deal_id.in_(deal_ids))
    return of_tournament(tournament_id, *WAITING) & of_deals


def one_block(block_id: int) -> Which:
    """Which blocks: this one."""
    return blocks.c.id == block_id


def _played() -> ColumnElement[bool]:
    return exists().where(matches.c.block_id == blocks.c.id, matches.c.state == MatchState.FINAL)


def _unplayed(which: Which) -> Select[Any]:
    of_blocks = select(blocks.c.id).where(which)
    return select(matches.c.id).where(matches.c.block_id.in_(of_blocks), matches.c.state == MatchState.SCHEDULED)
