"""Tests of `arena bench memory`: what a referee and the services of a tournament hold, and what is said of it."""

import json
import subprocess
import sys

import pytest

from arena.bench.hosted import measure_hosted
from arena.bench.memory import MemoryFigures, figures_of, measure_memory
from arena.bench.steady import Sample
from arena.cli.benching import bench_broker

RUN = [sys.executable, "-c", "from arena.cli.main import main; main()", "bench", "memory"]


def course(rss_mb: list[float], pids: list[int] | None = None) -> MemoryFigures:
    """What is found of a worker that held so much after each match."""
    samples = [Sample(at, "worker 0", (pids or [7] * len(rss_mb))[at], held, 20, 5) for at, held in enumerate(rss_mb)]
    return figures_of(samples, wall=1.0, calls=0)


async def test_a_referee_holds_more_the_more_matches_stand_at_their_last_choice() -> None:
    advanced: list[int] = []
    games = (("first-snow", "standard", 2),)
    figures = await measure_hosted(lambda: advanced.append(1), at_once=(0, 1, 8, 0), games=games)
    assert [held.matches for held in figures.steps] == [0, 1, 8, 0]
    none, one, eight, _ = (held.rss for held in figures.steps)
    assert none < one < eight
    assert all(0 < held.pss < held.rss for held in figures.steps)
    (share,) = figures.shares
    assert share.kb > 10
    assert share.plies > 50
    assert advanced == [1]


def test_services_are_watched_from_the_first_match_to_the_last() -> None:
    told: list[int] = []
    figures = measure_memory(4, 1, bench_broker(), lambda: told.append(1), by_hand=True)
    assert figures.matches >= len(told) == 4
    assert set(figures.held) == {"api", "broker", "dispatcher", "worker 0", "referee of worker 0"}
    assert figures.marks[-1] == figures.matches
    assert all(len(held) == len(figures.marks) and min(held) > 1 for held in figures.held.values())
    assert figures.calls > 64


def test_what_holds_the_same_all_the_time_does_not_grow() -> None:
    assert course([100.0 + at % 3 for at in range(100)]).faults == []


def test_what_holds_more_with_every_match_grows() -> None:
    assert course([100.0 + at for at in range(100)]).faults == ["worker 0: memory grew from 125.0 to 175.0 MB"]


def test_a_process_that_was_started_anew_is_named() -> None:
    assert course([100.0] * 100, [7] * 50 + [8] * 50).faults == ["worker 0 was started anew"]


def test_marks_go_from_the_first_look_to_the_last_at_even_steps() -> None:
    figures = course([100.0 + at for at in range(101)])
    assert figures.marks == (0, 25, 50, 75, 100)
    assert figures.held == {"worker 0": (100.0, 125.0, 150.0, 175.0, 200.0)}


@pytest.mark.long
def test_the_command_tells_both_as_json() -> None:
    done = subprocess.run([*RUN, "--matches", "40", "--json"], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert [step["matches"] for step in facts["hosted"]["steps"]] == [0, 1, 16, 64, 64, 64, 0]
    assert facts["services"]["matches"] >= 40
    assert isinstance(facts["services"]["faults"], list)
