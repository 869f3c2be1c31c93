"""The listeners of a referee: one for bots, one for the worker that owns it, perhaps one for the world."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from arena.core.errors import UsageError
from arena.core.pings import REFEREE, Pings
from arena.net.addresses import split_address
from arena.net.tls import Identity
from arena.v1 import referee_pb2_grpc
from referee.control import Control
from referee.door import Doors
from referee.front import Front
from referee.listening import BOTS, COMMON, PUBLIC, STOPPABLE, UNIX, check_address, listen
from referee.play import Player
from referee.table import Table
from referee.timekeeper import LoopTime, TableTime

STOP_S: Final = 0.2
MAX_PUBLIC_STRANGERS: Final = 128
"""Streams at the public address that have not said Hello yet."""


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where a running referee listens, as gRPC targets."""

    bots: str
    control: str
    public: str = ""


@dataclass(frozen=True, slots=True)
class Public:
    """Where the world is listened to, HOST:PORT, and who the referee says it is; identity None: plain text.

    asks: how it notices bots that are gone.
    """

    address: str
    identity: Identity | None = None
    asks: Pings = REFEREE


@contextlib.asynccontextmanager
async def serve(
    bots: str, control: str, public: Public | None = None, time: TableTime | None = None
) -> AsyncIterator[Addresses]:
    """Serve the listeners until the block ends; then every match is stopped.

    bots: `unix:PATH` or `HOST:PORT` (port 0: any free one). control: `unix:PATH`; only its owner may connect. public:
    for remote seats. time: None for the event loop's.
    Raises UsageError for an address of another kind, Unavailable if it cannot be listened on.
    """
    if not control.startswith(UNIX):
        raise UsageError(f"control address {control!r} is not unix:PATH", reason="BAD_ADDRESS")
    for address in (bots, control):
        check_address(address)
    table = Table(time or LoopTime(asyncio.get_running_loop()))
    bots_server = grpc.aio.server(options=(*BOTS, *(STOPPABLE if bots.startswith(UNIX) else REFEREE.options())))
    bots_server.add_generic_rpc_handlers((Player(table.seat_of).handler(),))
    doors = Doors(bots if bots.startswith(UNIX) else None)
    world = None if public is None else _World(table, public, Path(control.removeprefix(UNIX)))
    # Everybody may open the bots' socket: a bot runs under another user and shows its ticket.
    heard = Addresses(listen(bots_server, bots, mask=0o111), control, "" if world is None else await world.open())
    control_server = grpc.aio.server(options=COMMON)
    served = Control(table, heard.bots, doors, heard.public)
    referee_pb2_grpc.add_RefereeServiceServicer_to_server(served, control_server)
    healthy = health.aio.HealthServicer()  # type: ignore[attr-defined] # missing in the stubs
    health_pb2_grpc.add_HealthServicer_to_server(healthy, control_server)
    listen(control_server, control, mask=0o177)
    await bots_server.start()
    await control_server.start()
    await healthy.set("", health_pb2.HealthCheckResponse.SERVING)
    await healthy.set("arena.v1.RefereeService", health_pb2.HealthCheckResponse.SERVING)
    try:
        yield heard
    finally:
        await control_server.stop(STOP_S)
        await bots_server.stop(STOP_S)
        await doors.closed()
        if world is not None:
            await world.close()
        _tidy(bots, control)


class _World:
    """The public listener: a front on the network, and behind it a gRPC server on a socket beside the control's."""

    def __init__(self, table: Table, public: Public, control: Path) -> None:
        self._public = public
        self._inner = control.with_name("public.sock")
        self._front = Front(self._inner)
        self._server = grpc.aio.server(options=(*PUBLIC, *public.asks.options()))
        player = Player(table.remote_seat_of, max_strangers=MAX_PUBLIC_STRANGERS)
        self._server.add_generic_rpc_handlers((player.handler(),))

    async def open(self) -> str:
        """Begin to listen; return HOST:PORT with the real port. Raises UsageError, Unavailable."""
        host, port = split_address(self._public.address)
        identity = self._public.identity
        credentials = None
        if identity is not None:
            credentials = grpc.ssl_server_credentials([(identity.key, identity.certificate)])
        listen(self._server, f"{UNIX}{self._inner}", mask=0o177, credentials=credentials)
        await self._server.start()
        real = await self._front.open(host, port)
        return f"{self._public.address.rpartition(':')[0]}:{real}"

    async def close(self) -> None:
        """End every connection."""
        await self._front.close()
        await self._server.stop(STOP_S)
        _tidy(f"{UNIX}{self._inner}")


def _tidy(*addresses: str) -> None:
    for address in addresses:
        if address.startswith(UNIX):
            Path(address.removeprefix(UNIX)).unlink(missing_ok=True)
