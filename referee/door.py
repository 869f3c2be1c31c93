"""A listener for one seat of one match: whoever knocks there can crowd out and break nobody else."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Final

import grpc

from referee.hosted import HostedMatch
from referee.listening import BOTS, STOPPABLE, listen
from referee.play import Player
from referee.table import SeatAt

MAX_REFUSED: Final = 32
"""Streams that may be refused at a door before the seat counts as a nuisance: an honest bot comes back five times."""

LINGER_S: Final = 2.0
"""How long a door stays open after its match. Closed at once, it would take the connection from under a bot that is
just writing, and that bot would lose what it has not read yet: the end of its match."""

MAX_STRANGERS: Final = 8
"""Streams at a door that have not said Hello yet."""

# Of two values for one option gRPC takes the first: the door's own have to replace the common ones.
_OPTIONS: Final = tuple(
    {
        **dict(BOTS),
        **dict(STOPPABLE),
        "grpc.max_allowed_incoming_connections": 4,
        "grpc.max_concurrent_streams": 4,
    }.items()
)


class Door:
    """The listener of one seat. address: its gRPC target. shut: called when the door is to be closed.

    A seat whose streams are refused too often fails, and the door closes for good: from then on the kernel refuses.
    """

    def __init__(self, address: str, seat_at: SeatAt, ticket: str, shut: Callable[[Door], object]) -> None:
        self.address = address
        self._seat_at: SeatAt | None = seat_at
        self._ticket = ticket
        self._refused = 0
        self._shut = shut
        self._server = grpc.aio.server(options=_OPTIONS)
        player = Player(self._seat_of, max_strangers=MAX_STRANGERS, on_refused=self._on_refused)
        self._server.add_generic_rpc_handlers((player.handler(),))

    async def open(self) -> None:
        """Begin to listen. Raises Unavailable."""
        listen(self._server, self.address, mask=0o111)
        await self._server.start()

    async def close(self) -> None:
        """Take no more streams and end those that last."""
        await self._server.stop(None)
        # gRPC's servers refer to themselves, so this one stays until garbage is collected; the match need not.
        self._seat_at = None

    def _seat_of(self, shown: str) -> SeatAt | None:
        return self._seat_at if shown == self._ticket else None

    def _on_refused(self) -> None:
        self._refused += 1
        if self._refused == MAX_REFUSED and self._seat_at is not None:
            hosted, seat = self._seat_at
            hosted.misbehaved(seat, f"had {MAX_REFUSED} streams refused")
            self._shut(self)


class Doors:
    """Makes doors below a path and keeps those that are closing. stem: the bots' socket; None makes none."""

    def __init__(self, stem: str | None) -> None:
        self._stem = stem
        self._number = 0
        self._leaving = asyncio.Event()
        self._closing: set[asyncio.Task[None]] = set()

    async def open(
        self, hosted: HostedMatch, tickets: tuple[str, ...], without: frozenset[int] = frozenset()
    ) -> list[Door]:
        """Return an open door for every seat but some; none where the bots' listener is no unix socket.

        Raises Unavailable.
        """
        if self._stem is None:
            return []
        doors: list[Door] = []
        try:
            for place, ticket in zip(hosted.places, tickets, strict=True):
                if place.seat in without:
                    continue
                self._number += 1
                doors.append(Door(f"{self._stem}.{self._number}", (hosted, place.seat), ticket, self._shut))
                await doors[-1].open()
        except BaseException:
            self.close(doors)
            raise
        return doors

    def close(self, doors: list[Door]) -> None:
        """Close doors in a while, without waiting for it: streams that have ended say so until then."""
        for door in doors:
            self._shut(door, LINGER_S)

    async def closed(self) -> None:
        """Return once every door is closed, without lingering now."""
        self._leaving.set()
        while self._closing:
            await asyncio.wait(self._closing)

    def _shut(self, door: Door, linger_s: float = 0) -> None:
        task = asyncio.ensure_future(self._close(door, linger_s))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def _close(self, door: Door, linger_s: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(linger_s):
                await self._leaving.wait()
        await door.close()
