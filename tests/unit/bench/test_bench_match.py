"""Tests of `arena bench match`: that the parts are the worker's whole CPU, and what it says when it cannot be done."""

import json
import subprocess
import sys

import pytest

RUN = [sys.executable, "-c", "from arena.cli.main import main; main()", "bench", "match"]


def test_the_cpu_of_a_worker_is_told_in_parts() -> None:
    done = subprocess.run([*RUN, "--blocks", "1", "--json"], capture_output=True, text=True, timeout=170, check=False)
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["matches"] == 2
    parts = facts["ms"]["parts"]
    assert set(parts) == {"doorbell", "claim", "heartbeats", "start", "watch", "record", "grpc", "rest"}
    assert min(ms for part, ms in parts.items() if part != "heartbeats") > 0  # a short match is over before the first
    assert facts["ms"]["worker"] == pytest.approx(sum(parts.values()))


def test_a_database_that_cannot_be_opened_is_a_failure_in_one_line() -> None:
    words = ["--database", "sqlite:////nonexistent/arena.db"]
    done = subprocess.run([*RUN, *words], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("error: the matches could not be played: ")
    assert done.stderr.count("\n") == 1
