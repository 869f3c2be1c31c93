"""What follows when a match has become final: its block, deal, tournament and ratings, in the same transaction."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from arena.ladder.rating import Rating, update
from arena.ladder.standings import is_rated
from arena.services import ladder, qualifying
from arena.store import Transaction, finish, lifecycle, queue, ratings, tournaments
from arena.store.states import AttemptState, Format


@dataclass(frozen=True, slots=True)
class Settled:
    """What one final match settled. folded: matches whose place in the rating order was consumed by it."""

    folded: int
    block_done: bool


def settle(tx: Transaction, match: finish.MatchKeys, attempt: int, now: datetime) -> Settled:
    """Settle a match that was made final in this transaction.

    Rows are locked in the order attempt, block, deal, tournament, pool, version everywhere, so that no two writers
    wait for each other.
    """
    block_done = queue.finish_block(tx, match.block_id)
    if block_done:
        queue.end_attempt(tx, match.block_id, attempt, AttemptState.DONE)
    if finish.open_deal(tx, match.deal_id, now) and not finish.finish_tournament(tx, match.tournament_id, now):
        _go_on(tx, match.tournament_id, now)
    folded = fold_from(tx, match.pool_id, match.id)
    qualifying.decide(tx, match.tournament_id, now)
    return Settled(folded, block_done)


def settle_schedule(tx: Transaction, tournament_id: int, now: datetime) -> None:
    """Open the deals that have nothing left to play since matches were taken out, and end a tournament by that."""
    if lifecycle.open_deals(tx, tournament_id, now) and not finish.finish_tournament(tx, tournament_id, now):
        _go_on(tx, tournament_id, now)


def fold_released(tx: Transaction, pool_id: int, version_ids: Iterable[int]) -> int:
    """Fold what waited for matches of these versions whose rating numbers were given back; return how many."""
    ratings.lock_pool(tx, pool_id)
    folded = 0
    for version_id in version_ids:
        following = ratings.next_unfolded(tx, pool_id, version_id)
        if following is not None and following.final:
            folded += fold_from(tx, pool_id, following.match_id)
    return folded


def fold_from(tx: Transaction, pool_id: int, match_id: int) -> int:
    """Fold a final match and all that waited for it, each exactly once; return how many.

    A match is folded when no earlier one of any of its participants is unfolded. Each participant's own matches are
    then folded in order of rating_seq, and a rating depends on nothing else: the result is the sequential fold's, bit
    for bit.
    """
    draws = ratings.lock_pool(tx, pool_id)
    waiting = deque([match_id])
    folded = 0
    while waiting:
        match = ratings.read_final(tx, waiting.popleft())
        if match is None or not _is_next_for_all(tx, pool_id, match):
            continue
        if is_rated(match.end):
            _rate(tx, pool_id, match, draws)
        ratings.mark_folded(tx, match.id)
        folded += 1
        for version_id in match.versions:
            following = ratings.next_unfolded(tx, pool_id, version_id)
            if following is not None and following.final and following.match_id not in waiting:
                waiting.append(following.match_id)
    return folded


def _go_on(tx: Transaction, tournament_id: int, now: datetime) -> None:
    """Deal on where a deal of a ladder has ended; finish_tournament has locked the tournament."""
    found = tournaments.get_tournament(tx, tournament_id)
    if found.format is Format.LADDER:
        ladder.top_up(tx, found, now)


def _is_next_for_all(tx: Transaction, pool_id: int, match: ratings.FinalMatch) -> bool:
    for version_id in match.versions:
        following = ratings.next_unfolded(tx, pool_id, version_id)
        if following is None or following.match_id != match.id:
            return False
    return True


def _rate(tx: Transaction, pool_id: int, match: ratings.FinalMatch, draws: float) -> None:
    before = ratings.read_ratings(tx, pool_id, match.versions)
    after = update([Rating(one.mu, one.sigma) for one in before], match.ranks, draws, match.absent)
    ratings.write_fold(tx, pool_id, match, before, [(one.mu, one.sigma, one.score) for one in after])
