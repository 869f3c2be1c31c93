"""Runs the API server: `python -m arena.api --data DIR`; stdout says {"grpc": ADDRESS} once it listens."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from arena.api.server import Server
from arena.api.site import Site
from arena.core.errors import ArenaError, UsageError
from arena.net.given import given_database
from arena.net.tls import Identity, add_tls_options, read_identity
from arena.store import migrate, open_store, sqlite_url
from arena.telemetry.endpoint import HELP, METRICS, Endpoint, Readiness
from arena.telemetry.figures import CallFigures, new_registry
from arena.telemetry.logs import configure


def main(arguments: Sequence[str]) -> int:
    """Serve until told to stop; return the exit code."""
    asked = _parser().parse_args(arguments)
    configure("api")
    try:
        asyncio.run(_serve(asked, read_identity(asked.tls_cert, asked.tls_key), _prepare(asked)))
    except ArenaError as error:
        print(f"error: {error.message}", file=sys.stderr)
        return error.exit_code
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m arena.api", description="The gRPC API of a Whiteout arena.")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--data", type=Path, metavar="DIR", help="data folder; its SQLite database is made if need be")
    where.add_argument("--database", metavar="URL", help="a prepared database; else $ARENA_DATABASE")
    parser.add_argument("--grpc", default="127.0.0.1:7070", metavar="HOST:PORT", help="port 0 takes any free one")
    add_tls_options(parser)
    parser.add_argument("--skip-qualification", action="store_true", help="accept bots without a match")
    parser.add_argument("--metrics", default=os.environ.get(METRICS, ""), metavar="HOST:PORT", help=HELP)
    parser.add_argument("--exit-with-parent", action="store_true", help="stop when standard input closes")
    return parser


def _prepare(asked: argparse.Namespace) -> str:
    """Return the database's URL; a data folder gets its database first.

    The environment is there for a URL with a password, which has no place in a list of processes.
    """
    if asked.data is None:
        url = asked.database or given_database(os.environ)
        if not url:
            raise UsageError("no database; give --data DIR or --database URL, or set ARENA_DATABASE")
        return str(url)
    try:
        asked.data.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"data folder {asked.data}: {error.strerror}; name another with --data") from None
    url = sqlite_url(asked.data)
    migrate(url)
    return url


async def _serve(asked: argparse.Namespace, identity: Identity | None, url: str) -> None:
    store = open_store(url)
    registry = new_registry()
    endpoint = None
    try:
        if asked.metrics:
            endpoint = Endpoint(asked.metrics, registry, Readiness({"database": store.check}))
        stop = asyncio.Event()
        _stop_on_signals(stop)
        site = Site(
            store, now=lambda: datetime.now(UTC), stopping=asyncio.Event(), qualify=not asked.skip_qualification,
            figures=CallFigures(registry),
        )  # fmt: skip
        server = Server(site)
        address = await server.start(asked.grpc, identity=identity, allow_plain_text=asked.allow_plain_text)
        print(json.dumps({"grpc": address}), flush=True)
        if asked.exit_with_parent:
            _when_stdin_closes(asyncio.get_running_loop(), stop.set)
        await stop.wait()
        await server.stop()
    finally:
        if endpoint is not None:
            endpoint.close()
        store.close()


def _stop_on_signals(stop: asyncio.Event) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)


def _when_stdin_closes(loop: asyncio.AbstractEventLoop, act: Callable[[], None]) -> None:
    def wait() -> None:
        while os.read(0, 4096):
            continue
        loop.call_soon_threadsafe(act)

    threading.Thread(target=wait, name="parent-watch", daemon=True).start()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
