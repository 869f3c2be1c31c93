"""An arena that plays for an hour holds at its end what it held at its beginning.

`pytest tests/chaos/test_soak.py -m long -s --soak-minutes 3` is a shorter one that prints its figures.
"""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from arenasite import Machine
from cup import Cup, finals
from soaking import look

from arena.bench.steady import Sample, courses
from arena.cli.client import connect
from arena.store import open_store
from arena.v1 import tournament_pb2 as pb

EVERY_S = 5.0
AT_ONCE = 16
ROUNDS = 4


def held(**course: list[float]) -> list[str]:
    """What is said of a process that held these at even times; without a word, the same all the time."""
    length = len(next(iter(course.values())))
    usual = {"rss_mb": [80.0] * length, "descriptors": [20] * length, "threads": [5] * length, "pool": [4] * length}
    columns = usual | course
    samples = [
        Sample(60.0 * at, "worker 1", 7, **{name: column[at] for name, column in columns.items()})
        for at in range(length)
    ]
    return [fault for one in courses(samples) for fault in one.faults()]


def test_what_wanders_around_a_level_is_constant() -> None:
    assert held(rss_mb=[80 + at % 3 for at in range(60)], descriptors=[20 + at % 4 for at in range(60)]) == []


def test_memory_that_climbs_until_garbage_is_collected_is_constant() -> None:
    assert held(rss_mb=[80 + 2.0 * (at % 13) for at in range(60)]) == []


def test_descriptors_that_a_match_takes_and_gives_back_are_constant() -> None:
    assert held(descriptors=[50 if at * 7919 % 10 else 30 for at in range(90)]) == []


def test_what_fills_up_at_the_beginning_only_is_constant() -> None:
    assert held(rss_mb=[60 + min(at, 14) for at in range(60)], threads=[1 + min(at, 9) for at in range(60)]) == []


def test_memory_that_grows_by_little_and_little_is_found() -> None:
    assert held(rss_mb=[80 + 0.3 * at + at % 3 for at in range(60)]) != []


@pytest.mark.parametrize("what", ["descriptors", "threads"])
def test_a_descriptor_or_thread_lost_now_and_then_is_found(what: str) -> None:
    assert held(**{what: [20 + at // 15 for at in range(60)]}) != []


def test_grpcs_pool_may_add_threads_while_the_machine_is_busy_but_not_any_number() -> None:
    assert held(pool=[4 + at // 30 for at in range(60)]) == []
    assert held(pool=[4 + at for at in range(60)]) != []


@pytest.fixture
def place() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        yield Path(folder)


def ask_at_once(ask: Callable[[], object]) -> None:
    """Let the api open every connection to its database that it will ever have: a pool may fill late."""
    for _ in range(ROUNDS):
        threads = [threading.Thread(target=ask) for _ in range(AT_ONCE)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


@pytest.mark.long
@pytest.mark.timeout(6 * 3600)
def test_memory_descriptors_and_threads_stay_what_they_are(place: Path, request: pytest.FixtureRequest) -> None:
    minutes = request.config.getoption("--soak-minutes")
    site = Machine(place, 2, web="127.0.0.1:0")
    with closing(site), closing(open_store(site.url)) as store:
        site.admit(Cup(place / "bots").make_endless(store))
        site.start()
        samples = list[Sample]()
        began, pause = time.monotonic(), threading.Event()
        with connect(None, None, site.data) as session:
            ask_at_once(lambda: session.call(session.tournaments.GetStandings, pb.GetStandingsRequest(name="cup")))
            while (at_s := time.monotonic() - began) < 60 * minutes:
                samples += look(site, at_s)
                session.call(session.tournaments.GetStandings, pb.GetStandingsRequest(name="cup"))
                pause.wait(EVERY_S)
        played = finals(store)
        assert site.stop() == 0
    print(f"\n{played} matches in {minutes:g} minutes")
    print("| process | memory, MB | descriptors | threads | most of gRPC's |\n|---|---|---|---|---|")
    for one in courses(samples):
        spans = [f"{begin:.1f} to {end:.1f}" for begin, end, *_ in (one.rss_mb, one.descriptors, one.threads)]
        print(f"| {one.who} | {' | '.join(spans)} | {one.pool} |")
    assert len({one.pid for one in samples}) == len({one.who for one in samples}), "a process was started again"
    assert [fault for one in courses(samples) for fault in one.faults()] == []
