"""`arena demo` as somebody who has just installed the arena runs it."""

from __future__ import annotations

import json
import signal
import stat
import time
from pathlib import Path

import pytest


def test_the_demo_plays_rates_shows_and_verifies_a_tournament(arena, place: Path) -> None:
    data = place / "data"
    done = arena.run("demo", "--data", data, "--deals", 1)
    assert done.returncode == 0, done.stderr
    for bot in ("random@1", "greedy@1", "hearth@1", "toolmaker@1", "quiet@1"):
        assert f"submitted {bot}" in done.stderr
        assert bot in done.stdout
    for pool in ("first-snow (standard), 2 seats", "frost-shelter (standard), 3 seats", "snowblind (solo), 1 seat"):
        assert pool in done.stdout
    assert "a solo challenge" in done.stdout
    assert "on the same deals, first - second" in done.stdout
    assert "is to choose:" in done.stdout
    assert "24 of 24 logs verified" in done.stdout
    assert str(data) in done.stdout.splitlines()[-1]
    assert "Traceback" not in done.stdout + done.stderr
    assert arena.until_gone(10) == []
    assert arena.left() == []
    assert stat.S_IMODE((data / "admin.token").stat().st_mode) == 0o600
    headers = [json.loads(path.read_text().splitlines()[0]) for path in (data / "demo-logs").glob("*.jsonl")]
    assert len(headers) == 24
    assert not any(header["unsafe"] for header in headers)


@pytest.mark.parametrize("moment", ["at once", "coming up", "playing"])
def test_ctrl_c_stops_the_demo_and_leaves_no_process(arena, place: Path, moment: str) -> None:
    data = place / "data"
    demo = arena.start("demo", "--data", data, "--deals", 50)
    said = demo.stderr
    assert "starting an arena" in said.readline()
    if moment == "coming up":
        until = time.monotonic() + 30
        while not (data / "logs").exists() and time.monotonic() < until:
            time.sleep(0.01)
    if moment == "playing":
        assert [said.readline() for _ in range(5)]
        until = time.monotonic() + 60
        while not list((data / "logs").glob("worker-*.log")) or "match recorded" not in _logs(data):
            assert time.monotonic() < until
            time.sleep(0.05)
    demo.send_signal(signal.SIGINT)
    assert demo.wait(30) == 130
    assert "Traceback" not in said.read()
    assert arena.until_gone(10) == []
    assert arena.left() == []


def test_a_demo_broken_off_leaves_no_folder_that_nobody_named(arena) -> None:
    demo = arena.start("demo")
    folder = Path(demo.stderr.readline().rpartition(" ")[2].strip())
    until = time.monotonic() + 30
    while not (folder / "logs").exists() and time.monotonic() < until:
        time.sleep(0.01)
    demo.send_signal(signal.SIGINT)
    assert demo.wait(30) == 130
    assert not folder.exists()
    assert arena.left() == []


def _logs(data: Path) -> str:
    return "".join(path.read_text() for path in (data / "logs").glob("worker-*.log"))
