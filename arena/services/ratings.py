"""Leaderboards, and the match behind each change of a rating."""

from __future__ import annotations

from typing import Final

from arena.store import Store
from arena.store.records import Page, Pool, RatingChange, RatingRow

PROVISIONAL_SIGMA: Final = 25 / 12
"""A rating with a larger sigma is provisional: its score can still move by several places."""


def list_pools(store: Store, *, game: str = "", page_size: int = 0, page_token: str = "") -> Page[Pool]:
    """List the pools, every game's or one game's, oldest first."""
    raise NotImplementedError


def get_pool(store: Store, pool_id: int) -> Pool:
    """Return a pool. Raises NotFound (NO_SUCH_POOL)."""
    raise NotImplementedError


def leaderboard(store: Store, pool_id: int, *, page_size: int = 0, page_token: str = "") -> Page[RatingRow]:
    """List a pool's bot versions by score, best first. Raises NotFound (NO_SUCH_POOL)."""
    raise NotImplementedError


def history(
    store: Store, bot: str, *, version: int = 0, pool_id: int = 0, page_size: int = 0, page_token: str = ""
) -> Page[RatingChange]:
    """List what each rated match changed for a bot, newest first; version 0: all, pool_id 0: all. Raises NotFound."""
    raise NotImplementedError
