"""An arena whose bots play from elsewhere: an API in a thread, and `arena connect` as processes."""

from __future__ import annotations

import asyncio
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import IO, Self

from apithread import Api
from botsources import FIRST
from playing import zipped
from sqlalchemy import text

from arena.api.site import Site
from arena.cli.client import Session
from arena.cli.places import Door
from arena.core import pings
from arena.core.pings import Pings
from arena.services import accounts, dispatch, matches, requests, submissions, tournaments
from arena.services.requests import Requested
from arena.store import open_store
from arena.store.records import Account, Match
from arena.store.states import Queue, Role

SOON_S = 60.0
CLOCK = "2m+0s,start=1m,margin=50ms"

WAITS = """
import os, pathlib, time
from bots.sdk import Bot, run
here = pathlib.Path({folder!r})
class Waits(Bot):
    turns = 0
    def choose(self, turn):
        self.turns += 1
        if self.turns == 3:
            (here / f"waits-{{os.getpid()}}").touch()
            while not (here / "go").exists():
                time.sleep(0.01)
        return turn.legal_actions[0]
run(Waits)
"""
"""Waits at its third turn until there is a file "go", and shows that by a file of its own."""


_PRESENT = """
SELECT count(*) FROM lobby
JOIN bot_versions ON bot_versions.id = lobby.version_id
JOIN bots ON bots.id = bot_versions.bot_id
WHERE bots.name = :name AND lobby.desk_id IS NOT NULL
"""


def now() -> datetime:
    return datetime.now(UTC)


def until(true: Callable[[], object], what: str, seconds: float = SOON_S) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"{what} does not come about"
        time.sleep(0.02)


class Author:
    """Somebody with an account, a token and folders with bots."""

    def __init__(self, arena: Remotely, account: Account, token: accounts.NewToken) -> None:
        self.account = account
        self.token = token
        self._arena = arena

    def session(self) -> Session:
        return Session(Door(self._arena.api.address, self.token.secret))

    def folder(self, name: str, source: str = FIRST) -> Path:
        folder = self._arena.folder / "bots" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "bot.toml").write_text(f'name = "{name}"\ngames = ["*"]\n', encoding="utf-8")
        (folder / "bot.py").write_text(source, encoding="utf-8")
        return folder

    def connect(self, name: str, *options: str, source: str = FIRST, at: str = "", first: str = "") -> Connected:
        """Start `arena connect` and return once its bot waits in the lobby. at: instead of the API's own address."""
        made = Connected(self, self.folder(name, source), at or self._arena.api.address, options, first)
        made.wait_for("waits in the lobby")
        return made

    def submit(self, name: str, source: str = FIRST) -> None:
        archive = zipped({"bot.toml": f'name = "{name}"\ngames = ["*"]\n', "bot.py": source})
        submissions.submit(self._arena.store, self.account, archive, sha256(archive).hexdigest(), now())


class Remotely:
    """The arena. asks: how the API notices clients that are gone."""

    def __init__(self, url: str, folder: Path, asks: Pings = pings.API) -> None:
        self.url = url
        self.store = store = open_store(url)
        self.folder = folder
        first = accounts.bootstrap(store, now())
        assert first is not None
        self.admin = Author(self, accounts.authenticate(store, first.secret, now()), first)
        self.api = Api(lambda: Site(store, now, asyncio.Event(), poll_s=0.05, qualify=False), asks=asks)

    def close(self) -> None:
        self.api.stop()
        self.store.close()

    def author(self, name: str) -> Author:
        account = accounts.create_account(self.store, self.admin.account, name, Role.AUTHOR, now())
        return Author(self, account, accounts.issue_token(self.store, account, "", "", now()))

    def challenge(self, *bots: str, clock: str = CLOCK, blocks: int = 1) -> Requested:
        return requests.challenge(
            self.store, self.admin.account, now(), challenged=tuple((bot, 0) for bot in bots), game="first-snow",
            clock=clock, blocks=blocks,
        )  # fmt: skip

    def cancel(self, requested: Requested) -> None:
        tournaments.cancel(self.store, self.admin.account, requested.tournament.name, now())

    def match(self, match_id: int) -> Match:
        return matches.get_match(self.store, match_id)

    def wait_until_playable(self, blocks: int = 1) -> None:
        until(lambda: dispatch.count_queued(self.store, now(), Queue.REMOTE) >= blocks, "a playable block")

    def present(self, bot: str) -> bool:
        """Whether a bot is in the lobby."""
        with self.store.read() as tx:
            return bool(tx.scalar(text(_PRESENT), {"name": bot}))


class Connected:
    """A running `arena connect`; what it says is read as it comes. first: what its program does before anything."""

    def __init__(self, author: Author, folder: Path, server: str, options: tuple[str, ...], first: str = "") -> None:
        program = f"{first}\nfrom arena.cli.main import main; main()"
        self.output = folder.parent / f"{folder.name}-output.log"
        environment = {name: value for name, value in os.environ.items() if not name.startswith("ARENA_")}
        self._process = subprocess.Popen(
            [sys.executable, "-c", program, "connect", str(folder), "--server", server, "--output", str(self.output),
             *options],
            env={**environment, "ARENA_TOKEN": author.token.secret, "TMPDIR": str(folder.parent)},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        self.out: list[str] = []
        self.err: list[str] = []
        self._news: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._readers = [
            threading.Thread(target=self._read, args=pair, daemon=True)
            for pair in ((self._process.stdout, self.out), (self._process.stderr, self.err))
        ]
        for reader in self._readers:
            reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.kill()

    def wait_for(self, words: str, times: int = 1) -> str:
        """Return the line that says these words, once it has been said so often."""
        until(lambda: len(self._with(words)) >= times or not self.alive, f"{words!r} after {self.err} {self.out}")
        assert len(self._with(words)) >= times, (self.out, self.err)
        return self._with(words)[times - 1]

    def ended(self, seconds: float = SOON_S) -> int:
        """Return the exit code."""
        code = self._process.wait(seconds)
        for reader in self._readers:
            reader.join(5)
        return code

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def interrupt(self) -> None:
        self._process.send_signal(signal.SIGINT)

    def freeze(self) -> None:
        """Let it stand still, its connections open."""
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        self._process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """Kill it at once, with all that it has started."""
        if self.alive:
            os.killpg(self._process.pid, signal.SIGKILL)
        self.ended()
        for pipe in (self._process.stdout, self._process.stderr):
            assert pipe is not None
            pipe.close()

    def _with(self, words: str) -> list[str]:
        return [line for line in (*self.out, *self.err) if words in line]

    def _read(self, pipe: IO[str], lines: list[str]) -> None:
        lines.extend(line.rstrip("\n") for line in pipe)  # one by one, as they come
