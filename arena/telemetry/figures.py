"""Prometheus figures of each process. Labels take few values: games, ends, RPCs, lanes; never a bot or a match."""

from __future__ import annotations

import collections
import threading
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Final, Protocol

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.core import HistogramMetricFamily, Metric
from prometheus_client.gc_collector import GCCollector
from prometheus_client.platform_collector import PlatformCollector
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

from arena.match.result import MatchResult

_TURN_S: Final = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_MATCH_S: Final = (0.25, 0.5, 1, 2, 5, 10, 20, 60, 120, 300, 600, 1800, 3600)
_STEP_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


def new_registry() -> CollectorRegistry:
    """Return a registry with what every process tells: memory, CPU, descriptors, garbage collection."""
    registry = CollectorRegistry(auto_describe=True)
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    GCCollector(registry=registry)
    return registry


class Layer(Protocol):
    """A layer of the sandbox, as arena.hosting.layers finds it."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def active(self) -> bool:
        """Whether it is in force."""


class _TurnTimes(Collector):
    """A histogram that takes all turns of a match at once: one by one they cost half a millisecond and more."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[str, list[int]] = {}
        self._sums_ms: collections.Counter[str] = collections.Counter()

    def add(self, game: str, think_ms: Iterable[int]) -> None:
        """Count turns of a game, in milliseconds."""
        times = collections.Counter(think_ms)
        with self._lock:
            counts = self._counts.setdefault(game, [0] * (len(_TURN_S) + 1))
            for each, number in times.items():
                counts[bisect_left(_TURN_S, each / 1000)] += number
                self._sums_ms[game] += each * number

    def collect(self) -> Iterable[Metric]:
        """Return how it stands."""
        family = HistogramMetricFamily(
            "whiteout_turn_seconds", "What a bot's answer took, as the referee measured it.", labels=["game"]
        )
        bounds = [*(str(float(each)) for each in _TURN_S), "+Inf"]
        with self._lock:
            for game, counts in self._counts.items():
                buckets = list(zip(bounds, map(float, accumulate(counts)), strict=True))
                family.add_metric([game], buckets, self._sums_ms[game] / 1000)
        return [family]


