"""Secret tickets: each opens one place and nothing else."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable
from hashlib import blake2b
from typing import Final, Generic, TypeVar

Place = TypeVar("Place")

TICKET_BYTES: Final = 24
"""192 random bits: not to be guessed."""


class Tickets(Generic[Place]):
    """All tickets that are valid now.

    They are looked up by a digest and then compared whole in constant time, so that the time of a refusal says nothing
    about how close a guess came.
    """

    def __init__(self, new_ticket: Callable[[int], str] = secrets.token_urlsafe) -> None:
        self._new_ticket = new_ticket
        self._places: dict[bytes, tuple[str, Place]] = {}

    def __len__(self) -> int:
        return len(self._places)

    def issue(self, place: Place) -> str:
        """Return a new ticket for a place."""
        ticket = self._new_ticket(TICKET_BYTES)
        self._places[_digest(ticket)] = (ticket, place)
        return ticket

    def find(self, ticket: str) -> Place | None:
        """Return what the ticket opens, None if it opens nothing (any more)."""
        known = self._places.get(_digest(ticket))
        if known is None or not hmac.compare_digest(known[0].encode(), ticket.encode()):
            return None
        return known[1]

    def withdraw(self, ticket: str) -> None:
        """Make a ticket open nothing; no effect if it already does."""
        self._places.pop(_digest(ticket), None)


def _digest(ticket: str) -> bytes:
    return blake2b(ticket.encode(), digest_size=32).digest()
