"""What the processes of an arena hold over a long time, and whether that is constant."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
from arenasite import Site

STEADY = ("api", "broker", "dispatcher", "referee", "web", "worker")
"""Roles whose processes live as long as the arena; bots come and go."""

WARM_UP = 0.25
"""The share of the time in which caches fill and pools open; it is not judged."""

GROWTH_MB = 4.0
GROWTH_SHARE = 0.03
"""What memory's floor may rise by over the time that is judged: allocators wander. If each match of an hour left a few
KB, that would be more. Floors are compared, as memory climbs between two collections of garbage.
"""

WANDER = 1.0
ERRORS = 3.0
"""What numbers of descriptors and threads may grow by, fitted, and so many standard errors of the fit: a look may fall
into a match or between two. What never changes has no error.
"""


POOL = "event_engine"
"""What gRPC calls the threads of its pool. It adds some while the machine gives it no time, and never ends them
(grpc/grpc issue 41169), so they are counted by themselves.
"""

LARGEST_POOL = 16
"""Threads that the pool may come to: it begins with four on two cores."""


@dataclass(frozen=True)
class Sample:
    """What one process held at a moment. threads: without gRPC's pool."""

    at_s: float
    who: str
    pid: int
    rss_mb: float
    descriptors: int
    threads: int
    pool: int = 0


@dataclass(frozen=True)
class Course:
    """What one process held from the warm-up's end to the end.

    rss_mb: the least in the first and in the last third. descriptors, threads: the ends of the line that fits best, and
    the standard error of their difference. pool: the most threads of gRPC's pool.
    """

    who: str
    rss_mb: tuple[float, float]
    descriptors: tuple[float, float, float]
    threads: tuple[float, float, float]
    pool: int

    def faults(self) -> list[str]:
        """Return what grew."""
        found = []
        begin, end = self.rss_mb
        if end - begin > GROWTH_MB + GROWTH_SHARE * begin:
            found.append(f"{self.who}: memory grew from {begin:.1f} to {end:.1f} MB")
        for name in ("descriptors", "threads"):
            begin, end, error = getattr(self, name)
            if end - begin > WANDER + ERRORS * error:
                found.append(f"{self.who}: {name} grew from {begin:.1f} to {end:.1f}")
        if self.pool > LARGEST_POOL:
            found.append(f"{self.who}: gRPC's pool grew to {self.pool} threads")
        return found


def look(site: Site, at_s: float) -> list[Sample]:
    """Look at every process that stays; one that ends at this moment is left out."""
    found = []
    for role in STEADY:
        for number, process in enumerate(site.find(role), 1):
            try:
                with process.oneshot():
                    held = process.memory_info().rss / 1e6, process.num_fds(), *_threads(process)
            except psutil.Error:
                continue
            found.append(Sample(at_s, f"{role} {number}", process.pid, *held))
    return found


def _threads(process: psutil.Process) -> tuple[int, int]:
    """Return how many threads a process has without gRPC's pool, and how many that has."""
    names = []
    for thread in process.threads():
        with suppress(OSError):
            names.append(Path(f"/proc/{process.pid}/task/{thread.id}/comm").read_text().strip())
    return len(names) - names.count(POOL), names.count(POOL)


def courses(samples: Iterable[Sample]) -> list[Course]:
    """Return the course of every process."""
    by_process: dict[str, list[Sample]] = defaultdict(list)
    for sample in samples:
        by_process[sample.who].append(sample)
    found = []
    for who, seen in sorted(by_process.items()):
        judged = [one for one in seen if one.at_s >= WARM_UP * seen[-1].at_s]
        times = [one.at_s for one in judged]
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
