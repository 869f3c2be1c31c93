"""What processes hold over a long time, and whether that is constant."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil

WARM_UP: Final = 0.25
"""The share of a run in which caches fill and pools open; it is not judged."""

GROWTH_MB: Final = 4.0
GROWTH_SHARE: Final = 0.03
"""What memory's floor may rise by over what is judged: allocators wander. If each match of an hour left a few
KB, that would be more. Floors are compared, as memory climbs between two collections of garbage.
"""

WANDER: Final = 1.0
ERRORS: Final = 3.0
"""What numbers of descriptors and threads may grow by, fitted, and so many standard errors of the fit: a look may fall
into a match or between two. What never changes has no error.
"""

POOL: Final = "event_engine"
"""What gRPC calls the threads of its pool. It adds some while the machine gives it no time, and never ends them
(grpc/grpc issue 41169), so they are counted by themselves.
"""

LARGEST_POOL: Final = 16
"""Threads that the pool may come to: it begins with four on two cores."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What one process held. at: seconds or matches since the beginning. threads: without gRPC's pool."""

    at: float
    who: str
    pid: int
    rss_mb: float
    descriptors: int
    threads: int
    pool: int = 0


@dataclass(frozen=True, slots=True)
class Course:
    """What one process held from the warm-up's end to the end.

    rss_mb: the least in the first and in the last third, in 10**6 bytes. descriptors, threads: the ends of the line
    that fits best, and the standard error of their difference. pool: the most threads of gRPC's pool.
    """

    who: str
    rss_mb: tuple[float, float]
    descriptors: tuple[float, float, float]
    threads: tuple[float, float, float]
    pool: int

    def memory_faults(self) -> list[str]:
        """Return whether memory grew."""
        begin, end = self.rss_mb
        if end - begin > GROWTH_MB + GROWTH_SHARE * begin:
            return [f"{self.who}: memory grew from {begin:.1f} to {end:.1f} MB"]
        return []

    def faults(self) -> list[str]:
        """Return what grew."""
        found = self.memory_faults()
        for name in ("descriptors", "threads"):
            begin, end, error = getattr(self, name)
            if end - begin > WANDER + ERRORS * error:
                found.append(f"{self.who}: {name} grew from {begin:.1f} to {end:.1f}")
        if self.pool > LARGEST_POOL:
            found.append(f"{self.who}: gRPC's pool grew to {self.pool} threads")
        return found


def look(processes: Mapping[str, psutil.Process], at: float) -> list[Sample]:
    """Look at every process, by what it is called; one that ends at this moment is left out."""
    found: list[Sample] = []
    for who, process in processes.items():
        try:
            with process.oneshot():
                held = process.memory_info().rss / 1e6, process.num_fds(), *_threads(process)
        except psutil.Error:
            continue
        found.append(Sample(at, who, process.pid, *held))
    return found


def _threads(process: psutil.Process) -> tuple[int, int]:
    """Return how many threads a process has without gRPC's pool, and how many that has."""
    names: list[str] = []
    for thread in process.threads():
        with suppress(OSError):
            names.append(Path(f"/proc/{process.pid}/task/{thread.id}/comm").read_text().strip())
    return len(names) - names.count(POOL), names.count(POOL)


def courses(samples: Iterable[Sample]) -> list[Course]:
    """Return the course of every process."""
    by_process: dict[str, list[Sample]] = defaultdict(list)
    for sample in samples:
        by_process[sample.who].append(sample)
    found: list[Course] = []
    for who, seen in sorted(by_process.items()):
        judged = [one for one in seen if one.at >= WARM_UP * seen[-1].at]
        times = [one.at for one in judged]
        found.append(
            Course(
                who,
                _floors([one.rss_mb for one in judged]),
                _ends(times, [float(one.descriptors) for one in judged]),
                _ends(times, [float(one.threads) for one in judged]),
                max(one.pool for one in judged),
            )
        )
    return found


def _floors(values: Sequence[float]) -> tuple[float, float]:
    """Return the least of the first and of the last third."""
    third = -(-len(values) // 3)
    return min(values[:third]), min(values[-third:])


def _ends(times: Sequence[float], values: Sequence[float]) -> tuple[float, float, float]:
    """Return where the line that fits best begins and ends, and the standard error of the difference."""
    mean_time, mean = sum(times) / len(times), sum(values) / len(values)
    spread = sum((time - mean_time) ** 2 for time in times)
    slope = sum((time - mean_time) * (value - mean) for time, value in zip(times, values, strict=True)) / (spread or 1)
    left = sum((value - mean - slope * (time - mean_time)) ** 2 for time, value in zip(times, values, strict=True))
    span = times[-1] - times[0]
    error = span * math.sqrt(left / max(1, len(times) - 2) / (spread or 1))
    return mean + slope * (times[0] - mean_time), mean + slope * (times[-1] - mean_time), error
