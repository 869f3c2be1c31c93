"""What pages tell of bots beyond their ratings: how sure a rank is, trends, histories, whom they met.

Nothing of a closed deal is in any of it; a rating itself moves with every match, as soon as it is folded.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Final

from arena.ladder.strength import Result, Strength, strengths
from arena.services.ratings import get_pool
from arena.services.submissions import get_version
from arena.store import Store, statistics
from arena.store import boards as repository
from arena.store import ratings as repository_of_ratings
from arena.store.boards import MetLeg, Opponent, Step
from arena.store.records import Pool, RatingRow

__all__ = [
    "Certainty",
    "MetLeg",
    "Opponent",
    "Profile",
    "Step",
    "board",
    "certainty",
    "met",
    "profile",
    "stamp",
    "trends",
]

MOST_ROWS: Final = 2000
"""Versions on one leaderboard; beyond it are the weakest."""

MOST_MATCHES: Final = 20_000
"""Matches of a pool that rank intervals are made of: the latest."""

MOST_RANKED: Final = 300
"""Versions among which intervals are computed; it takes seconds there, and minutes with a thousand."""

MOST_STEPS: Final = 2000
MOST_OPPONENTS: Final = 100
MOST_MET: Final = 200
TREND: Final = 30


@dataclass(frozen=True, slots=True)
class Certainty:
    """How sure the ranks of a pool are. strength: by version id, empty where it says nothing; matches: counted ones.

    think_ms: a version's mean milliseconds a turn.
    """

    strength: dict[int, Strength]
    think_ms: dict[int, float]
    matches: int


@dataclass(frozen=True, slots=True)
class Profile:
    """A bot in one pool: its versions' ratings, newest first, the way there, and whom it met."""

    pool: Pool
    ratings: tuple[RatingRow, ...]
    steps: tuple[Step, ...]
    opponents: tuple[Opponent, ...]


def stamp(store: Store, pool_id: int) -> tuple[int, int]:
    """Return what changes whenever certainty would."""
    with store.read() as tx:
        return repository.read_stamp(tx, pool_id)


def board(store: Store, pool_id: int) -> tuple[Pool, tuple[RatingRow, ...]]:
    """Return a pool with its leaderboard, best first, MOST_ROWS at the most. Raises NotFound (NO_SUCH_POOL)."""
    pool = get_pool(store, pool_id)
    rows: list[RatingRow] = []
    token = ""
    with store.read() as tx:
        while len(rows) < MOST_ROWS:
            page = repository_of_ratings.page_leaderboard(tx, pool_id, min(1000, MOST_ROWS - len(rows)), token)
            rows += page.items
            token = page.next_page_token
            if not token:
                break
    return pool, tuple(rows)


def certainty(store: Store, pool_id: int) -> Certainty:
    """Return how sure a pool's ranks are, from the results of its open deals alone, whatever order they came in."""
    with store.read() as tx:
        pool = repository_of_ratings.find_pool(tx, pool_id)
        think_ms = repository.read_mean_thinking(tx, pool_id)
        blocks: dict[tuple[int, int], list[Result[int]]] = defaultdict(list)
        count = 0
        for match in repository.read_pool_matches(tx, pool_id, MOST_MATCHES):
            blocks[match.block, match.deal].append(Result(match.players, match.ranks))
            count += 1
    players = sorted({player for block in blocks.values() for result in block for player in result.players})
    if pool is None or pool.seats == 1 or not 1 < len(players) <= MOST_RANKED:
        return Certainty({}, think_ms, count)
    found = strengths(players, list(blocks.values()), [deal for _, deal in blocks])
    return Certainty(found.of, think_ms, count)


def trends(store: Store, pool_id: int, version_ids: list[int]) -> dict[int, list[float]]:
    """Return the scores after the last TREND matches of each of these versions, oldest first."""
    with store.read() as tx:
        return repository.read_trends(tx, pool_id, version_ids, TREND)


def profile(store: Store, bot: str) -> tuple[Profile, ...]:
    """Return a bot in every pool where it has a rating. Raises NotFound (NO_SUCH_BOT)."""
    get_version(store, bot)
    with store.read() as tx:
        own: dict[int, set[int]] = defaultdict(set)
        for pool_id, version_id in repository.read_pools_of(tx, bot):
            own[pool_id].add(version_id)
        found = []
        for pool_id, version_ids in own.items():
            pool = repository_of_ratings.find_pool(tx, pool_id)
            if pool is None:
                continue
            found.append(
                Profile(
                    pool,
                    repository_of_ratings.read_rows(tx, pool_id, sorted(version_ids, reverse=True)),
                    tuple(repository.read_steps(tx, bot, pool_id, MOST_STEPS)),
                    tuple(repository.read_opponents(tx, bot, pool_id, MOST_OPPONENTS)),
                )
            )
    return tuple(found)


def met(store: Store, bot: str, other: str, *, version: int = 0, other_version: int = 0) -> tuple[MetLeg, ...]:
    """Return the latest matches of two bots against each other, newest first, MOST_MET at the most; version 0: all."""
    with store.read() as tx:
        one, two = (statistics.read_version_ids(tx, *who) for who in ((bot, version), (other, other_version)))
        return tuple(repository.read_met(tx, one, two, MOST_MET))
