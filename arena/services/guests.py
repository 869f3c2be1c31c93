"""People at seats whose page is served by a process that may end before their match does."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Final

from arena.services.lobby import moments
from arena.store import Store, bots
from arena.store import guests as repository
from arena.store.guests import Unfinished
from arena.store.records import Account

HEAD: Final = "web"
"""How the sessions begin in which web servers seat people: other programs look after theirs themselves."""


def new_session() -> str:
    """Return the name of a session in the lobby, drawn at random."""
    return HEAD + secrets.token_hex(16)


def list_unfinished(store: Store, now: datetime, account: Account | None = None) -> tuple[Unfinished, ...]:
    """Return what people have asked web servers for and not finished, newest first; of one account or of all."""
    with store.read() as tx:
        if account is None:
            return repository.list_unfinished(tx, HEAD, moments(now))
        guest = bots.find_version(tx, bots.GUEST_BOT.format(account.name))
        return () if guest is None else repository.list_unfinished(tx, HEAD, moments(now), guest.id)
