"""The walk from ten lines to search in docs/bot-author.md: every step plays as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.core import CHANCE, FastStream, Seat
from arena.core.registry import game_ids, load_game
from bots.sdk import MatchInfo, Turn
from bots.sdk.running import collected_runs

PAGE = Path(__file__).parents[3] / "docs" / "bot-author.md"
SECTION = PAGE.read_text(encoding="utf-8").partition("## From ten lines to search\n")[2].partition("\n## ")[0]
STEPS = re.findall(r"\*\*([^*]+)\.\*\*[^`]*?(?:`[^`\n]+`[^`]*?)*```python\n(.*?)```", SECTION, re.DOTALL)


def wins(bot_class, name, seats=2):
    """Play one match of the bot in seat 0 against random choices; return whether it came out first."""
    game, stream = load_game(name), FastStream(11)
    components = game.components(None, "")
    variant = game.spec.variants[0].id
    bot = bot_class(MatchInfo(game, variant, seats, Seat(0), components, 5))
    state, ply = game.new(variant, seats, components), 0
    while state.to_act is not None:
        legal = state.legal_actions()
        if state.to_act is CHANCE:
            action = game.draw(state, stream)
        elif state.to_act == 0 and len(legal) > 1:
            action = bot.choose(Turn(ply, 0, game.view(state, Seat(0)), tuple(legal)))
        else:
            action = legal[stream.below(len(legal), "")]
        state.apply(action)
        ply += 1
    return state.outcome.ranks[0] == 1


def bot_of(source):
    with collected_runs() as classes:
        exec(compile(source, str(PAGE), "exec"), {"__name__": "__main__"})  # noqa: S102 - the page's own code
    return classes[0]


def test_the_walk_has_four_steps():
    assert [name for name, _ in STEPS] == ["Ten lines", "Playing it out", "Judging instead", "A tree"]


def test_the_ten_lines_play_first_snow():
    wins(bot_of(STEPS[0][1]), "first-snow")


@pytest.mark.parametrize("source", [source for _, source in STEPS[1:]], ids=[name for name, _ in STEPS[1:]])
def test_every_step_after_the_first_beats_random_choices(source):
    assert wins(bot_of(source), "first-snow")


def test_the_tree_of_the_walk_plays_any_game():
    source = STEPS[-1][1].replace("ITERATIONS = 60", "ITERATIONS = 6")
    for name in game_ids():
        wins(bot_of(source), name)
