"""The API server on an event loop of its own thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Self

from arena.api.server import Server
from arena.api.site import Site
from arena.core import pings
from arena.core.pings import Pings
from arena.net.tls import Identity

SOON_S = 20.0


class Api:
    """A running server; it can be stopped, and started again at its address.

    make_site: called for each start. identity: for TLS. asks: how it notices clients that are gone.
    """

    def __init__(
        self,
        make_site: Callable[[], Site],
        address: str = "127.0.0.1:0",
        *,
        identity: Identity | None = None,
        asks: Pings = pings.API,
    ) -> None:
        self._make_site = make_site
        self._identity = identity
        self._asks = asks
        self.address = address
        self.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop()

    def start(self) -> None:
        """Start it, and return once it listens."""
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()))
        self._thread.start()
        assert self._ready.wait(SOON_S)

    def stop(self) -> None:
        """Stop it, and return once it has ended; no effect if it has."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._end.set)
            self._thread.join(SOON_S)
        assert not self._thread.is_alive()

    async def _serve(self) -> None:
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        server = Server(self._make_site(), self._asks)
        self.address = await server.start(self.address, identity=self._identity)
        self._ready.set()
        await self._end.wait()
        await server.stop()
