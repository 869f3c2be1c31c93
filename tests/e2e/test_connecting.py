"""A bot on its author's machine through the whole platform: doorbells, a public worker of `arena up`, the lobby."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen

REPOSITORY = Path(__file__).resolve().parents[2]
BOTS = REPOSITORY / "bots" / "builtin"


def test_a_connected_bot_meets_a_hosted_one(arena, up: Callable[..., Popen[str]], place: Path) -> None:
    data = place / "data"
    platform = up(data, "--skip-qualification")
    assert arena.run("submit", "greedy", "--data", data).returncode == 0
    far = arena.start("connect", BOTS / "quiet", "--games", 2, "--output", data / "quiet.log", "--data", data)
    while "waits in the lobby" not in (line := far.stderr.readline()):
        assert line, "it ended"
    done = arena.run("challenge", "quiet", "greedy", "--game", "first-snow", "--data", data)
    assert done.returncode == 0, done.stderr
    out, err = far.communicate(timeout=60)
    assert far.returncode == 0, err
    assert [line.split(":")[0] for line in out.splitlines()] == ["match 1", "match 2"]
    assert out.count("against greedy@1") == out.count(", COMPLETED, unrated") == 2
    platform.send_signal(signal.SIGTERM)
    platform.communicate(timeout=30)
    assert arena.until_gone(10) == []
    assert arena.left() == []
