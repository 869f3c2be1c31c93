"""A store, a broker and bots for workers; whatever was started is gone afterwards."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import psutil
import pytest
import redis
from databases import SqliteTemplate
from playing import World, zipped

from arena.cli.local.broker import broker_command, broker_url, find_broker
from arena.services import submissions
from arena.store import Store, open_store
from worker.slot import Slot


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> SqliteTemplate:
    return SqliteTemplate(tmp_path_factory.mktemp("template"))


@pytest.fixture
def url(tmp_path: Path, sqlite_template: SqliteTemplate) -> str:
    return sqlite_template.new_url(tmp_path)


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    opened = open_store(url)
    yield opened
    opened.close()


@pytest.fixture
def world(store: Store) -> World:
    return World(store)


@pytest.fixture
def submit(world: World) -> Callable[[str, str], None]:
    """Submit a bot with this program."""

    def send(name: str, source: str) -> None:
        archive = zipped({"bot.toml": f'name = "{name}"\ngames = ["*"]\n', "bot.py": source})
        submissions.submit(world.store, world.admin, archive, sha256(archive).hexdigest(), world.now)

    return send


@pytest.fixture
def slot(world: World) -> Iterator[Slot]:
    opened = Slot(world.store, "here:1", lambda: world.now)
    yield opened
    opened.close()


@pytest.fixture
def broker() -> Iterator[str]:
    """The URL of a broker of our own."""
    with tempfile.TemporaryDirectory(prefix="broker-") as folder:
        socket = Path(folder) / "broker.sock"
        server = subprocess.Popen(broker_command(find_broker(), socket), stdout=subprocess.DEVNULL)
        until = time.monotonic() + 20
        while not _answers(socket):
            assert time.monotonic() < until
        yield broker_url(socket)
        server.terminate()
        server.wait(10)


def _answers(socket: Path) -> bool:
    try:
        with redis.Redis(unix_socket_path=str(socket)) as client:
            return bool(client.ping())
    except redis.RedisError:
        return False


@pytest.fixture
def nothing_left() -> Iterator[None]:
    """Every process that a test starts below this one has ended with it."""
    before = set(psutil.Process().children(recursive=True))
    yield
    left = set(psutil.Process().children(recursive=True)) - before
    assert not psutil.wait_procs(left, timeout=5)[1]
