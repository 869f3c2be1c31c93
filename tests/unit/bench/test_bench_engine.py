"""Tests of `arena bench engine`: what it measures, what it says is missing."""

import json
import subprocess
import sys

import pytest

from arena.bench.engine import measure
from arena.bench.peers import Missing, Peer, find_peers


class FourSteps:
    """A contender whose playouts have four steps and whose states have no copy."""

    name = "four steps"

    def playout(self) -> int:
        return 4

    def copier(self) -> None:
        return None


def absent() -> FourSteps:
    raise ImportError


def test_a_peer_that_is_not_installed_is_named_with_what_to_install() -> None:
    found, missing = find_peers([Peer("here", "x", FourSteps), Peer("not here", "'pack[extra]'", absent)])
    assert [type(one) for one in found] == [FourSteps]
    assert missing == [Missing("not here", "'pack[extra]'")]


def test_steps_are_counted_per_playout() -> None:
    (speed,) = measure([FourSteps()], 0.02, lambda *_: None)
    assert speed.length == pytest.approx(4)


def run(*words: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-c", "from arena.cli.main import main; main()", "bench", "engine", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_every_game_is_measured_and_the_missing_peers_are_named() -> None:
    done = run("--seconds", "0.02", "--json")
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert any(row["name"].startswith("first-snow standard") for row in facts["rows"])
    assert all("install" in one for one in facts["missing"])


def test_no_time_is_refused() -> None:
    done = run("--seconds", "0")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: --seconds 0.0 leaves no time")
