"""`arena up`: a whole arena on this machine, until it is told to stop."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.local.arena import DEFAULT_PUBLIC, GRACE_S, Plan, Tls, local_arena
from arena.cli.local.goingon import left_for_later
from arena.cli.options import PlainTextOption, TlsCertOption, TlsKeyOption
from arena.cli.output import note, say
from arena.cli.places import check_address, data_folder
from arena.net.tls import check_plain_text, read_identity
from arena.services.setting_aside import SET_ASIDE_AFTER

DEFAULT_GRPC = "127.0.0.1:7070"
DEFAULT_WEB = "127.0.0.1:8080"
NO_WEB = "none"


def up(
    *,
    data: Annotated[Path | None, typer.Option("--data", metavar="DIR", help="Data folder; made if need be.")] = None,
    workers: Annotated[int | None, typer.Option("--workers", min=1, help="Matches at once; else one per core.")] = None,
    grpc: Annotated[str, typer.Option("--grpc", metavar="HOST:PORT", help="Where the API listens.")] = DEFAULT_GRPC,
    web: Annotated[
        str, typer.Option("--web", metavar="HOST:PORT", help="Where the web page is; `none` for no page.")
    ] = DEFAULT_WEB,
    public_address: Annotated[
        str, typer.Option("--public-address", metavar="HOST:PORT", help="Where remote bots take their seats.")
    ] = DEFAULT_PUBLIC,
    tls_cert: TlsCertOption = None,
    tls_key: TlsKeyOption = None,
    allow_plain_text: PlainTextOption = False,
    unsafe: Annotated[bool, typer.Option("--unsafe-no-sandbox", help="Run bots unprotected; logs say so.")] = False,
    set_aside_after: Annotated[
        int, typer.Option("--set-aside-after", min=0, help="Failed matches in a row; 0: never.")
    ] = SET_ASIDE_AFTER,
    skip_qualification: Annotated[
        bool, typer.Option("--skip-qualification", help="Accept bots without a match: among friends.")
    ] = False,
    grace: Annotated[
        float,
        typer.Option("--grace", min=0, max=3600, metavar="SECONDS", help="What running matches may take at a stop."),
    ] = GRACE_S,
    exit_with_parent: Annotated[bool, typer.Option("--exit-with-parent", hidden=True)] = False,
) -> None:
    """Run everything on this machine: API, web page, dispatcher, workers, broker, SQLite. Ctrl-C stops it."""
    os.umask(0o077)  # the database holds what decides rated play; nobody else is to read it
    identity = read_identity(tls_cert, tls_key)
    for address in (grpc, public_address, *([] if web == NO_WEB else [web])):
        check_plain_text(address, identity, allowed=allow_plain_text)
    plan = Plan(
        data_folder(data),
        workers or len(os.sched_getaffinity(0)),
        check_address(grpc, lowest_port=0),  # port 0: a free one
        unsafe,
        set_aside_after=set_aside_after,
        qualify=not skip_qualification,
        grace_s=grace,
        tls=None if identity is None or not tls_cert or not tls_key else Tls(tls_cert, tls_key, identity),
        allow_plain_text=allow_plain_text,
        public=check_address(public_address, lowest_port=0),
        web="" if web == NO_WEB else check_address(web, lowest_port=0),
    )
    asyncio.run(_run(plan, leashed=exit_with_parent))


async def _run(plan: Plan, *, leashed: bool) -> None:
    """Keep the arena up until SIGTERM, SIGINT or, on a leash, the end of standard input."""
    loop = asyncio.get_running_loop()
    main = asyncio.ensure_future(_serve(plan))
    asked = asyncio.Event()

    def stop() -> None:
        if not asked.is_set():  # an impatient second Ctrl-C must not break the stopping off
            asked.set()
            main.cancel()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
    if leashed:
        threading.Thread(target=_watch_parent, args=(loop, stop), name="parent-watch", daemon=True).start()
    try:
        await main
    except asyncio.CancelledError:
        note("stopped")
        for line in left_for_later(plan.data):
            note(line)


async def _serve(plan: Plan) -> None:
    async with local_arena(plan, note) as arena:
        spoken = "gRPC" if plan.tls is None else "gRPC with TLS"
        say(f"the arena is up: {spoken} {arena.grpc}, {plan.workers} worker{'s' * (plan.workers != 1)}")
        if arena.web:
            say(f"web page: {arena.web}")
        say(f"data: {arena.data}")
        if arena.token_file.exists():
            say(f"admin token: {arena.token_file} (only you can read it)")
        if plan.unsafe:
            note("bots run WITHOUT a sandbox; every log says so")
        note("Ctrl-C stops it")
        sys.stdout.flush()  # whoever started us waits for these lines
        await asyncio.Event().wait()


def _watch_parent(loop: asyncio.AbstractEventLoop, stop: Callable[[], None]) -> None:
    while os.read(0, 4096):
        continue
    loop.call_soon_threadsafe(stop)
