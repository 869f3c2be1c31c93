"""What the services of an arena hold while they play a whole hosted tournament, and whether it grows.

Meanwhile somebody asks the api for standings, a leaderboard, a page of matches and a log, as often as memory is looked
at.
"""

from __future__ import annotations

import json
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Final

import grpc
import psutil

from arena.bench.instant import TOURNAMENT, start_tournament
from arena.bench.services import BrokerProgram, Services, running_services
from arena.bench.steady import Course, Sample, courses, look
from arena.core.errors import Unavailable
from arena.hosting.temporary import owned_folder
from arena.match.result import MatchEnd
from arena.services.matches import list_matches
from arena.store import Store, migrate, open_store, sqlite_url
from arena.store.states import MatchState
from arena.v1 import match_pb2, rating_pb2, tournament_pb2
from arena.v1.match_pb2_grpc import MatchServiceStub
from arena.v1.rating_pb2_grpc import RatingServiceStub
from arena.v1.tournament_pb2_grpc import TournamentServiceStub

MATCHES: Final = 400
FEWEST: Final = 40
NAMES: Final = ("ada", "bert", "cleo", "dora")
_A_DEAL: Final = len(NAMES) * (len(NAMES) - 1)
_LOOKS: Final = 400
"""So often memory is looked at, at even steps of matches, if there are as many."""
_MARKS: Final = 5
_LOOK_S: Final = 0.2
_PATIENCE_S: Final = 60.0
_CALL_S: Final = 60.0
_NOT_YET: Final = frozenset({grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.NOT_FOUND})
"""A log is not there before its match is over, and closed until its deal is."""
_AT_ONCE: Final = 16
_FILLING: Final = 64


@dataclass(frozen=True, slots=True)
class MemoryFigures:
    """What every process held. marks: matches that were over when it was looked at, the first and the last included.

    held: MB (10**6 bytes) by process, one a mark. courses: how it went behind the first quarter. restarted: processes
    that were started anew, so that their course says nothing. calls: what the api was asked. wall: seconds in all.
    """

    matches: int
    wall: float
    marks: tuple[int, ...]
    held: Mapping[str, tuple[float, ...]]
    courses: tuple[Course, ...]
    restarted: tuple[str, ...]
    calls: int

    @property
    def faults(self) -> list[str]:
        """Whose memory grows and what was started anew, in words; nothing if all is as it should be.

        Descriptors are left out: doors stay open for a while, so there are the more of them the quicker matches come.
        """
        anew = [f"{who} was started anew" for who in self.restarted]
        return [*anew, *(fault for course in self.courses for fault in course.memory_faults())]


