"""The two listeners of a referee: one for bots, one for the worker that owns it."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from arena.core.errors import Unavailable, UsageError
from arena.v1 import referee_pb2_grpc
from referee.control import Control
from referee.play import Player
from referee.table import Table
from referee.timekeeper import LoopTime

UNIX: Final = "unix:"
LONGEST_PATH: Final = 107
"""Bytes that the kernel takes as a unix socket's path."""

HARD_LIMIT_BYTES: Final = 1024 * 1024
"""What gRPC itself takes off the wire. Above the protocol's limit, so that a message in between is judged, not lost."""

STOP_S: Final = 0.2

_COMMON: Final = (("grpc.so_reuseport", 0),)
_BOTS: Final = (
    *_COMMON,
    ("grpc.max_receive_message_length", HARD_LIMIT_BYTES),
    ("grpc.max_concurrent_streams", 100),
    ("grpc.max_metadata_size", 8 * 1024),
    ("grpc.server_handshake_timeout_ms", 10_000),
    ("grpc.max_connection_idle_ms", 30_000),
    # An SDK pings every ten seconds; without this gRPC would refuse more than one ping in five minutes.
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
)
_PINGS: Final = (("grpc.keepalive_time_ms", 10_000), ("grpc.keepalive_timeout_ms", 5_000))
"""For networks, where connections can be half open. A program on a unix socket may be stopped while it is not to move
and must not lose its stream for that; the kernel tells when it ends."""


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
        _check(address)
    table = Table(LoopTime(asyncio.get_running_loop()))
    bots_server = grpc.aio.server(options=_BOTS if bots.startswith(UNIX) else (*_BOTS, *_PINGS))
    bots_server.add_generic_rpc_handlers((Player(table).handler(),))
    # Everybody may open the bots' socket: a bot runs under another user and shows its ticket.
    heard = Addresses(_listen(bots_server, bots, mask=0o111), control)
    control_server = grpc.aio.server(options=_COMMON)
    referee_pb2_grpc.add_RefereeServiceServicer_to_server(Control(table, heard.bots), control_server)
    healthy = health.aio.HealthServicer()  # type: ignore[attr-defined] # missing in the stubs
    health_pb2_grpc.add_HealthServicer_to_server(healthy, control_server)
    _listen(control_server, control, mask=0o177)
    await bots_server.start()
    await control_server.start()
    await healthy.set("", health_pb2.HealthCheckResponse.SERVING)
    await healthy.set("arena.v1.RefereeService", health_pb2.HealthCheckResponse.SERVING)
    try:
        yield heard
    finally:
        await control_server.stop(STOP_S)
        await bots_server.stop(STOP_S)
        _tidy(bots, control)


def _check(address: str) -> None:
    if address.startswith(UNIX):
        path = os.fsencode(address.removeprefix(UNIX))
        if not path or len(path) > LONGEST_PATH:
            raise UsageError(
                f"{address!r}: the path of a unix socket has 1 to {LONGEST_PATH} bytes, this one {len(path)}; "
                "use a shorter folder",
                reason="BAD_ADDRESS",
            )
    elif not address.rpartition(":")[2].isdigit():
        raise UsageError(f"address {address!r} is neither unix:PATH nor HOST:PORT", reason="BAD_ADDRESS")


def _listen(server: grpc.aio.Server, address: str, mask: int) -> str:
    try:
        with _umask(mask):
            port = server.add_insecure_port(address)
    except RuntimeError:
        raise Unavailable(
            f"cannot listen on {address}: it is in use, or not ours to use; give another address",
            reason="ADDRESS_UNAVAILABLE",
        ) from None
    return address if address.startswith(UNIX) else f"{address.rpartition(':')[0]}:{port}"


def _tidy(*addresses: str) -> None:
    for address in addresses:
        if address.startswith(UNIX):
            Path(address.removeprefix(UNIX)).unlink(missing_ok=True)


@contextlib.contextmanager
def _umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)
