"""Plays a tournament's blocks as a worker does and tells what that costs: `matches.py DATABASE BLOCKS BROKER PID`.

Two bots that answer at once play First Snow in sandboxes, two matches a block; each block is rung for by a doorbell
that Celery receives as in a worker. The database is a new one; PID is the broker's. Prints JSON:
milliseconds of CPU a match of each part in this process, of the referee, and how many matches there were.
"""

import asyncio
import contextlib
import json
import os
import sys
import time
import warnings
from pathlib import Path

from celery.platforms import SecurityWarning
from celery.worker import state

from arena.bench.instant import now, start_tournament
from arena.core.errors import Unavailable
from arena.hosting import matches as hosting
from arena.hosting import pool, seats, watch
from arena.services import dispatch, results, submissions
from arena.store import migrate, open_store
from worker.app import DOORBELLS, PLAY_BLOCK, check_broker, make_app, ring
from worker.slot import Slot

READY_S = 10.0
QUIET = ("--quiet", "worker", "--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel=CRITICAL")
PARTS = {
    "claim": [(dispatch, "claim"), (submissions, "unpack")],
    "heartbeats": [(dispatch, "heartbeat")],
    "record": [(results, "record")],
    "start": [(hosting, "launch"), (pool, "launch"), (seats, "copy_readable")],
    "watch": [(watch, "_look")],
}
GRPC = ("event_engine", "grpc_global_tim", "lifeguard")
"""How the threads are called that gRPC runs beside ours."""


def watched(spent, part, function):
    """Return the function, with the CPU of its thread counted; a coroutine's until it waits for the first time."""

    def timed(*words, **named):
        start = time.thread_time()
        try:
            return function(*words, **named)
        finally:
            spent[part] += time.thread_time() - start

    async def timed_coroutine(*words, **named):
        start = time.thread_time()
        try:
            return await function(*words, **named)
        finally:
            spent[part] += time.thread_time() - start

    return timed_coroutine if asyncio.iscoroutinefunction(function) else timed


def cpu_of(pid):
    return time.clock_gettime((~pid << 3) | 2)


def cpu_of_grpc():
    """Return the seconds of the threads that gRPC runs in this process."""
    total = 0
    for task in Path("/proc/self/task").iterdir():
        if (task / "comm").read_text().strip() in GRPC:
            total += int((task / "schedstat").read_text().split()[0])
    return total / 1e9


def await_broker(url):
    until = time.monotonic() + READY_S
    while True:
        try:
            return check_broker(url)
        except Unavailable:
            if time.monotonic() > until:
                raise
            time.sleep(0.02)


class Meter:
    """Plays a block for every doorbell and reads all clocks when the first and the last one that counts begin."""

    def __init__(self, slot, spent, broker, *, skip, blocks):
        self._slot, self._spent, self._broker = slot, spent, broker
        self._skip, self._last = skip, skip + blocks
        self._heard = 0
        self.in_tasks = 0.0
        self.at = []

    def heard(self):
        if self._heard in {self._skip, self._last}:
            self.at.append(self._clocks())
        if self._heard == self._skip:
            self._spent.update(dict.fromkeys(self._spent, 0.0))
            self.in_tasks = 0.0
        self._heard += 1
        if self._heard > self._last:
            state.should_stop = os.EX_OK
            return
        begun = time.process_time()
        if not self._slot.play_next():
            state.should_stop = 1
        self.in_tasks += time.process_time() - begun

    def _clocks(self):
        return {
            "whole": time.process_time(),
            "grpc": cpu_of_grpc(),
            "referee": cpu_of(self._slot._referee.pid) if self._slot._referee is not None else 0.0,
            "broker": cpu_of(self._broker),
            "wall": time.monotonic(),
        }


def rung(app, times):
    """Ring, and return the seconds of CPU that one doorbell takes to send."""
    ring(app, 1)
    begun = time.process_time()
    ring(app, times - 1)
    return (time.process_time() - begun) / (times - 1)


def main(database, blocks, broker, broker_pid):
    migrate(database)
    store = open_store(database)
    skip = 1 if blocks > 1 else 0
    start_tournament(store, skip + blocks)
    slot = Slot(store, "bench", now)
    slot.check()
    spent = dict.fromkeys(PARTS, 0.0)
    for part, functions in PARTS.items():
        for owner, name in functions:
            setattr(owner, name, watched(spent, part, getattr(owner, name)))
    await_broker(broker)
    app = make_app(broker)
    meter = Meter(slot, spent, broker_pid, skip=skip, blocks=blocks)

    @app.task(name=PLAY_BLOCK, ignore_result=True)
    def play_block():
        meter.heard()

    sending = rung(app, skip + blocks + 1)
    warnings.simplefilter("ignore", SecurityWarning)  # as in the worker itself
    with contextlib.suppress(SystemExit):  # which is how a worker ends
        app.worker_main([*QUIET, f"--queues={DOORBELLS}"])
    if len(meter.at) != 2:
        raise SystemExit("nothing was queued")
    first, last = meter.at
    took = {clock: last[clock] - first[clock] for clock in first}
    facts = {
        "doorbell": took["whole"] - meter.in_tasks + took["broker"] + sending * blocks,
        **spent,
        "grpc": took["grpc"],
        "rest": meter.in_tasks - sum(spent.values()) - took["grpc"],
    }
    per_match = 1000 / (2 * blocks)
    told = {
        part: seconds * per_match
        for part, seconds in (facts | {"referee": took["referee"], "wall": took["wall"]}).items()
    }
    slot.close()
    store.close()
    print(json.dumps({"ms": told, "matches": 2 * blocks}), file=sys.__stdout__)  # Celery has put its own before it


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