def measure_memory(
    matches: int, workers: int, broker: BrokerProgram, advance: Callable[[], None], *, by_hand: bool
) -> MemoryFigures:
    """Play so many matches of First Snow between four bots that answer at once; advance is called after each.

    by_hand: bots that do without the SDK and gRPC. Raises Unavailable if matches are not played here.
    """
    with owned_folder("whiteout-bench-") as folder:
        url = sqlite_url(folder)
        migrate(url)
        with closing(open_store(url)) as store:
            token = start_tournament(store, -(-matches // _A_DEAL), NAMES, by_hand=by_hand)
            with running_services(store, url, folder, workers, broker, api=True) as services:
                began = time.monotonic()
                with closing(_Caller(services, token)) as caller:
                    caller.fill()
                    samples = _watch(services, caller, matches, advance)
                wall = time.monotonic() - began
            _check_played(store)
    return figures_of(samples, wall, caller.calls)


def _check_played(store: Store) -> None:
    """Raise Unavailable unless the last matches were played to their end: what a crash leaves is no match's."""
    last = list_matches(store, tournament=TOURNAMENT, state=MatchState.FINAL).items
    ends = Counter(match.end for match in last)
    if set(ends) != {MatchEnd.COMPLETED}:
        told = ", ".join(f"{count} {end}" for end, count in ends.items())
        raise Unavailable(f"matches were not played to their end: {told}", reason="BENCH_FAILED")


def _watch(services: Services, caller: _Caller, matches: int, advance: Callable[[], None]) -> list[Sample]:
    samples: list[Sample] = []
    step = max(1, matches // _LOOKS)
    done, told = 0, 0
    while done < matches:
        done = services.await_matches(min(matches, done + step), _LOOK_S)
        caller.ask()
        samples += look(_by_name(services), done)
        while told < min(done, matches):
            advance()
            told += 1
    return samples


def _by_name(services: Services) -> dict[str, psutil.Process]:
    return {**services.processes, **{f"referee of {name}": each for name, each in services.referees().items()}}


class _Caller:
    """Somebody who asks the api. calls: how often."""

    def __init__(self, services: Services, token: str) -> None:
        self.calls = 0
        self._channel = grpc.insecure_channel(_address(services))
        self._matches = MatchServiceStub(self._channel)
        self._ratings = RatingServiceStub(self._channel)
        self._tournaments = TournamentServiceStub(self._channel)
        self._token = (("authorization", f"Bearer {token}"),)

    def fill(self) -> None:
        """Let the api open every connection to its database that it will ever have; a pool may fill late otherwise."""
        asked = tournament_pb2.GetStandingsRequest(name=TOURNAMENT)
        with ThreadPoolExecutor(_AT_ONCE) as threads:
            for answer in [threads.submit(self._call, self._tournaments.GetStandings, asked) for _ in range(_FILLING)]:
                answer.result()

    def ask(self) -> None:
        """Ask what people ask. Raises Unavailable."""
        name = TOURNAMENT
        self._call(self._tournaments.GetStandings, tournament_pb2.GetStandingsRequest(name=name))
        pools = self._call(self._ratings.ListRatingPools, rating_pb2.ListRatingPoolsRequest()).pools
        for pool in pools:
            self._call(self._ratings.ListRatings, rating_pb2.ListRatingsRequest(pool_id=pool.id))
        self._call(self._matches.ListMatches, match_pb2.ListMatchesRequest(tournament=name))
        self._call(self._first_log, match_pb2.GetMatchLogRequest(match_id="1"))

    def _first_log(self, request: match_pb2.GetMatchLogRequest, **how: Any) -> None:
        try:
            list(self._matches.GetMatchLog(request, **how))
        except grpc.RpcError as error:
            if error.code() not in _NOT_YET:
                raise

    def _call(self, method: Callable[..., Any], request: object) -> Any:
        self.calls += 1
        try:
            return method(request, metadata=self._token, timeout=_CALL_S)
        except grpc.RpcError as error:
            raise Unavailable(f"the api did not answer: {error.details()}", reason="BENCH_FAILED") from None

    def close(self) -> None:
        """Hang up."""
        self._channel.close()


def _address(services: Services) -> str:
    """Return where the api listens, once it does. Raises Unavailable."""
    until = time.monotonic() + _PATIENCE_S
    while time.monotonic() < until:
        for line in services.said("api").splitlines():
            if line.startswith('{"grpc":') and line.endswith("}"):
                return str(json.loads(line)["grpc"])
        time.sleep(_LOOK_S)
    raise Unavailable("the api does not listen", reason="BENCH_FAILED")


def figures_of(samples: Sequence[Sample], wall: float, calls: int) -> MemoryFigures:
    """Return what such looks come to; calls: of the api."""
    by_process: dict[str, dict[int, Sample]] = defaultdict(dict)
    for one in samples:
        by_process[one.who][round(one.at)] = one
    looks = sorted({round(one.at) for one in samples})
    marks = tuple(looks[round(number * (len(looks) - 1) / (_MARKS - 1))] for number in range(_MARKS))
    held = {
        who: tuple(seen[min(seen, key=lambda at: abs(at - mark))].rss_mb for mark in marks)
        for who, seen in sorted(by_process.items())
    }
    restarted = tuple(who for who, seen in sorted(by_process.items()) if len({one.pid for one in seen.values()}) > 1)
    return MemoryFigures(looks[-1], wall, marks, held, tuple(courses(samples)), restarted, calls)
