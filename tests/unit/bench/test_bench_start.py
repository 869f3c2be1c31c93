"""Tests of `arena bench start`: that it measures every kind of start, and what share is the sandbox's."""

import json
import subprocess
import sys

from arena.bench.start import Parts, Start, StartFigures

PARTS = Parts(5, 5, 150)


def test_the_sandboxs_share_is_what_a_cold_start_takes_longer_than_one_outside() -> None:
    figures = StartFigures(Start(90, 80), bare=Start(150, 140), cold=Start(200, 160), warm=Start(20, 190), parts=PARTS)
    assert figures.sandbox_share == Start(wall=0.25, cpu=0.125)


def test_starts_are_measured_cold_warm_and_bare() -> None:
    words = ["bench", "start", "--rounds", "1", "--json"]
    command = [sys.executable, "-c", "from arena.cli.main import main; main()", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=170, check=False)
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert all(facts[kind]["wall"] > 0 for kind in ("imports", "bare", "cold", "warm"))
    assert 0.9 < sum(facts["parts"].values()) / facts["cold"]["cpu"] < 1.1
    assert all(0 <= share < 1 for share in facts["sandbox_share"].values())
