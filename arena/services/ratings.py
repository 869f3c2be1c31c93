"""Leaderboards, and the match behind each change of a rating."""

from __future__ import annotations

from arena.core.errors import NotFound
from arena.core.registry import load_game
from arena.services.submissions import get_version
from arena.store import Store, Transaction
from arena.store import ratings as repository
from arena.store.records import Page, Pool, RatingChange, RatingRow


def list_pools(store: Store, *, game: str = "", page_size: int = 0, page_token: str = "") -> Page[Pool]:
    """List the pools, every game's or one game's, oldest first.

    Raises UnknownName (UNKNOWN_GAME) for a game that is neither installed nor has a pool here.
    """
    with store.read() as tx:
        page = repository.page_pools(tx, game, page_size, page_token)
    if game and not page.items:
        load_game(game)
    return page


def get_pool(store: Store, pool_id: int) -> Pool:
    """Return a pool. Raises NotFound (NO_SUCH_POOL)."""
    with store.read() as tx:
        return _find(tx, pool_id)


def leaderboard(store: Store, pool_id: int, *, page_size: int = 0, page_token: str = "") -> Page[RatingRow]:
    """List a pool's bot versions by score, best first. Raises NotFound (NO_SUCH_POOL)."""
    with store.read() as tx:
        _find(tx, pool_id)
        return repository.page_leaderboard(tx, pool_id, page_size, page_token)


def history(
    store: Store,
    bot: str,
    *,
    version: int = 0,
    pool_id: int = 0,
    page_size: int = 0,
    page_token: str = "",
    only_open: bool = False,
) -> Page[RatingChange]:
    """List what each rated match changed for a bot, newest first; version 0: all, pool_id 0: all. Raises NotFound.

    only_open: leave out matches whose deal is still being played.
    """
    get_version(store, bot, version)
    with store.read() as tx:
        return repository.page_changes(
            tx,
            bot,
            version=version,
            pool_id=pool_id,
            page_size=page_size,
            page_token=page_token,
            only_open=only_open,
        )


def _find(tx: Transaction, pool_id: int) -> Pool:
    found = repository.find_pool(tx, pool_id)
    if found is None:
        raise NotFound(f"there is no rating pool {pool_id}; `arena ratings` lists them", reason="NO_SUCH_POOL")
    return found
