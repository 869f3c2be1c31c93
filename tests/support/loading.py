"""A platform under load: real broker, dispatcher, workers and database; only playing is replaced by a stub."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import psutil
from playing import World
from sqlalchemy import func, select

from arena.cli.local.broker import broker_command, broker_url, find_broker
from arena.services import tournaments
from arena.store import Store, open_store
from arena.store.states import Format, MatchState, Queue
from arena.store.tables import matches
from worker.app import make_app, waiting

STUB = Path(__file__).with_name("stubworker.py")
CUP_BOTS = 100
CUP_MATCHES = CUP_BOTS * (CUP_BOTS - 1)
"""Each pair plays one block of two legs."""


@dataclass
class Sample:
    """How it stands: seconds since the start, matches recorded, CPU seconds so far and memory by process, doorbells."""

    at_s: float
    done: int
    cpu_s: dict[str, float]
    memory_mb: dict[str, float]
    doorbells: int


@dataclass
class Run:
    """What a run showed. scheduled_s: CPU seconds of the scheduling alone."""

    workers: int
    matches: int
    scheduled_s: float
    samples: list[Sample] = field(default_factory=list)

    def cost_ms(self, first: int, last: int) -> float:
        """Return the CPU milliseconds of all processes per match, between so many recorded and so many."""
        at, until = self._nearest(first), self._nearest(last)
        return 1000 * (sum(until.cpu_s.values()) - sum(at.cpu_s.values())) / (until.done - at.done)

    def rate(self, first: int, last: int) -> float:
        """Return the matches per second between so many recorded and so many."""
        at, until = self._nearest(first), self._nearest(last)
        return (until.done - at.done) / (until.at_s - at.at_s)

    def memory_mb(self, process: str, first: int, last: int) -> float:
        """Return the most memory of a process between so many recorded and so many."""
        return max(one.memory_mb.get(process, 0.0) for one in self.samples if first <= one.done <= last)

    def _nearest(self, done: int) -> Sample:
        return min(self.samples, key=lambda one: abs(one.done - done))


def plan(bots: int, wanted: int) -> list[tuple[str, int, int, Format, int]]:
    """Return (name, first bot, bots, format, deals) of tournaments that have so many matches together.

    Cups of a hundred bots each, then a smaller one, and a ladder of all bots for what is left: each kind is there.
    """
    found, left, first = [], wanted, 0
    while left >= CUP_MATCHES and first + CUP_BOTS <= bots:
        found.append((f"cup-{first}", first, CUP_BOTS, Format.ROUND_ROBIN, 1))
        left, first = left - CUP_MATCHES, first + CUP_BOTS
    few = next(count for count in range(2, CUP_BOTS + 2) if count * (count + 1) > left * 3 // 4)
    if few * (few - 1) <= left:
        found.append(("small-cup", 0, min(few, bots), Format.ROUND_ROBIN, 1))
        left -= min(few, bots) * (min(few, bots) - 1)
    if left > 1:
        found.append(("ladder", 0, bots, Format.LADDER, left // 2))
    return found


@contextmanager
def platform(url: str, folder: Path, workers: int) -> Iterator[tuple[str, dict[str, psutil.Process]]]:
    """Start broker, dispatcher and workers; yield the broker's URL and the processes. All are gone afterwards."""
    socket = folder / "broker.sock"
    broker = broker_url(socket)
    environment = {**os.environ, "ARENA_DATABASE": url, "ARENA_BROKER": broker, "ARENA_UNSAFE_NO_SANDBOX": "1"}
    commands = {
        "broker": broker_command(find_broker(), socket),
        "dispatcher": [sys.executable, "-m", "worker.dispatcher"],
        **{f"worker-{number}": [sys.executable, str(STUB)] for number in range(1, workers + 1)},
    }
    started: dict[str, subprocess.Popen[bytes]] = {}
    try:
        for name, command in commands.items():
            with (folder / f"{name}.log").open("wb") as log:
                started[name] = subprocess.Popen(command, env=environment, stdout=log, stderr=log, cwd=folder)
        yield broker, {name: psutil.Process(process.pid) for name, process in started.items()}
    finally:
        for process in reversed(started.values()):
            process.terminate()
        for process in started.values():
            process.wait(30)


def run(
    url: str, folder: Path, *, bots: int, wanted: int, workers: int, others: Callable[[], dict[str, psutil.Process]],
    every_s: float = 0.5, limit_s: float = 3600,
) -> Run:  # fmt: skip
    """Schedule, play by stub, record and rate so many matches; others: processes to be counted, such as a server's."""
    store = open_store(url)
    world = World(store, datetime.now(UTC))
    for number in range(bots):
        world.submit(f"bot-{number}", games='"first-snow"')
    began = time.process_time()
    for name, first, count, kind, deals in plan(bots, wanted):
        entered = [f"bot-{number}" for number in range(first, first + count)]
        world.create(name, *entered, format=kind, deals=deals, clock="none")
        tournaments.start(store, world.admin, name, datetime.now(UTC))
    found = Run(workers, wanted, time.process_time() - began)
    started = time.monotonic()
    with platform(url, folder, workers) as (broker, processes):
        app = make_app(broker)
        while not found.samples or found.samples[-1].done < wanted:
            time.sleep(every_s)
            assert time.monotonic() - started < limit_s, (folder / "worker-1.log").read_text()[-2000:]
            found.samples.append(_look(store, app, processes, others(), started))
        app.close()
    store.close()
    return found


def _look(store: Store, app, processes, others, started: float) -> Sample:
    with store.read() as tx:
        final = tx.scalar(select(func.count()).select_from(matches).where(matches.c.state == MatchState.FINAL))
    sample = Sample(time.monotonic() - started, int(final or 0), {}, {}, 0)
    for name, process in {**processes, **others}.items():
        with process.oneshot():
            times = process.cpu_times()
            sample.cpu_s[name] = times.user + times.system + times.children_user + times.children_system
            sample.memory_mb[name] = process.memory_info().rss / 2**20
    try:
        sample.doorbells = waiting(app) + waiting(app, Queue.REMOTE)
    except Exception:  # noqa: BLE001 - the broker has not begun yet
        sample.doorbells = 0
    return sample
