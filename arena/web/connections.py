"""Connections of browsers, bounded in time and by address: whoever is slow, or many, keeps nobody else out."""

from __future__ import annotations

import asyncio
from ipaddress import ip_address
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

HEAD_S: Final = 10.0
"""How long a client may take to ask, from its first byte or from connecting on."""

BODY_S: Final = 60.0
"""How long a form or a file may be on its way."""

STALL_S: Final = 30.0
"""How long a client may read nothing of what waits for it."""

MOST_OF_ONE: Final = 50
"""Connections of one address: a household's browsers, with six each. A proxy's or a private network's are not counted,
for it stands for many."""


class Connection(H11Protocol):
    """One connection. uvicorn itself waits for ever for a request's head, for its body, and for slow readers.

    head_s, body_s, stall_s: as HEAD_S, BODY_S, STALL_S. most_of_one: as MOST_OF_ONE. most: connections in all.
    """

    head_s = HEAD_S
    body_s = BODY_S
    stall_s = STALL_S
    most_of_one = MOST_OF_ONE
    most = 400

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._asking: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as in uvicorn
        """Take a connection, or hang up on one too many."""
        super().connection_made(transport)
        if len(self.connections) > self.most or self._of_one() > self.most_of_one:
            transport.abort()
            return
        self._asking = self.loop.call_later(self.head_s, transport.abort)

    def _of_one(self) -> int:
        """Return how many connections this one's address has; 0 for one that stands for many people."""
        host = self.client[0] if self.client else ""
        if is_shared(host):
            return 0
        here: set[Any] = self.connections
        return sum(isinstance(one, Connection) and one.client is not None and one.client[0] == host for one in here)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget its times."""
        for timer in (self._asking, self._stalled):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on; the time runs from the first byte of a head, and anew once the body is to come."""
        before = self._now
        if self._asking is None and (before is None or before.response_complete):
            self._asking = self.loop.call_later(self.head_s, self.transport.abort)
        super().data_received(data)
        self._judge(is_new=self._now is not before)

    @property
    def _now(self) -> RequestResponseCycle | None:
        """The newest request, None before the first, whatever uvicorn's own type says."""
        return self.cycle

    def _judge(self, *, is_new: bool) -> None:
        cycle = self._now
        if cycle is None or cycle.response_complete:
            return
        if self._asking is not None and (is_new or not cycle.more_body):
            self._asking.cancel()
            self._asking = None
        if is_new and cycle.more_body:
            self._asking = self.loop.call_later(self.body_s, self.transport.abort)

    def on_response_complete(self) -> None:
        """Wait for the next request; uvicorn's own time runs until its first byte."""
        if self._asking is not None:
            self._asking.cancel()
            self._asking = None
        before = self._now
        super().on_response_complete()
        self._judge(is_new=self._now is not before)

    def pause_writing(self) -> None:
        """Note that the client does not read."""
        super().pause_writing()
        if self._stalled is None:
            self._stalled = self.loop.call_later(self.stall_s, self.transport.abort)

    def resume_writing(self) -> None:
        """Note that it does."""
        super().resume_writing()
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None


def is_shared(address: str) -> bool:
    """Whether an address may stand for many people: that of a proxy in the same network."""
    try:
        return ip_address(address).is_private
    except ValueError:
        return True
