"""Tests of `arena bench turn`: how moments become costs, what makes up a turn, that it runs."""

import json
import subprocess
import sys

import pytest

from arena.bench.measuring import quantile
from arena.bench.parts import SIZES, TIMED, Parts
from arena.bench.turn import Cost, TurnFigures, cost_of
from arena.cli.bench_turn import ratios, ratios_alike, rows_of
from arena.core.errors import Unavailable

US = 1000


def cost(server: float, players: float = 100.0, sdk: float = 0.0) -> Cost:
    return Cost(2 * server, server, players, server_loop=server - 30, players_loop=players - 40, sdk=sdk)


FIGURES = TurnFigures(
    bare=cost(100), same=cost(80, 80), sdk=cost(110, 150), turn=cost(200, 180), timed=cost(210, 190, sdk=45),
    crowd_bare=cost(60, 140), crowd_same=cost(48, 112), crowd_turn=cost(120, 280),
    parts=Parts(
        process=205, loop=160, turn_bytes=210, answer_bytes=5,
        spent={"match": 60, "view": 20, "message": 10, "rules": 8, "log": 5, "clock": 4},
    ),
)  # fmt: skip


def test_only_what_happens_while_all_players_are_busy_is_counted() -> None:
    early = [(0, 0, 0, 0), (1000 * US, 100 * US, 10 * US, 5 * US), (2000 * US, 200 * US, 20 * US, 10 * US)]
    late = [(900 * US, 90 * US, 0, 0), (1900 * US, 190 * US, 30 * US, 9 * US), (9000 * US, 900 * US, 90 * US, 90 * US)]
    found = cost_of([early, late])
    # From 900 to 2000 us: two messages of each, so three from the first to the last, and one answer of each between.
    assert found.wall == pytest.approx(1100 / 3)
    assert found.server == pytest.approx(110 / 3)
    assert found.players == pytest.approx((10 + 30) / 2)
    assert found.players_loop == pytest.approx((5 + 9) / 2)


def test_players_who_were_never_busy_at_once_have_no_cost() -> None:
    early = [(0, 0, 0, 0), (10, 0, 0, 0)]
    late = [(20, 0, 0, 0), (30, 0, 0, 0)]
    with pytest.raises(Unavailable, match="did not play at the same time"):
        cost_of([early, late])


def test_a_figure_is_the_lower_quartile() -> None:
    assert quantile([9, 1, 5, 3, 7, 90, 4, 8]) == 4


def told(part: str, us: float) -> dict[str, float | str]:
    return {"part": part, "process_us": us + 100, "loop_us": us + 50, "spent_us": us}


def test_a_match_tells_of_one_part_and_all_of_them_of_the_process() -> None:
    sizes: dict[str, float | str] = {
        "part": SIZES,
        "process_us": 90,
        "loop_us": 40,
        "turn_bytes": 211,
        "answer_bytes": 5,
    }
    matches = [*(told(part, number) for number, part in enumerate(TIMED)), sizes]
    parts = Parts.of(matches)
    assert parts.spent == {part: number for number, part in enumerate(TIMED)}
    assert (parts.process, parts.loop, parts.turn_bytes) == (100, 50, 211)
    later = Parts(120, 70, dict.fromkeys(TIMED, 9.0), 211, 5)
    assert Parts.typical([later, parts, later, later]).spent["view"] == 9


def test_the_parts_of_a_turn_make_up_the_referee_and_the_bot() -> None:
    rows = rows_of(FIGURES)
    assert sum(row.us for row in rows) == FIGURES.parts.process + FIGURES.timed.players
    assert sum(row.bare_us for row in rows) == FIGURES.sdk.cpu
    assert next(row.us for row in rows if row.part == "the course of the match") == 60 - 47


def test_ratios_are_taken_to_the_bare_stream_of_the_same_run() -> None:
    assert ratios(FIGURES) == {"wall": 2.0, "cpu": 1.9, "crowd": 0.5, "crowd_server": 0.5}
    assert ratios_alike(FIGURES) == {"wall": 2.5, "cpu": 2.375, "crowd": 0.4, "crowd_server": 0.4}


def test_a_crowd_is_of_pairs() -> None:
    command = [sys.executable, "-c", "from arena.cli.main import main; main()", "bench", "turn", "--bots", "3"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "even number" in done.stderr


def test_a_turn_is_measured_beside_a_bare_stream() -> None:
    words = ["bench", "turn", "--slices", "1", "--bots", "4", "--json"]
    command = [sys.executable, "-c", "from arena.cli.main import main; main()", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=170, check=False)
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["timed"]["sdk"] > 0
    assert all(row["us"] > 0 for row in facts["rows"])
    assert facts["turn_bytes"] == pytest.approx(210, abs=2)
    assert facts["sum_us"] == pytest.approx(sum(row["us"] for row in facts["rows"]), abs=1)
    assert set(facts["ratios"]) == set(facts["ratios_alike"]) == {"wall", "cpu", "crowd", "crowd_server"}
