"""The arena's own bots, which are there without anybody's submission: they qualify others and play against people."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from arena.core.errors import Unavailable
from arena.store import Store, bots
from arena.store import qualifying as repository

QUALIFIER: Final = bots.HOUSE_BOT
"""The opponent of every qualification."""

OPPONENTS: Final = ("(greedy)", "(random)", "(search)")
"""Whom people may always play against; the program installs a bot of each name without its brackets."""


def find_house(store: Store, now: datetime, bot: str = QUALIFIER) -> int:
    """Return the id of the one version of a bot of the arena's own, made at the first call; its files are installed."""
    for attempt in range(3):
        with store.read() as tx:
            found = repository.find_house(tx, bot)
        if found is not None:
            return found
        try:
            with store.write() as tx:
                return repository.find_house(tx, bot) or repository.insert_house(tx, bot, _manifest(bot), now)
        except Unavailable:  # somebody made it, or the account of all of them, at this moment
            if attempt == 2:
                raise
    raise AssertionError("the last attempt returns or raises")


def _manifest(bot: str) -> str:
    return f'name = "{bot.strip("()")}"\ngames = ["*"]\n'
