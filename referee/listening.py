"""How the referee's servers listen: options of gRPC, addresses, the rights on sockets."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Final

import grpc

from arena.core.errors import Unavailable, UsageError
from arena.core.pings import REFEREE_ALLOWS_S, allowing

UNIX: Final = "unix:"
LONGEST_PATH: Final = 107
"""Bytes that the kernel takes as a unix socket's path."""

HARD_LIMIT_BYTES: Final = 1024 * 1024
"""What gRPC itself takes off the wire. Above the protocol's limit, so that a message in between is judged, not lost."""

_NEVER_MS: Final = 2**31 - 1

COMMON: Final = (("grpc.so_reuseport", 0),)
BOTS: Final = (
    *COMMON,
    ("grpc.max_receive_message_length", HARD_LIMIT_BYTES),
    ("grpc.max_concurrent_streams", 32),
    ("grpc.max_allowed_incoming_connections", 512),
    ("grpc.max_metadata_size", 8 * 1024),
    ("grpc.absolute_max_metadata_size", 8 * 1024),
    ("grpc.server_handshake_timeout_ms", 10_000),
    ("grpc.max_connection_idle_ms", 30_000),
    *allowing(REFEREE_ALLOWS_S, strikes=4),
)
STOPPABLE: Final = (
    ("grpc.http2.settings_timeout", _NEVER_MS),
    ("grpc.http2.ping_timeout_ms", _NEVER_MS),
)
"""A program on a unix socket may be stopped while it is not to move and must not lose its stream for that; the kernel
tells when it ends."""
PUBLIC: Final = (
    # Of two values for one option gRPC takes the first.
    ("grpc.max_concurrent_streams", 4),
    ("grpc.max_connection_idle_ms", 10_000),
    *(option for option in BOTS if option[0] not in {"grpc.max_concurrent_streams", "grpc.max_connection_idle_ms"}),
)
"""For seats played from elsewhere; how many connections there may be is the front's business."""


def check_address(address: str) -> None:
    """Raise UsageError for what is neither unix:PATH (short enough) nor HOST:PORT."""
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


def listen(server: grpc.aio.Server, address: str, mask: int, credentials: grpc.ServerCredentials | None = None) -> str:
    """Add a listener to a server that is not started yet; return the address with its real port.

    mask: what a unix socket's permissions lack. credentials: for TLS. Raises Unavailable.
    """
    try:
        with _umask(mask):
            if credentials is None:
                port = server.add_insecure_port(address)
            else:
                port = server.add_secure_port(address, credentials)
    except RuntimeError:
        raise Unavailable(
            f"cannot listen on {address}: it is in use, or not ours to use; give another address",
            reason="ADDRESS_UNAVAILABLE",
        ) from None
    return address if address.startswith(UNIX) else f"{address.rpartition(':')[0]}:{port}"


@contextlib.contextmanager
def _umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)
