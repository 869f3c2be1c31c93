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
from arena.store.states import Format


@dataclass(frozen=True, slots=True)
class Settled:
    """What one final match settled. folded: matches whose place in the rating order was consumed by it."""

    folded: int
    block_done: bool


def settle(
    tx: Transaction,
    match: finish.MatchKeys,
    attempt: int,
    now: datetime,
    told: int | None = None,
    *,
    marked: bool = False,
) -> Settled:
    """Settle a match that was made final in this transaction; told: which one the attempt says it plays next.

    marked: see fold_from.

    Rows are locked in the order attempt, block, deal, tournament, pool, version everywhere, so that no two writers
    wait for each other.
    """
    if match.following is not None:
        if match.following != told:
            queue.pass_on(tx, match.block_id, attempt, match.following)
    else:
        queue.finish_block(tx, match.block_id, attempt)
        if finish.open_deal(tx, match.deal_id, now):
            _finish(tx, match.tournament_id, now)
    folded = fold_from(tx, match.pool_id, match.id, marked=marked)
    if match.decides is not None:
        qualifying.decide(tx, match.decides, now)
    return Settled(folded, block_done=match.following is None)


def settle_schedule(tx: Transaction, tournament_id: int, now: datetime) -> None:
    """Open the deals that have nothing left to play since matches were taken out, and end a tournament by that."""
    if lifecycle.open_deals(tx, tournament_id, now):
        _finish(tx, tournament_id, now)


def fold_released(tx: Transaction, pool_id: int, version_ids: Iterable[int]) -> int:
    """Fold what waited for matches of these versions whose rating numbers were given back; return how many."""
    ratings.lock_pool(tx, pool_id)
    folded = 0
    for version_id in version_ids:
        following = ratings.next_unfolded(tx, pool_id, version_id)
        if following is not None and following.final:
            folded += fold_from(tx, pool_id, following.match_id)
    return folded


def fold_from(tx: Transaction, pool_id: int, match_id: int, *, marked: bool = False) -> int:
    """Fold a final match and all that waited for it, each exactly once; return how many.

    A match is folded when no earlier one of any of its participants is unfolded. Each participant's own matches are
    then folded in order of rating_seq, and a rating depends on nothing else: the result is the sequential fold's, bit
    for bit. marked: this transaction has marked the first one as folded already, knowing that it is next.
    """
    ratings.lock_pool(tx, pool_id)
    waiting = deque([match_id])
    folded = 0
    while waiting:
        match = ratings.read_next(tx, pool_id, waiting.popleft(), marked=marked)
        if match is None:
            continue
        if is_rated(match.end):
            _rate(tx, pool_id, match)
        if not marked:
            ratings.mark_folded(tx, match.id)
        marked = False
        folded += 1
        waiting += (one for one in match.later if one not in waiting)
    return folded


def _finish(tx: Transaction, tournament_id: int, now: datetime) -> None:
    """End a tournament of which a deal has ended, or deal on in a ladder; finish_tournament locks it for both."""
    if finish.finish_tournament(tx, tournament_id, now) is Format.LADDER:
        ladder.top_up(tx, tournaments.get_tournament(tx, tournament_id), now)


def _rate(tx: Transaction, pool_id: int, match: ratings.FinalMatch) -> None:
    before = [Rating(one.mu, one.sigma) for one in match.before]
    after = update(before, match.ranks, match.draw_probability, match.absent)
    ratings.write_fold(tx, pool_id, match, [(one.mu, one.sigma, one.score) for one in after])
