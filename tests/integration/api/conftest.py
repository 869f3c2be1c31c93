"""A real API server on a real SQLite file, in this process, with a clock that tests move."""

import asyncio
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from apithread import Api

from arena.api.limits import Limits
from arena.api.site import Site
from arena.cli.client import Session, create_tournament, start_tournament, submit_folder
from arena.cli.places import Door, Trust
from arena.match.result import MatchEnd, MatchResult, SeatEnd
from arena.net.tls import Identity
from arena.services import accounts, dispatch, results
from arena.store import Store, migrate, open_store, sqlite_url
from arena.v1 import account_pb2

START = datetime(2030, 1, 2, 12, tzinfo=UTC)
LOG = "".join(f'{{"line": {number}, "text": "{"x" * 60}"}}\n' for number in range(1500))


@dataclass
class Clock:
    now: datetime = START

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **span: float) -> None:
        self.now += timedelta(**span)


@dataclass
class Arena:
    """A running server, and what a test asks of the world around it."""

    folder: Path
    store: Store
    clock: Clock
    admin: str
    address: str = ""
    stop: Callable[[], None] = lambda: None
    sessions: list[Session] = field(default_factory=list)
    trust: Trust | None = None

    def session(self, secret: str | None = None) -> Session:
        made = Session(Door(self.address, secret or self.admin, self.trust))
        self.sessions.append(made)
        return made

    def author(self, name: str, role: account_pb2.Role.ValueType = account_pb2.ROLE_AUTHOR) -> Session:
        """A session of a new account."""
        admin = self.session()
        admin.call(admin.accounts.CreateAccount, account_pb2.CreateAccountRequest(name=name, role=role))
        made = admin.call(admin.accounts.IssueToken, account_pb2.IssueTokenRequest(account=name))
        return self.session(made.secret)

    def bot_folder(self, name: str, text: str = "print('hello')\n") -> Path:
        folder = self.folder / "bots" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "bot.toml").write_text(f'name = "{name}"\ngames = ["first-snow"]\n', encoding="utf-8")
        (folder / "bot.py").write_text(text, encoding="utf-8")
        return folder

    def submit(self, session: Session, *names: str) -> None:
        for name in names:
            submit_folder(session, self.bot_folder(name, f"print('{name}')\n"))

    def started(self, session: Session, name: str, *bots: str, deals: int = 1) -> str:
        create_tournament(session, name, "first-snow", list(bots), deals)
        start_tournament(session, name)
        return name

    def play(self, blocks: int = 1000) -> int:
        """Record a result for every leg of so many queued blocks: seat 0 wins 20 to 10. Returns the legs played."""
        legs = 0
        for _ in range(blocks):
            claim = dispatch.claim(self.store, "test:1", self.clock())
            if claim is None:
                break
            for leg in claim.legs:
                legs += 1
                ends = (SeatEnd.PLAYED, SeatEnd.PLAYED)
                outputs = tuple(
                    results.SeatOutput(f"out {seat.bot}\n\x1b[2J".encode(), truncated=False) for seat in leg.seats
                )
                times = tuple(results.SeatTimes((5, 9), (0, 4)) for _ in leg.seats)
                recording = results.Recording(
                    block_id=claim.block_id,
                    attempt=claim.attempt,
                    match_id=leg.match_id,
                    result=MatchResult(MatchEnd.COMPLETED, ends, (1, 2), (20, 10), "points", 42),
                    log=LOG,
                    outputs=outputs,
                    times=times,
                )
                results.record(self.store, recording, self.clock())
        return legs


@pytest.fixture(scope="session")
def prepared(tmp_path_factory) -> tuple[Path, str]:
    """A migrated database with the first account, and its token."""
    folder = tmp_path_factory.mktemp("prepared")
    url = sqlite_url(folder)
    migrate(url)
    store = open_store(url)
    made = accounts.bootstrap(store, START)
    store.close()
    assert made is not None
    return Path(url.removeprefix("sqlite:///")), made.secret


@pytest.fixture
def arena(arena_with) -> Arena:
    return arena_with()


@pytest.fixture
def arena_with(prepared, tmp_path) -> Iterator[Callable[..., Arena]]:
    """Start an arena; a second one has the same database. identity: for TLS. limits: of each account."""
    database, secret = prepared
    shutil.copy(database, tmp_path)
    with ExitStack() as stack:

        def start(
            identity: Identity | None = None, limits: Limits | None = None, address: str = "127.0.0.1:0"
        ) -> Arena:
            store = open_store(sqlite_url(tmp_path))
            stack.callback(store.close)
            world = Arena(tmp_path, store, Clock(), secret)
            site = Site(
                store, world.clock, asyncio.Event(), 0.02, max_archive_bytes=200_000, qualify=False,
                limits=limits or Limits(),
            )  # fmt: skip
            api = stack.enter_context(Api(lambda: site, address, identity=identity))
            world.address, world.stop = api.address, api.stop
            stack.callback(lambda: [session.close() for session in world.sessions])
            return world

        yield start


@pytest.fixture
def admin(arena) -> Session:
    return arena.session()


@pytest.fixture
def run(arena, capsys, monkeypatch):
    """Run one `arena` command line against the server as its admin; returns (exit code, stdout, stderr)."""
    from arena.cli.main import run as run_line

    for name in [name for name in os.environ if name.startswith("ARENA_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("ARENA_SERVER", arena.address)
    monkeypatch.setenv("ARENA_TOKEN", arena.admin)

    def command(*arguments: str) -> tuple[int, str, str]:
        code = run_line(arguments)
        out = capsys.readouterr()
        return code, out.out, out.err

    return command
