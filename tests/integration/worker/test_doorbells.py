"""Dispatcher, broker and worker programs together."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
import redis
from botsources import FIRST, SLEEPER
from playing import World

from arena.core.errors import Unavailable
from arena.services import dispatch, matches, presence, tournaments
from arena.store import open_store
from arena.store.states import MatchState, TournamentState
from worker.app import make_app, waiting
from worker.dispatcher import run, step

pytestmark = pytest.mark.usefixtures("nothing_left")


@pytest.fixture
def world(store) -> World:
    return World(store, datetime.now(UTC))


@pytest.fixture
def worker(url, broker):
    environment = {**os.environ, "ARENA_DATABASE": url, "ARENA_BROKER": broker}
    process = subprocess.Popen([sys.executable, "-m", "worker"], env=environment, stderr=subprocess.PIPE, text=True)
    yield process
    if process.poll() is None:
        process.kill()
        process.wait()
    process.stderr.close()


def until(true, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def serves(url: str) -> bool:
    """Whether a worker says that it is there."""
    with closing(open_store(url)) as store:
        return any(presence.count_present(store, datetime.now(UTC)).values())


def test_there_are_never_more_doorbells_than_queued_blocks_or_twice_the_slots(world, broker) -> None:
    app = make_app(broker)
    assert step(world.store, app, 2, world.now) == 0
    world.started("cup", "ada", "bert", "cleo", deals=2)
    assert step(world.store, app, 2, world.now) == 4
    assert step(world.store, app, 2, world.now) == 0
    assert waiting(app) == 4
    assert step(world.store, app, 100, world.now) == 2
    app.close()


def test_a_broker_that_is_away_is_named_and_waited_for(world, tmp_path) -> None:
    world.started("cup", "ada", "bert")
    app = make_app(f"redis+socket://{tmp_path}/missing.sock")
    with pytest.raises(Unavailable, match="broker"):
        step(world.store, app, 1, world.now)
    stop = threading.Event()
    threading.Timer(0.6, stop.set).start()
    run(world.store, app, lambda: world.now, stop)
    app.close()


def test_a_worker_answers_doorbells_until_the_tournament_is_over_and_ends_at_sigterm(
    world, submit, worker, broker
) -> None:
    submit("ada", FIRST)
    submit("bert", FIRST)
    world.started("cup", "ada", "bert", deals=2)
    app = make_app(broker)
    stop = threading.Event()
    dispatcher = threading.Thread(target=run, args=(world.store, app, lambda: datetime.now(UTC), stop))
    dispatcher.start()
    try:
        until(lambda: tournaments.get(world.store, "cup").state is TournamentState.FINISHED)
    finally:
        stop.set()
        dispatcher.join()
        app.close()
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(20) == 0
    assert "Traceback" not in worker.stderr.read()
    with redis.Redis(unix_socket_path=broker.removeprefix("redis+socket://")) as client:
        asked = client.info("commandstats")
    assert "cmdstat_brpop" in asked
    assert not {"cmdstat_zrem", "cmdstat_hdel"} & set(asked)  # by which a doorbell would be acknowledged


def test_a_worker_stopped_in_mid_match_hands_its_block_back(world, submit, worker, broker) -> None:
    submit("ada", SLEEPER)
    submit("bert", SLEEPER)
    world.started("cup", "ada", "bert", clock="none")
    app = make_app(broker)
    step(world.store, app, 1, datetime.now(UTC))
    until(lambda: matches.get_match(world.store, 1).running)
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(20) == 0
    assert dispatch.count_queued(world.store, datetime.now(UTC)) == 1
    assert matches.get_match(world.store, 1).state is MatchState.SCHEDULED
    app.close()


@pytest.fixture
def temporary() -> Iterator[Path]:
    """A folder with a path short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="worker-") as folder:
        yield Path(folder)


@pytest.mark.parametrize(
    ("begun", "number"), [("whiteout-referee-", signal.SIGTERM), ("whiteout-trial-", signal.SIGINT)]
)
def test_a_worker_told_to_end_while_it_starts_removes_what_it_has_begun(url, broker, temporary, begun, number) -> None:
    settings = {"ARENA_DATABASE": url, "ARENA_BROKER": broker, "TMPDIR": str(temporary)}
    with subprocess.Popen(
        [sys.executable, "-m", "worker"], env={**os.environ, **settings}, stderr=subprocess.PIPE, text=True
    ) as worker:
        try:
            # The trial may be over between two looks; then the worker is told while it begins to serve, or serves.
            until(lambda: list(temporary.glob(f"{begun}*")) or serves(url) or worker.poll() is not None)
            worker.send_signal(number)
            ended = worker.wait(20)
        finally:
            worker.kill()
        said = worker.stderr.read().strip()
    assert (ended, said) in {(0, ""), (0, "worker: Warm shutdown (MainProcess)")}
    assert list(temporary.iterdir()) == []


def test_a_worker_without_settings_says_which(tmp_path) -> None:
    done = subprocess.run([sys.executable, "-m", "worker"], capture_output=True, text=True, check=False, env={})
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("error: ARENA_DATABASE is not set")


def test_a_worker_on_a_full_disk_says_so_in_one_line(url, tmp_path) -> None:
    settings = {"ARENA_DATABASE": url, "ARENA_BROKER": f"redis+socket://{tmp_path}/missing.sock"}
    environment = {**os.environ, **settings}
    program = (
        "import tempfile; tempfile.tempdir = '/dev/full'; import runpy; runpy.run_module('worker', run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: this machine cannot play matches: ")
    assert done.stderr.count("\n") == 1


def test_a_worker_removes_what_killed_ones_left_before_it_plays_anything(tmp_path) -> None:
    for prefix in (
        "whiteout-block-",
        "whiteout-bot-",
        "whiteout-large-",
        "whiteout-library-",
        "whiteout-referee-",
        "whiteout-seats-",
        "whiteout-trial-",
    ):
        (tmp_path / f"{prefix}1").mkdir()
        (tmp_path / f"{prefix}1" / ".owner").touch()
    settings = {"ARENA_DATABASE": f"sqlite:///{tmp_path}/missing/arena.db", "ARENA_BROKER": "redis+socket:///missing"}
    environment = {**os.environ, **settings, "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-m", "worker"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, list(tmp_path.iterdir())) == (1, []), done.stderr
