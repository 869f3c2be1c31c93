"""A whole hosted tournament of bots that answer at once: matches a second, and whose CPU a match takes.

Broker, dispatcher and workers are the real programs, on a database of their own. What is counted begins when the first
matches are over and ends with the last one. The CPU of bots is what their sandboxes used in all, starts included.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import psutil

from arena.bench.instant import start_tournament
from arena.core.errors import Unavailable
from arena.hosting.temporary import owned_folder
from arena.services import tournaments
from arena.store import Store, migrate, open_store, sqlite_url

BLOCKS: Final = 40
WARM_UP: Final = 1
"""Blocks for each worker before anything is counted: a first match starts a referee and loads the game."""

_LOOK_S: Final = 0.05
_SUBREAPER: Final = 36
_PATIENCE_S: Final = 120.0
"""How long a match may take on a machine under load."""


@dataclass(frozen=True, slots=True)
class TournamentFigures:
    """Milliseconds of CPU a match, by whose they are; wall: seconds in all. machine: what this machine used meanwhile.

    memory: MB that the largest process of each kind held at the first and at the last counted match. matches: how many
    were counted. workers: how many played at once.
    """

    parts: Mapping[str, float]
    memory: Mapping[str, tuple[float, float]]
    machine: float
    wall: float
    matches: int
    workers: int

    @property
    def cpu(self) -> float:
        """Milliseconds of CPU a match, everything included."""
        return sum(self.parts.values())

    @property
    def per_second(self) -> float:
        """Matches a second."""
        return self.matches / self.wall


def measure_tournament(
    blocks: int, workers: int, broker_command: Callable[[Path], Sequence[str]], broker_url: Callable[[Path], str]
) -> TournamentFigures:
    """Play so many blocks of two matches with so many workers. Raises Unavailable if matches are not played here.

    broker_command, broker_url: how a broker is started on a socket, and what workers call it.
    """
    with owned_folder("whiteout-bench-") as folder:
        url = sqlite_url(folder)
        migrate(url)
        store = open_store(url)
        try:
            start_tournament(store, WARM_UP * workers + blocks)
            socket = folder / "broker.sock"
            given = {**os.environ, "ARENA_DATABASE": url, "ARENA_BROKER": broker_url(socket)}
            commands = {
                "broker": [*broker_command(socket)],
                "dispatcher": [sys.executable, "-m", "worker.dispatcher"],
                **{f"worker {number}": [sys.executable, "-m", "worker"] for number in range(workers)},
            }
            with _Orphans() as orphans, _running(commands, given, folder) as processes:
                first = _await_matches(store, 2 * WARM_UP * workers, processes, orphans, folder)
                last = _await_matches(store, 2 * (WARM_UP * workers + blocks), processes, orphans, folder)
        finally:
            store.close()
    counted = last.done - first.done
    share = 1000 / counted
    parts = {name: (last.cpu[name] - first.cpu.get(name, 0.0)) * share for name in last.cpu}
    memory = {name: (first.memory.get(name, 0.0), held) for name, held in last.memory.items()}
    return TournamentFigures(
        parts, memory, (last.machine - first.machine) * share, last.at - first.at, counted, workers
    )


@dataclass(frozen=True, slots=True)
class _Look:
    """Where it stands: the time, matches that are over, seconds of CPU by whose they are and of the machine.

    memory: MB of the largest process of each kind.
    """

    at: float
    done: int
    cpu: Mapping[str, float]
    memory: Mapping[str, float]
    machine: float


class _Orphans:
    """What sandboxes leave behind comes to this process, which reaps it and adds up its CPU.

    A sandbox's starter does not wait for the processes inside, so their CPU is nobody's among the workers.
    """

    def __init__(self) -> None:
        self._seconds = 0.0

    def __enter__(self) -> Self:
        ctypes.CDLL(None).prctl(_SUBREAPER, 1)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        ctypes.CDLL(None).prctl(_SUBREAPER, 0)

    def reap(self, children: Collection[int]) -> float:
        """Reap all that have ended but our own children; return the seconds of CPU of all so far."""
        ours = set(children)
        for orphan in psutil.Process().children():
            if orphan.pid not in ours:
                with suppress(ChildProcessError):
                    pid, _, used = os.wait4(orphan.pid, os.WNOHANG)
                    self._seconds += (used.ru_utime + used.ru_stime) if pid else 0.0
        return self._seconds


@contextmanager
def _running(
    commands: Mapping[str, Sequence[str]], environment: Mapping[str, str], folder: Path
) -> Iterator[Mapping[str, psutil.Popen]]:
    """Start the programs; what they say goes into files. All are gone afterwards, workers first."""
    started: dict[str, psutil.Popen] = {}
    try:
        for name, command in commands.items():
            with (folder / f"{name}.log").open("wb") as log:
                started[name] = psutil.Popen(
                    command, env=environment, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL
                )
        yield started
    finally:
        for process in reversed(started.values()):
            process.terminate()
            process.wait()


def _await_matches(
    store: Store, number: int, processes: Mapping[str, psutil.Popen], orphans: _Orphans, folder: Path
) -> _Look:
    """Return how it stands once so many matches are over. Raises Unavailable if that does not come about."""
    done, until = -1, time.monotonic() + _PATIENCE_S
    while True:
        counts = tournaments.progress(store, "bench").counts
        over = counts.finished + counts.without_result
        seconds = orphans.reap([process.pid for process in processes.values()])
        if over >= number:
            return _look(over, processes, seconds)
        if over > done:
            done, until = over, time.monotonic() + _PATIENCE_S
        ended = [name for name, process in processes.items() if process.poll() is not None]
        if ended or time.monotonic() > until:
            said = (folder / f"{(ended or ['worker 0'])[0]}.log").read_text(errors="replace").strip().splitlines()
            raise Unavailable(f"no matches are played: {(said or ['nothing was said'])[-1]}", reason="BENCH_FAILED")
        time.sleep(_LOOK_S)


def _look(done: int, processes: Mapping[str, psutil.Popen], of_orphans: float) -> _Look:
    cpu = dict.fromkeys(("broker", "dispatcher", "workers", "referees"), 0.0) | {"bots": of_orphans}
    memory = dict.fromkeys(("broker", "dispatcher", "workers", "referees"), 0.0)

    def add(kind: str, process: psutil.Process) -> None:
        cpu[kind] += sum(process.cpu_times()[:2])
        memory[kind] = max(memory[kind], process.memory_info().rss / 2**20)

    for name, process in processes.items():
        if not name.startswith("worker"):
            add(name, process)
            continue
        add("workers", process)
        cpu["bots"] += sum(process.cpu_times()[2:4])  # of those that have ended
        for child in process.children():
            if "referee" in child.cmdline():
                add("referees", child)
    everybody = psutil.cpu_times()
    busy = sum(everybody) - everybody.idle - getattr(everybody, "iowait", 0.0)
    return _Look(time.monotonic(), done, cpu, memory, busy)
