"""The rating pools at a glance: how much was played in each, and who leads."""

from __future__ import annotations

from dataclasses import dataclass

from arena.services.ratings import list_pools
from arena.store import Store
from arena.store import boards as repository
from arena.store import ratings as repository_of_ratings
from arena.store.records import Pool, RatingRow


@dataclass(frozen=True, slots=True)
class Glance:
    """A pool, how many versions it rates by how many matches, and the best of them."""

    pool: Pool
    versions: int
    matches: int
    leaders: tuple[RatingRow, ...]


def glances(store: Store, *, leaders: int = 3, page_size: int = 0, page_token: str = "") -> tuple[list[Glance], str]:
    """Return a page of the pools, oldest first, and the token of the next one."""
    page = list_pools(store, page_size=page_size, page_token=page_token)
    found = []
    with store.read() as tx:
        sizes = repository.read_sizes(tx, [pool.id for pool in page.items])
        for pool in page.items:
            versions, seats = sizes.get(pool.id, (0, 0))
            best = repository_of_ratings.page_leaderboard(tx, pool.id, leaders, "").items
            found.append(Glance(pool, versions, seats // pool.seats, best))
    return found, page.next_page_token


def busiest(store: Store) -> list[Glance]:
    """Return each game's pool with the most matches, by the games' names; of the first hundred pools."""
    found, _ = glances(store)
    best: dict[str, Glance] = {}
    for each in found:
        if each.pool.game not in best or each.matches > best[each.pool.game].matches:
            best[each.pool.game] = each
    return [best[game] for game in sorted(best)]
