"""Tests of `arena bench stopped`: that turns are timed in microseconds, beside each opponent."""

import json
import subprocess
import sys

from arena.bench.stopped import Ratio, Turns


def test_of_a_hundred_turns_the_last_but_one_is_the_p99() -> None:
    assert Turns.of(list(range(100, 0, -1))) == Turns(100, 51, 96, 100)
    assert Turns.of(list(range(200))) == Turns(200, 100, 190, 198)


def test_a_ratio_is_that_of_the_rarest_turns_with_the_interval_that_its_rounds_allow() -> None:
    level = [[*range(100, 198), 200, 200]] * 30
    uneven = [[*range(100, 198), slow, slow] for slow in (400, 800) * 15]
    assert Ratio.of(level, level) == Ratio(1, 1, 1)
    ratio = Ratio.of(uneven, level)
    assert (ratio.value, ratio.low, ratio.high) == (4, 2, 4)


def test_turns_are_timed_beside_each_opponent() -> None:
    words = ["bench", "stopped", "--rounds", "1", "--json"]
    command = [sys.executable, "-c", "from arena.cli.main import main; main()", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=170, check=False)
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert all(facts[one]["count"] > 20 and facts[one]["p50"] > 50 for one in ("quick", "sleeping", "computing"))
    assert facts["slept_us"] > 50
    for ratio in (facts["beside_sleeping"], facts["beside_quick"]):
        assert ratio["low"] <= ratio["value"] <= ratio["high"]
