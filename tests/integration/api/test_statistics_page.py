"""docs/statistics.md: every command on it runs as it stands, those that measure with fewer blocks."""

import re
import shlex
from pathlib import Path

import pytest

from arena.core.registry import find_variant, load_game
from arena.ladder.rating import draw_probability

PAGE = (Path(__file__).parents[3] / "docs" / "statistics.md").read_text(encoding="utf-8")
SHOWN = [
    line for block in re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL) for line in block.splitlines()
]
MEASURED = re.findall(r"^\|.*\| `(arena match [^`]+)` \|", PAGE, re.MULTILINE)
DRAWS = re.findall(
    r"^\| [^|]+, (\d) seats \| `arena match [^`]*--game ([a-z-]+) (?:--variant ([a-z]+) )?[^`]*`"
    r" \| \d+ \| [^|]+ \| ([0-9.]+)",
    PAGE.partition("## Standings")[0],
    re.MULTILINE,
)


@pytest.fixture
def cup(arena, admin):
    """The tournament that the page speaks of."""
    arena.submit(admin, "greedy", "random", "quiet")
    arena.started(admin, "winter-cup", "greedy", "random", "quiet", deals=2)
    arena.play()


def test_the_commands_shown_run(run, cup, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert len(SHOWN) >= 10
    for line in SHOWN:
        words = shlex.split(line)
        assert words[0] == "arena", line
        code, out, err = run(*words[1:])
        assert code == 0, f"{line}: {err}"
        assert out or err, line
    assert {file.suffix for file in tmp_path.iterdir()} >= {".svg", ".zip", ".csv", ".json", ".jsonl"}


def check(run, line):
    """Run a measuring command with one block."""
    code, out, err = run(*shlex.split(re.sub(r"--blocks \d+", "--blocks 1", line))[1:])
    assert code == 0, f"{line}: {err}"
    assert '"ties"' in out
    assert '"saved_by_blocks"' in out


def test_the_quick_measuring_commands_run(run):
    quick = [line for line in MEASURED if line.count("greedy") < 2]
    assert len(quick) >= 6
    for line in quick:
        check(run, line)


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("line", [line for line in MEASURED if line.count("greedy") >= 2])
def test_the_slow_measuring_commands_run(run, line):
    check(run, line)


@pytest.mark.parametrize(("seats", "game", "variant", "stated"), DRAWS)
def test_the_draw_probabilities_of_the_page_are_those_of_the_pools(seats, game, variant, stated):
    played = find_variant(load_game(game), variant or None)
    assert draw_probability(seats=int(seats), draws=played.draws, ties=played.ties) == float(stated)


def test_the_page_states_a_draw_probability_for_every_game_that_was_measured():
    assert {game for _, game, _, _ in DRAWS} == {"first-snow", "snowblind", "frost-shelter"}
