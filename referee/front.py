"""The listener for strangers: takes connections from a network, so many of each address, and hands their bytes on."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
from collections import Counter
from pathlib import Path
from typing import Final

from arena.core.errors import Unavailable
from arena.net.splice import CHUNK_BYTES, hang_up, splice

MOST: Final = 512
"""Connections in all."""

MOST_OF_ONE: Final = 32
"""Connections of one address (of IPv6: one network of 64 bits): an honest bot has one, and some share an address."""

_BACKLOG: Final = 128


class Front:
    """Listens on a network and connects whoever comes to a socket of this machine, where a gRPC server listens.

    gRPC bounds its connections as a whole only; here nobody's many keep others out. The bytes are not looked at, so
    TLS, if any, is between the bot and that server.
    """

    def __init__(self, inner: Path, most: int = MOST, most_of_one: int = MOST_OF_ONE) -> None:
        self._inner = inner
        self._most = most
        self._most_of_one = most_of_one
        self._here: Counter[str] = Counter()
        self._server: asyncio.Server | None = None
        self._running: set[asyncio.Task[None]] = set()

    async def open(self, host: str, port: int) -> int:
        """Begin to listen; return the port, which is given by the system if 0 was asked for. Raises Unavailable."""
        try:
            self._server = await asyncio.start_server(
                self._take, host, port, limit=CHUNK_BYTES, backlog=_BACKLOG, reuse_address=True
            )
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise Unavailable(
                f"cannot listen on {host}:{port} ({why}); give another public address", reason="ADDRESS_UNAVAILABLE"
            ) from None
        return int(self._server.sockets[0].getsockname()[1])

    @property
    def connections(self) -> int:
        """How many connections there are."""
        return self._here.total()

    async def close(self) -> None:
        """Stop listening and end every connection."""
        if self._server is not None:
            self._server.close()
        for task in tuple(self._running):
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        source = _source(writer)
        if self.connections >= self._most or self._here[source] >= self._most_of_one:
            writer.transport.abort()
            return
        self._here[source] += 1
        task = asyncio.current_task()
        if task is not None:
            self._running.add(task)
            task.add_done_callback(self._running.discard)
        try:
            await self._connect(reader, writer)
        except asyncio.CancelledError:
            pass  # the referee is closing; asyncio would print the traceback of a handler that ends like this
        finally:
            writer.transport.abort()
            self._here[source] -= 1
            if not self._here[source]:
                del self._here[source]

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            inner_reader, inner_writer = await asyncio.open_unix_connection(str(self._inner), limit=CHUNK_BYTES)
        except OSError:
            return
        try:
            await splice((reader, writer), (inner_reader, inner_writer))
        finally:
            await asyncio.gather(hang_up(writer), hang_up(inner_writer))


def _source(writer: asyncio.StreamWriter) -> str:
    """Return whom a connection is counted to, and have the kernel notice when the other side is gone."""
    raw: socket.socket = writer.get_extra_info("socket")
    with contextlib.suppress(OSError):
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    peer = writer.get_extra_info("peername")
    host = str(peer[0]).partition("%")[0] if isinstance(peer, tuple) else "?"
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if address.version == 4:
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, 64), strict=False))
