"""A whole hosted tournament of bots that answer at once: matches a second, and whose CPU a match takes.

Broker, dispatcher and workers are the real programs, on a database of their own. What is counted begins when the first
matches are over and ends with the last one. The CPU of bots is what their sandboxes used in all, starts included.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import psutil

from arena.bench.instant import start_tournament
from arena.bench.services import BrokerProgram, Services, running_services
from arena.hosting.temporary import owned_folder
from arena.store import migrate, open_store, sqlite_url

BLOCKS: Final = 40
WARM_UP: Final = 1
"""Blocks for each worker before anything is counted: a first match starts a referee and loads the game."""

_LOOK_S: Final = 0.05


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


def measure_tournament(blocks: int, workers: int, broker: BrokerProgram) -> TournamentFigures:
    """Play so many blocks of two matches with so many workers. Raises Unavailable if matches are not played here."""
    with owned_folder("whiteout-bench-") as folder:
        url = sqlite_url(folder)
        migrate(url)
        store = open_store(url)
        try:
            start_tournament(store, WARM_UP * workers + blocks)
            with running_services(store, url, folder, workers, broker) as services:
                first = _look(services, services.await_matches(2 * WARM_UP * workers, _LOOK_S))
                last = _look(services, services.await_matches(2 * (WARM_UP * workers + blocks), _LOOK_S))
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


def _look(services: Services, done: int) -> _Look:
    cpu = dict.fromkeys(("broker", "dispatcher", "workers", "referees"), 0.0) | {"bots": services.reap()}
    memory = dict.fromkeys(("broker", "dispatcher", "workers", "referees"), 0.0)

    def add(kind: str, process: psutil.Process) -> None:
        cpu[kind] += sum(process.cpu_times()[:2])
        memory[kind] = max(memory[kind], process.memory_info().rss / 1e6)

    for name, process in services.processes.items():
        is_worker = name.startswith("worker")
        add("workers" if is_worker else name, process)
        if is_worker:
            cpu["bots"] += sum(process.cpu_times()[2:4])  # of those that have ended
    for referee in services.referees().values():
        add("referees", referee)
    everybody = psutil.cpu_times()
    busy = sum(everybody) - everybody.idle - getattr(everybody, "iowait", 0.0)
    return _Look(time.monotonic(), done, cpu, memory, busy)
