"""The services of an arena as real programs, on a database of their own: started, watched while they play, ended."""

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

from arena.bench.instant import TOURNAMENT
from arena.core.errors import Unavailable
from arena.services import tournaments
from arena.store import Store

_SUBREAPER: Final = 36
_PATIENCE_S: Final = 120.0
"""How long a match may take on a machine under load."""


@dataclass(frozen=True, slots=True)
class BrokerProgram:
    """command: how a broker is started on a socket. url: what others call it there."""

    command: Callable[[Path], Sequence[str]]
    url: Callable[[Path], str]


class Services:
    """Running programs, by name: "broker", "dispatcher", "api" if it was asked for, "worker 0" and so on."""

    def __init__(self, store: Store, folder: Path, processes: Mapping[str, psutil.Popen], orphans: _Orphans) -> None:
        self.processes = processes
        self._store = store
        self._folder = folder
        self._orphans = orphans

    def referees(self) -> dict[str, psutil.Process]:
        """Return the referee of each worker that has one, by its worker's name."""
        found: dict[str, psutil.Process] = {}
        for name, process in self.processes.items():
            if name.startswith("worker"):
                for child in process.children():
                    with suppress(psutil.Error):
                        if "referee" in child.cmdline():
                            found[name] = child
        return found

    def said(self, name: str) -> str:
        """Return all that a program has said so far."""
        return (self._folder / f"{name}.log").read_text(errors="replace")

    def reap(self) -> float:
        """Reap what sandboxes have left; return the seconds of CPU of all of it so far."""
        return self._orphans.reap([process.pid for process in self.processes.values()])

    def await_matches(self, number: int, every_s: float) -> int:
        """Return how many matches are over once at least so many are. Raises Unavailable if that does not come about.

        every_s: how often to look.
        """
        done, until = -1, time.monotonic() + _PATIENCE_S
        while True:
            counts = tournaments.progress(self._store, TOURNAMENT).counts
            over = counts.finished + counts.without_result
            self.reap()
            if over >= number:
                return over
            if over > done:
                done, until = over, time.monotonic() + _PATIENCE_S
            ended = [name for name, process in self.processes.items() if process.poll() is not None]
            if ended or time.monotonic() > until:
                last = (self.said((ended or ["worker 0"])[0]).strip().splitlines() or ["nothing was said"])[-1]
                raise Unavailable(f"no matches are played: {last}", reason="BENCH_FAILED")
            time.sleep(every_s)


@contextmanager
def running_services(
    store: Store, url: str, folder: Path, workers: int, broker: BrokerProgram, *, api: bool = False
) -> Iterator[Services]:
    """Start everything on the database with this URL; all of it is gone afterwards, workers first.

    folder: where the broker's socket is, and files with what the programs say.
    """
    socket = folder / "broker.sock"
    given = {**os.environ, "ARENA_DATABASE": url, "ARENA_BROKER": broker.url(socket)}
    commands = {
        "broker": [*broker.command(socket)],
        **({"api": [sys.executable, "-m", "arena.api", "--grpc", "127.0.0.1:0"]} if api else {}),
        "dispatcher": [sys.executable, "-m", "worker.dispatcher"],
        **{f"worker {number}": [sys.executable, "-m", "worker"] for number in range(workers)},
    }
    started: dict[str, psutil.Popen] = {}
    with _Orphans() as orphans:
        try:
            for name, command in commands.items():
                with (folder / f"{name}.log").open("wb") as log:
                    started[name] = psutil.Popen(
                        command, env=given, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL
                    )
            yield Services(store, folder, started, orphans)
        finally:
            for process in reversed(started.values()):
                process.terminate()
                process.wait()


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
