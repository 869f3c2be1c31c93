"""Tests of `arena bench turn`: how moments become costs, what makes up a turn, that it runs."""

import json
import subprocess
import sys

import pytest

from arena.bench.measuring import quantile
from arena.bench.turn import Cost, TurnFigures, cost_of
from arena.cli.bench_turn import ratios, ratios_alike, rows_of

US = 1000


def cost(server: float, players: float = 100.0, sdk: float = 0.0) -> Cost:
    return Cost(wall=2 * server, server=server, players=players, sdk=sdk)


FIGURES = TurnFigures(
    bare=cost(100), same=cost(80, 80), sdk=cost(110, 150), seat=cost(120), match=cost(190),
    turn=cost(200, 180, sdk=40), crowd_bare=cost(60), crowd_same=cost(48), crowd_turn=cost(120),
    parts={"all": 60, "view": 20, "message": 10, "rules": 8, "log": 5, "clock": 4},
    turn_bytes=210, answer_bytes=5,
)  # fmt: skip


def test_only_what_happens_while_all_streams_are_busy_is_counted() -> None:
    early = [(0, 0, 0), (1000 * US, 100 * US, 10 * US), (2000 * US, 200 * US, 20 * US)]
    late = [(900 * US, 90 * US, 0), (1900 * US, 190 * US, 30 * US), (9000 * US, 900 * US, 90 * US)]
    found = cost_of([[early], [late]])
    # From 900 to 2000 us: two messages of each, so three from the first to the last.
    assert found.wall == pytest.approx(1100 / 3)
    assert found.server == pytest.approx(110 / 3)
    assert found.players == pytest.approx((10 + 30) / 3)


def test_a_figure_is_the_lower_quartile() -> None:
    assert quantile([9, 1, 5, 3, 7, 90, 4, 8]) == 4


def test_the_parts_of_a_turn_are_each_measured_and_make_up_the_match_and_the_bot() -> None:
    rows = rows_of(FIGURES)
    assert sum(row.us for row in rows) == FIGURES.match.server + FIGURES.sdk.players + FIGURES.turn.sdk
    assert next(row.us for row in rows if row.part == "the course of the match") == 60 - 47


def test_ratios_are_taken_to_the_bare_stream_of_the_same_run() -> None:
    assert ratios(FIGURES) == {"wall": 2.0, "cpu": 1.9, "crowd": 0.5}
    assert ratios_alike(FIGURES) == {"wall": 2.5, "cpu": 2.375, "crowd": 0.4}


def test_a_turn_is_measured_beside_a_bare_stream() -> None:
    command = [sys.executable, "-c", "from arena.cli.main import main; main()", "bench", "turn"]
    done = subprocess.run(
        [*command, "--slices", "1", "--json"], capture_output=True, text=True, timeout=170, check=False
    )
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["turn"]["sdk"] > 0
    assert facts["turn_bytes"] == pytest.approx(210, abs=2)
    assert facts["sum_us"] == pytest.approx(sum(row["us"] for row in facts["rows"]), abs=1)
    assert set(facts["ratios"]) == set(facts["ratios_alike"]) == {"wall", "cpu", "crowd"}
