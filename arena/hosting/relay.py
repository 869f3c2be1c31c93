"""A unix socket of this machine that leads to a seat elsewhere, so that a bot need not know where it plays."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Final, Self

from arena.core.pings import SILENT_S
from arena.net.addresses import split_address
from arena.net.splice import CHUNK_BYTES, Ends, hang_up, splice

FIRST_PAUSE_S: Final = 0.1
LONGEST_PAUSE_S: Final = 2.0
CONNECT_S: Final = 5.0
"""How long one try to reach the other side may take."""

_ALIVE: Final = (
    # A network that is gone without a word is noticed after some twenty seconds.
    ("SO_KEEPALIVE", socket.SOL_SOCKET, 1),
    ("TCP_KEEPIDLE", socket.IPPROTO_TCP, 10),
    ("TCP_KEEPINTVL", socket.IPPROTO_TCP, 5),
    ("TCP_KEEPCNT", socket.IPPROTO_TCP, 2),
    ("TCP_USER_TIMEOUT", socket.IPPROTO_TCP, 20_000),
    ("TCP_NODELAY", socket.IPPROTO_TCP, 1),
)


class Relay:
    """Listens on a socket and joins whoever connects to a referee's public address.

    While that cannot be reached, the bot's connection is held and the other side tried again and again: a bot gives up
    after a few tries, a network comes back later. certificate: the one that has to be shown there, PEM, empty for plain
    text. say: is told of trouble, in a line each time it changes. silent_s: a line is dead on which nothing has come
    for so long; the kernel notices some, but not where something on the way goes on taking bytes.
    """

    def __init__(
        self,
        path: Path,
        address: str,
        certificate: bytes,
        say: Callable[[str], None],
        silent_s: float = SILENT_S,
    ) -> None:
        self._path = path
        self._host, self._port = split_address(address, lowest_port=1)
        self._context = _context(certificate) if certificate else None
        self._say = say
        self._silent_s = silent_s
        self._trouble = ""
        self._server: asyncio.Server | None = None
        self._running: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        """Begin to listen."""
        self._server = await asyncio.start_unix_server(self._take, str(self._path), limit=CHUNK_BYTES)
        return self

    async def __aexit__(self, *_error: object) -> None:
        """End every connection."""
        if self._server is not None:
            self._server.close()
        for task in tuple(self._running):
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._running.add(task)
            task.add_done_callback(self._running.discard)
        # A task that ends as cancelled would have asyncio print its traceback.
        with contextlib.suppress(asyncio.CancelledError):
            try:
                other = await self._reach()
                try:
                    broken = await splice((reader, writer), other, self._silent_s)
                    if isinstance(broken, TimeoutError):
                        self._tell(_words(broken))
                finally:
                    await hang_up(other[1])
            finally:
                await hang_up(writer)

    async def _reach(self) -> Ends:
        """Return a connection to the other side, however long that takes."""
        pause_s = FIRST_PAUSE_S
        while True:
            try:
                async with asyncio.timeout(CONNECT_S):
                    ends = await asyncio.open_connection(
                        self._host, self._port, ssl=self._context, limit=CHUNK_BYTES,
                        server_hostname=self._host if self._context is not None else None,
                    )  # fmt: skip
            except (OSError, TimeoutError) as error:
                self._tell(_words(error))
            else:
                _keep_alive(ends[1])
                self._tell("")
                return ends
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)

    def _tell(self, trouble: str) -> None:
        if trouble != self._trouble:
            self._trouble = trouble
            where = f"{self._host}:{self._port}"
            self._say(
                f"{where} cannot be reached ({trouble}); trying again" if trouble else f"{where} is reached again"
            )


def _context(certificate: bytes) -> ssl.SSLContext:
    """Return what trusts this very certificate and nothing else: whatever name stands in it, it was announced."""
    context = ssl.create_default_context(cadata=certificate.decode("ascii"))
    context.check_hostname = False
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    context.set_alpn_protocols(["h2"])
    return context


def _words(error: BaseException) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not the one that was announced: {error.verify_message}"
    if isinstance(error, TimeoutError):
        return "no answer"
    number = getattr(error, "errno", None)  # the text of asyncio's errors repeats the address
    return os.strerror(number) if isinstance(number, int) and number > 0 else type(error).__name__


def _keep_alive(writer: asyncio.StreamWriter) -> None:
    raw: socket.socket = writer.get_extra_info("socket")
    for name, level, value in _ALIVE:
        with contextlib.suppress(AttributeError, OSError):  # not on every system
            raw.setsockopt(level, getattr(socket, name), value)