class WorkerFigures:
    """What a worker plays. The referee's figures, turns for one, come with each match."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._matches = Counter(
            "whiteout_matches", "Matches recorded, by how they ended.", ["game", "end"], registry=registry
        )
        self._seats = Counter(
            "whiteout_seats", "Seats of recorded matches, by their end.", ["game", "end"], registry=registry
        )
        self._turns = _TurnTimes()
        registry.register(self._turns)
        self._match_seconds = Histogram(
            "whiteout_match_seconds", "What a match took, from the start of its bots to their end.", ["game"],
            buckets=_MATCH_S, registry=registry,
        )  # fmt: skip
        self._steps = Histogram(
            "whiteout_platform_seconds", "What the platform's steps around a match took.", ["step"],
            buckets=_STEP_S, registry=registry,
        )  # fmt: skip
        self._attempts = Counter(
            "whiteout_attempts", "Attempts at blocks, by how they ended.", ["end"], registry=registry
        )
        self._layers = Gauge(
            "whiteout_sandbox_layer", "Whether a layer of the sandbox is in force.", ["layer"], registry=registry
        )
        self._playing = Gauge("whiteout_playing", "Blocks being played here.", registry=registry)

    def match_over(self, game: str, result: MatchResult, seconds: float, think_ms: Iterable[int]) -> None:
        """Count a match that was recorded; think_ms: of every asked turn."""
        self._matches.labels(game, result.end.value).inc()
        for end in result.seat_ends:
            self._seats.labels(game, end.value).inc()
        self._match_seconds.labels(game).observe(seconds)
        self._turns.add(game, think_ms)

    def step_took(self, step: str, seconds: float) -> None:
        """Note what a step of the platform took: claim, record or beat."""
        self._steps.labels(step).observe(seconds)

    def attempt_over(self, end: str) -> None:
        """Count an attempt: done, handed_back, gave_up or lease_lost."""
        self._attempts.labels(end).inc()

    def playing(self, blocks: int) -> None:
        """Say how many blocks are being played."""
        self._playing.set(blocks)

    def found_layers(self, layers: Sequence[Layer]) -> None:
        """Say which layers of the sandbox are in force."""
        for layer in layers:
            self._layers.labels(layer.name).set(layer.active)


class QueueFigures:
    """What waits and what is on lease, as the dispatcher sees it."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._age = Gauge(
            "whiteout_queue_age_seconds", "How long the first block of a lane has been waiting; 0 with none.",
            ["queue", "lane"], registry=registry,
        )  # fmt: skip
        self._queued = Gauge(
            "whiteout_queued_blocks", "Blocks that could be claimed now.", ["queue"], registry=registry
        )
        self._doorbells = Gauge(
            "whiteout_doorbells", "Doorbells that nobody has heard yet.", ["queue"], registry=registry
        )
        self._workers = Gauge("whiteout_workers", "Workers that are there.", ["queue"], registry=registry)
        self._leases = Gauge("whiteout_leases", "Blocks on lease.", registry=registry)
        self._lease_age = Gauge("whiteout_lease_age_seconds", "Age of the oldest lease.", registry=registry)
        self._silence = Gauge(
            "whiteout_heartbeat_age_seconds", "Longest time since the heartbeat of a lease.", registry=registry
        )
        self._lost = Counter(
            "whiteout_attempts_lost", "Attempts whose lease ran out or that stood still.", registry=registry
        )
        self._aborted = Counter("whiteout_matches_aborted", "Matches given up after lost attempts.", registry=registry)
        self._failures = Counter(
            "whiteout_dispatch_failures", "Steps that failed since database or broker were away.", registry=registry
        )

    def lane_waits(self, queue: str, lane: str, seconds: float) -> None:
        """Say how long the first block of a lane has been waiting."""
        self._age.labels(queue, lane).set(seconds)

    def queue_stands(self, queue: str, *, blocks: int, doorbells: int, workers: int) -> None:
        """Say how much a queue holds and who serves it."""
        self._queued.labels(queue).set(blocks)
        self._doorbells.labels(queue).set(doorbells)
        self._workers.labels(queue).set(workers)

    def leases_stand(self, leases: int, oldest_s: float, silent_s: float) -> None:
        """Say how many leases there are, the age of the oldest, and the longest silence of a worker."""
        self._leases.set(leases)
        self._lease_age.set(oldest_s)
        self._silence.set(silent_s)

    def attempts_lost(self, lost: int, aborted: int) -> None:
        """Count what an expiry step found."""
        self._lost.inc(lost)
        self._aborted.inc(aborted)

    def step_failed(self) -> None:
        """Count a step in which database or broker were away."""
        self._failures.inc()


class CallFigures:
    """Calls that the API answers."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._seconds = Histogram(
            "whiteout_rpc_seconds", "What calls took, by method and verdict.", ["method", "verdict"],
            buckets=_STEP_S, registry=registry,
        )  # fmt: skip

    def call_over(self, method: str, verdict: str, seconds: float) -> None:
        """Count a call; method: an RPC of this server, verdict: OK or the kind of refusal."""
        self._seconds.labels(method, verdict).observe(seconds)


class PageFigures:
    """Requests that the web page answers."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._seconds = Histogram(
            "whiteout_page_seconds", "What requests of the web page took, by route and status.", ["route", "status"],
            buckets=_STEP_S, registry=registry,
        )  # fmt: skip

    def request_over(self, route: str, status: int, seconds: float) -> None:
        """Count a request; route: the pattern of its address, "" where none fits."""
        self._seconds.labels(route, str(status)).observe(seconds)
