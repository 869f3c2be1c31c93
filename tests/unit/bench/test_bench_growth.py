"""Tests of `arena bench growth`: what it measures at which sizes, and how a growth is told."""

import json
import subprocess
import sys

import pytest

import arena.bench.growth
from arena.bench import again
from arena.bench.growth import Growth, steps_to
from arena.core.registry import game_ids
from arena.match.local import play_local
from arena.match.replay import Replay
from arena.match.setup import SeatLabel, Setup
from arena.match.verify import Status, verify_log

RUN = [sys.executable, "-c", "from arena.cli.main import main; main()", "bench", "growth"]


def test_every_axis_is_measured_from_its_smallest_size_to_its_largest() -> None:
    words = ["--matches", "200", "--bots", "10", "--json"]
    done = subprocess.run([*RUN, *words], capture_output=True, text=True, timeout=170, check=False)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    sizes = {row["of"]: row["sizes"] for row in rows}
    assert sizes["matches"] == [2, 20, 200]
    assert sizes["bots"] == [4, 10]
    assert sizes["seats"] == [2, 3, 4, 5]
    assert sizes["lines of a log"] == [50, 200, 1_000, 2_000]
    assert sizes["workers"] == [1, 2, 3]
    assert all(len(row["ms"]) == len(row["sizes"]) and min(row["ms"]) > 0 for row in rows)


def test_workers_are_measured_on_a_database_of_ones_own_that_is_empty(tmp_path, monkeypatch) -> None:
    """That of workers side by side is in the test above; here one is enough."""
    monkeypatch.setattr(arena.bench.growth, "WORKERS", (1,))
    words = ["--matches", "200", "--database", f"sqlite:///{tmp_path / 'mine.db'}", "--json"]
    rows = arena.bench.growth.grow_workers(1, words[3])
    assert [(row.of, row.sizes) for row in rows] == [("workers", (1,))] * 3
    assert all(min(row.ms) > 0 for row in rows)
    again = subprocess.run([*RUN, *words], capture_output=True, text=True, timeout=60, check=False)
    assert again.returncode == 2
    assert again.stderr == "error: the database is in use already; give an empty one\n"


def test_a_database_that_cannot_be_opened_is_a_failure_in_one_line() -> None:
    words = ["--database", "sqlite:////nonexistent/arena.db"]
    done = subprocess.run([*RUN, *words], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("error: the database's folder /nonexistent does not exist")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(("ms", "exponent"), [((3.0, 3.0), 0.0), ((3.0, 30.0), 1.0), ((3.0, 300.0), 2.0)])
def test_a_growth_is_told_by_its_exponent(ms, exponent) -> None:
    assert Growth("standings", "matches", (10, 100), ms).exponent == pytest.approx(exponent)


def test_a_game_for_long_logs_is_played_verified_and_replayed_like_any_other() -> None:
    with again.installed() as game:
        labels = (SeatLabel("ada", "1"), SeatLabel("bert", "1"))
        setup = Setup(game=game, variant="long", seats=labels, seed=bytes(16))
        lines = play_local(setup, [lambda _match, _decision: 0] * 2).log_text().encode().splitlines(keepends=True)
        assert verify_log(lines).status is Status.OK
        replay = Replay(lines)
        replay.seek(replay.plies)
    assert len(lines) > 2_000
    assert replay.to_act is None


def test_a_game_for_long_logs_is_not_there_otherwise() -> None:
    assert "first-snow-again" not in game_ids()


def test_sizes_go_up_by_tens_and_not_below_the_fewest() -> None:
    assert steps_to(10_000) == (100, 1_000, 10_000)
    assert steps_to(400, 4) == (4, 40, 400)
    assert steps_to(20, 4) == (4, 20)
