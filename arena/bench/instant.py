"""Bots that answer at once, and tournaments of them: what is left of a match's cost is the arena's."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Final

from arena.bench.measuring import PROGRAMS
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
TOURNAMENT: Final = "bench"
_BY_HAND: Final = PROGRAMS / "byhand.py"
_BARE: Final = 'command = ["python", "-I", "-S", "bot.py"]\n'
"""Starts Python without the packages that are installed, and in no sandbox that waits with the SDK."""


def archive(name: str, *, by_hand: bool = False) -> bytes:
    """Return such a bot, packed, for every game.

    by_hand: one that does without the SDK and gRPC, which are most of what a short match of bots costs.
    """
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as files:
        files.writestr("bot.toml", f'name = "{name}"\ngames = ["*"]\n{_BARE if by_hand else ""}')
        files.writestr("bot.py", _BY_HAND.read_text(encoding="ascii") if by_hand else BOT)
    return packed.getvalue()


def now() -> datetime:
    """Return the time by the clock of this machine."""
    return datetime.now(UTC)


def start_tournament(
    store: Store, deals: int, names: Sequence[str] = NAMES, *, game: str = "first-snow", by_hand: bool = False
) -> str:
    """Submit such bots to an empty arena and start a round-robin; each pair plays a block of two matches a deal.

    Returns the admin's token. Raises UsageError if the arena is not empty.
    """
    first = accounts.bootstrap(store, now())
    if first is None:
        raise UsageError("the database is in use already; give an empty one", reason="NOT_EMPTY")
    admin = accounts.authenticate(store, first.secret, now())
    for name in names:
        packed = archive(name, by_hand=by_hand)
        submissions.submit(store, admin, packed, sha256(packed).hexdigest(), now())
    entered = tuple((name, 0) for name in names)
    tournaments.create(store, admin, now(), name=TOURNAMENT, game=game, entrants=entered, deals=deals)
    tournaments.start(store, admin, TOURNAMENT, now())
    return first.secret
