"""Bots against each other, and ratings against results: what the matches of open deals say."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from arena.core.errors import UsageError
from arena.ladder.rating import Rating
from arena.ladder.reliability import Rated, Reliability, reliability
from arena.ladder.stats import Leg
from arena.ladder.versus import Versus, versus
from arena.services.lookup import find_tournament
from arena.services.ratings import get_pool
from arena.services.submissions import get_version
from arena.store import Store
from arena.store import ratings as pools
from arena.store import statistics as repository
from arena.store.records import Pool


@dataclass(frozen=True, slots=True)
class Comparison:
    """What the common blocks of two bots in one pool say; found: None while none counts."""

    pool: Pool
    left_out: int
    found: Versus | None


def compare(
    store: Store, bot: str, other: str, *, version: int = 0, other_version: int = 0, tournament: str = ""
) -> tuple[Comparison, ...]:
    """Compare two bots, or two versions of one, by their common blocks on open deals, pool by pool.

    version 0: all. tournament: only this one's blocks. Matches on request are no part of it. Raises NotFound
    (NO_SUCH_BOT, NO_SUCH_VERSION, NO_SUCH_TOURNAMENT), UsageError (SAME_BOT).
    """
    get_version(store, bot, version)
    get_version(store, other, other_version)
    if bot == other and (version == other_version or not version or not other_version):
        raise UsageError(f"{bot} cannot be compared with itself; name two bots, or two versions", reason="SAME_BOT")
    blocks: dict[int, dict[int, list[Leg]]] = defaultdict(lambda: defaultdict(list))
    with store.read() as tx:
        if tournament:
            find_tournament(tx, tournament)
        one, two = (repository.read_version_ids(tx, *who) for who in ((bot, version), (other, other_version)))
        for met in repository.read_meetings(tx, one, two, tournament=tournament):
            blocks[met.pool_id][met.block].append(Leg(met.ranks, met.completed))
        found = [(pools.find_pool(tx, pool_id), legs) for pool_id, legs in sorted(blocks.items())]
    return tuple(_comparison(pool, list(legs.values())) for pool, legs in found if pool is not None)


def predictions(store: Store, pool_id: int) -> tuple[Pool, Reliability]:
    """Return how well a pool's ratings predicted its rated, COMPLETED matches on open deals.

    Raises NotFound (NO_SUCH_POOL).
    """
    pool = get_pool(store, pool_id)
    with store.read() as tx:
        matches = (
            Rated(one.block, [Rating(mu, sigma) for mu, sigma in one.before], one.ranks)
            for one in repository.read_predictions(tx, pool_id)
        )
        return pool, reliability(matches, pool.draw_probability)


def _comparison(pool: Pool, blocks: list[list[Leg]]) -> Comparison:
    found = versus(blocks)
    left_out = sum(not all(leg.completed for leg in block) for block in blocks)
    return Comparison(pool, left_out, found)
