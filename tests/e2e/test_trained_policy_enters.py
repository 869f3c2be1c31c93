"""The example that trains a policy: it submits what it learned to a running arena, where it plays a tournament."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

TRAIN = Path(__file__).resolve().parents[2] / "examples" / "train_first_snow" / "train.py"


def test_a_trained_policy_is_submitted_and_plays_a_tournament(arena, up, place: Path) -> None:
    data = place / "data"
    up(data)
    trained = subprocess.run(
        [sys.executable, TRAIN, place / "bin" / "my_policy", "--generations", "1", "--games", "3", "--submit"],
        env={**os.environ, "TMPDIR": str(place), "ARENA_DATA": str(data)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert trained.returncode == 0, trained.stderr
    assert trained.stdout.splitlines()[-1] == "my-policy@1"
    for words in (
        ("submit", "random"),
        ("tournament", "create", "school", "--game", "first-snow", "--bots", "my-policy,random", "--deals", "1"),
        ("tournament", "start", "school"),
        ("tournament", "watch", "school"),
    ):
        done = arena.run(*words, "--data", data)
        assert done.returncode == 0, done.stderr
    played = json.loads(arena.run("matches", "--tournament", "school", "--json", "--data", data).stdout)
    ends = [seat["end"] for match in played for seat in match["seats"]]
    assert ends == ["SEAT_END_PLAYED"] * 4


def test_without_an_arena_the_example_says_so(place: Path) -> None:
    trained = subprocess.run(
        [sys.executable, TRAIN, place / "my_policy", "--generations", "1", "--games", "2", "--submit"],
        env={**os.environ, "ARENA_DATA": str(place / "none")}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert trained.returncode == 1
    assert trained.stderr.startswith("error: no server runs on")
    assert (place / "my_policy" / "weights.npy").exists()
