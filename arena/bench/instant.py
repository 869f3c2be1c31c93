"""Bots that answer at once, and tournaments of them: what is left of a match's cost is the arena's."""

from __future__ import annotations

import io
import zipfile
from datetime import UTC, datetime
from hashlib import sha256
from typing import Final

from arena.core.errors import UsageError
from arena.services import accounts, submissions, tournaments
from arena.store import Store

BOT: Final = """
from bots.sdk import Bot, run


class Instant(Bot):
    def choose(self, turn):
        return turn.legal_actions[0]


run(Instant)
"""
NAMES: Final = ("ada", "bert")


def archive(name: str) -> bytes:
    """Return such a bot, packed, for every game."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as files:
        files.writestr("bot.toml", f'name = "{name}"\ngames = ["*"]\n')
        files.writestr("bot.py", BOT)
    return packed.getvalue()


def now() -> datetime:
    """Return the time by the clock of this machine."""
    return datetime.now(UTC)


def start_tournament(store: Store, blocks: int) -> None:
    """Submit two such bots to an empty arena and start a tournament of so many blocks of two matches.

    Raises UsageError if it is not empty.
    """
    first = accounts.bootstrap(store, now())
    if first is None:
        raise UsageError("the database is in use already; give an empty one", reason="NOT_EMPTY")
    admin = accounts.authenticate(store, first.secret, now())
    for name in NAMES:
        packed = archive(name)
        submissions.submit(store, admin, packed, sha256(packed).hexdigest(), now())
    entered = tuple((name, 0) for name in NAMES)
    tournaments.create(store, admin, now(), name="bench", game="first-snow", entrants=entered, deals=blocks)
    tournaments.start(store, admin, "bench", now())
