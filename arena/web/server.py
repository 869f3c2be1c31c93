"""The web server's process: what it listens on, how long it lives, how it stops."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import socket
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, closing, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import uvicorn

from arena.core.errors import Unavailable, UsageError
from arena.net.addresses import split_address
from arena.net.given import BROKER, given, given_database
from arena.net.tls import check_plain_text, read_identity
from arena.store import Store, open_store
from arena.telemetry.endpoint import Endpoint, Readiness
from arena.telemetry.figures import PageFigures, new_registry
from arena.web.app import make_app
from arena.web.connections import Connection
from arena.web.site import Site

KEY_VARIABLE: Final = "ARENA_WEB_KEY"
"""The key of cookies, 64 hex digits: servers that share it share sign-ins. Without it each start makes its own."""

MAX_REQUESTS: Final = 200
"""Requests at once, live streams among them; more are told to come back."""

MAX_HEAD_BYTES: Final = 16 * 1024
KEEP_ALIVE_S: Final = 15
STOP_S: Final = 3


async def serve(asked: argparse.Namespace) -> None:
    """Serve until SIGTERM, SIGINT or, on a leash, the end of standard input.

    Raises UsageError for what cannot be served so, Unavailable for an address in use or a database that is away.
    """
    database = asked.database or given_database(os.environ)
    if not database:
        raise UsageError("no database; give --database URL, or set ARENA_DATABASE")
    identity = read_identity(asked.tls_cert, asked.tls_key)
    check_plain_text(asked.listen, identity, allowed=asked.allow_plain_text)
    secure = identity is not None or asked.behind_tls
    with closing(open_store(database)) as store, ExitStack() as stack:
        registry = new_registry()
        if asked.metrics:
            stack.enter_context(closing(Endpoint(asked.metrics, registry, Readiness({"database": store.check}))))
        site = _site(store, PageFigures(registry), secure=secure, broker=asked.broker or given(os.environ, BROKER))
        listener = stack.enter_context(_listening(asked.listen))
        server = WebServer(site, listener, tls_cert=asked.tls_cert, tls_key=asked.tls_key)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, server.stop)
        if asked.exit_with_parent:
            _when_stdin_closes(loop, server.stop)
        print(json.dumps({"web": server.url}), flush=True)
        await server.run()


class WebServer:
    """One site behind one listening socket."""

    def __init__(
        self,
        site: Site,
        listener: socket.socket,
        *,
        tls_cert: Path | None = None,
        tls_key: Path | None = None,
        connection: type[Connection] = Connection,
    ) -> None:
        self._site, self._listener = site, listener
        host, port = listener.getsockname()[:2]
        scheme = "http" if tls_cert is None else "https"
        self.url = f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"
        self._app = make_app(site)
        config = uvicorn.Config(
            self._app,
            lifespan="off",
            loop="none",
            http=connection,
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=MAX_REQUESTS,
            h11_max_incomplete_event_size=MAX_HEAD_BYTES,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=STOP_S,
            ssl_certfile=tls_cert,
            ssl_keyfile=tls_key,
        )
        self._server = _Quiet(config)

    async def run(self) -> None:
        """Serve until stop is called."""
        self._app.state.parlour.begin()
        try:
            await self._server.serve(sockets=[self._listener])
            if cancelled := set(self._server.server_state.tasks):  # requests that took too long to end
                await asyncio.wait(cancelled, timeout=STOP_S)
        finally:
            await self._app.state.hub.close()
            await self._app.state.parlour.close()

    def stop(self) -> None:
        """Take no more requests, end streams, let the rest finish; for the event loop's own thread."""
        self._site.stopping.set()
        self._server.should_exit = True


class _Quiet(uvicorn.Server):
    """Leaves signals to whoever runs it."""

    def capture_signals(self) -> AbstractContextManager[None]:  # type: ignore[override] # a generator there
        return nullcontext()


def _site(store: Store, figures: PageFigures, *, secure: bool, broker: str) -> Site:
    text = given(os.environ, KEY_VARIABLE)
    if not text:
        return Site(store, now=lambda: datetime.now(UTC), secure=secure, broker=broker, figures=figures)
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) < 32:
        raise UsageError(f"{KEY_VARIABLE} is no key; set it to 64 hex digits, such as `openssl rand -hex 32` prints")
    return Site(store, now=lambda: datetime.now(UTC), secure=secure, key=key, broker=broker, figures=figures)


def _listening(address: str) -> socket.socket:
    """Return a socket that listens on HOST:PORT. Raises Unavailable (ADDRESS_IN_USE)."""
    host, port = split_address(address)
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        listener = socket.socket(found[0][0], socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(found[0][4])
            listener.listen(MAX_REQUESTS)
        except OSError:
            listener.close()
            raise
    except OSError as error:
        why = error.strerror or str(error)
        raise Unavailable(
            f"cannot listen on {address} ({why}); choose another address or stop what uses it", reason="ADDRESS_IN_USE"
        ) from None
    return listener


def _when_stdin_closes(loop: asyncio.AbstractEventLoop, act: Callable[[], None]) -> None:
    def wait() -> None:
        while os.read(0, 4096):
            continue
        loop.call_soon_threadsafe(act)

    threading.Thread(target=wait, name="parent-watch", daemon=True).start()
