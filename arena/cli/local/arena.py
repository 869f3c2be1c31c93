"""Runs an arena on this machine: broker, API, web page, dispatcher and workers, until told to stop."""

from __future__ import annotations

import asyncio
import json
import secrets
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

import redis.asyncio
from redis.exceptions import RedisError

from arena.cli.local.broker import broker_command, broker_url, find_broker
from arena.cli.local.child import STOP_S, Child, Program
from arena.cli.local.folder import DataFolder, locked_folder
from arena.cli.local.goingon import go_on
from arena.cli.local.prepare import prepare
from arena.hosting.layers import SandboxCheck
from arena.hosting.temporary import owned_folder
from arena.net.tls import Identity
from arena.services.setting_aside import SET_ASIDE_AFTER
from arena.store import open_store, sqlite_url

LEASH: Final = "--exit-with-parent"
POLL_S: Final = 0.02
GRACE_S: Final = 3.0
DEFAULT_PUBLIC: Final = "127.0.0.1:0"


@dataclass(frozen=True, slots=True)
class Tls:
    """The files of a certificate and its key, and what they hold."""

    certificate: Path
    key: Path
    identity: Identity

    def options(self) -> list[str]:
        """Return the options that name the files to a server program."""
        return ["--tls-cert", str(self.certificate.absolute()), "--tls-key", str(self.key.absolute())]


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run. grpc: HOST:PORT, port 0 for any free one. workers: matches played at once.

    set_aside_after: matches that a version may fail in a row, 0 for any number. qualify: versions play a match at each
    of their games before they are accepted. grace_s: how many seconds running matches may go on when the arena stops.
    tls: what servers show, None for plain text. allow_plain_text: also beyond loopback. public: HOST:PORT where remote
    seats are taken; each worker that takes them has a port of its own, counted up from there, or any free one for 0.
    web: HOST:PORT of the web page, "" for none.
    """

    data: Path
    workers: int
    grpc: str
    unsafe: bool = False
    set_aside_after: int = SET_ASIDE_AFTER
    qualify: bool = True
    grace_s: float = GRACE_S
    tls: Tls | None = None
    allow_plain_text: bool = False
    public: str = DEFAULT_PUBLIC
    web: str = ""

    def server_options(self) -> list[str]:
        """Return the options that say what a server shows, and where it may speak plain text."""
        options = [] if self.tls is None else self.tls.options()
        return [*options, "--allow-plain-text"] if self.allow_plain_text else options

    @property
    def public_workers(self) -> range:
        """Which workers, counted from 1, also play matches with remote seats.

        Those may wait for people, so the first of several does not: tournaments of hosted bots always go on.
        """
        return range(min(2, self.workers), self.workers + 1)

    def public_options(self, number: int) -> list[str]:
        """Return the options of a worker that make it public, if it is."""
        if number not in self.public_workers:
            return []
        host, _, port = self.public.rpartition(":")
        own = int(port) and int(port) + number - self.public_workers[0]
        return ["--public-address", f"{host}:{own}", *self.server_options()]


@dataclass(frozen=True, slots=True)
class LocalArena:
    """A running arena. grpc: the address with its real port. web: the page's URL, "" without one."""

    grpc: str
    data: Path
    token_file: Path
    web: str = ""


