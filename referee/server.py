"""The two listeners of a referee: one for bots, one for the worker that owns it."""

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
from arena.v1 import referee_pb2_grpc
from referee.control import Control
from referee.door import Doors
from referee.listening import BOTS, COMMON, PINGS, STOPPABLE, UNIX, check_address, listen
from referee.play import Player
from referee.table import Table
from referee.timekeeper import LoopTime

STOP_S: Final = 0.2


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where a running referee listens, as gRPC targets."""

    bots: str
    control: str


@contextlib.asynccontextmanager
async def serve(bots: str, control: str) -> AsyncIterator[Addresses]:
    """Serve both listeners until the block ends; then every match is stopped.

    bots: `unix:PATH` or `HOST:PORT` (port 0: any free one). control: `unix:PATH`; only its owner may connect.
    Raises UsageError for an address of another kind, Unavailable if it cannot be listened on.
    """
    if not control.startswith(UNIX):
        raise UsageError(f"control address {control!r} is not unix:PATH", reason="BAD_ADDRESS")
    for address in (bots, control):
        check_address(address)
    table = Table(LoopTime(asyncio.get_running_loop()))
    bots_server = grpc.aio.server(options=(*BOTS, *(STOPPABLE if bots.startswith(UNIX) else PINGS)))
    bots_server.add_generic_rpc_handlers((Player(table.seat_of).handler(),))
    doors = Doors(bots if bots.startswith(UNIX) else None)
    # Everybody may open the bots' socket: a bot runs under another user and shows its ticket.
    heard = Addresses(listen(bots_server, bots, mask=0o111), control)
    control_server = grpc.aio.server(options=COMMON)
    referee_pb2_grpc.add_RefereeServiceServicer_to_server(Control(table, heard.bots, doors), control_server)
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
        _tidy(bots, control)


def _tidy(*addresses: str) -> None:
    for address in addresses:
        if address.startswith(UNIX):
            Path(address.removeprefix(UNIX)).unlink(missing_ok=True)