@asynccontextmanager
async def local_arena(plan: Plan, say: Callable[[str], None]) -> AsyncIterator[LocalArena]:
    """Start everything, yield when it serves, stop everything; say is told what a person should know meanwhile.

    Raises Conflict if an arena runs on the data folder, Unavailable for what is missing (sandbox, broker, port).
    """
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(locked_folder(plan.data))
        if not plan.unsafe:
            await SandboxCheck().require()
        program = find_broker()
        database = sqlite_url(folder.path)
        prepare(database, folder.token_file)
        for line in _go_on(database):
            say(line)
        socket = stack.enter_context(folder.broker_socket())
        await _started(stack, _broker(program, socket, folder), say)
        api = await _started(stack, _api(plan.grpc, database, folder, plan), say)
        address = _said(await api.first_line(), "grpc")
        # A restarted API has to come back to the port that people know.
        api.program = _api(address, database, folder, plan)
        environment = {
            "ARENA_DATABASE": database,
            "ARENA_BROKER": broker_url(socket),
            "ARENA_PUBLIC_SLOTS": str(len(plan.public_workers)),
            "ARENA_UNSAFE_NO_SANDBOX": "1" if plan.unsafe else "0",
            "ARENA_SET_ASIDE_AFTER": str(plan.set_aside_after),
            "ARENA_GRACE_S": f"{plan.grace_s:.3f}",
            # What a killed worker leaves behind goes with us; what we leave when killed, with the next arena.
            "TMPDIR": str(stack.enter_context(owned_folder("whiteout-up-"))),
        }
        workers = [Child(_worker(number, folder, environment, plan), say) for number in range(1, plan.workers + 1)]
        stack.push_async_callback(_stop_all, workers)
        for worker in workers:
            await worker.start()
        await _started(stack, _dispatcher(folder, environment), say)
        url = await _web_page(stack, plan, folder, environment, say) if plan.web else ""
        stack.enter_context(folder.announced(address, None if plan.tls is None else plan.tls.identity))
        yield LocalArena(address, folder.path, folder.token_file, url)


async def _started(stack: AsyncExitStack, program: Program, say: Callable[[str], None]) -> Child:
    child = Child(program, say)
    stack.push_async_callback(child.stop)
    await child.start()
    return child


async def _stop_all(children: list[Child]) -> None:
    await asyncio.gather(*(child.stop() for child in children))


def _go_on(database: str) -> list[str]:
    store = open_store(database)
    try:
        return go_on(store, datetime.now(UTC))
    finally:
        store.close()


def _broker(program: Path, socket: Path, folder: DataFolder) -> Program:
    command = broker_command(program, socket)
    return Program("broker", command, folder.logs / "broker.log", ready=partial(_broker_answers, socket))


async def _broker_answers(socket: Path, _child: Child) -> None:
    while True:
        try:
            async with redis.asyncio.Redis(unix_socket_path=str(socket)) as client:
                await client.ping()
        except (RedisError, OSError):
            await asyncio.sleep(POLL_S)
        else:
            return


def _api(address: str, database: str, folder: DataFolder, plan: Plan) -> Program:
    command = [sys.executable, "-m", "arena.api", "--database", database, "--grpc", address, LEASH]
    if not plan.qualify:
        command.append("--skip-qualification")
    command += plan.server_options()
    return Program("api", command, folder.logs / "api.log", ready=_listens)


async def _listens(child: Child) -> None:
    await child.first_line()


def _said(line: str, what: str) -> str:
    return str(json.loads(line)[what])


async def _web_page(
    stack: AsyncExitStack, plan: Plan, folder: DataFolder, environment: dict[str, str], say: Callable[[str], None]
) -> str:
    """Start the web page and return its URL; started again, it keeps its port and everybody's sign-in."""
    own = {**environment, "ARENA_WEB_KEY": secrets.token_hex(32)}
    page = await _started(stack, _web(plan.web, folder, own, plan), say)
    url = _said(await page.first_line(), "web")
    page.program = _web(url.rpartition("/")[2], folder, own, plan)
    return url


def _web(address: str, folder: DataFolder, environment: dict[str, str], plan: Plan) -> Program:
    command = [sys.executable, "-m", "arena.web", "--listen", address, LEASH, *plan.server_options()]
    return Program("web", command, folder.logs / "web.log", environment, ready=_listens)


def _worker(number: int, folder: DataFolder, environment: dict[str, str], plan: Plan) -> Program:
    name = f"worker-{number}"
    command = [sys.executable, "-m", "worker", LEASH, *plan.public_options(number)]
    return Program(name, command, folder.logs / f"{name}.log", environment, stop_s=plan.grace_s + STOP_S)


def _dispatcher(folder: DataFolder, environment: dict[str, str]) -> Program:
    command = [sys.executable, "-m", "worker.dispatcher", LEASH]
    return Program("dispatcher", command, folder.logs / "dispatcher.log", environment)
