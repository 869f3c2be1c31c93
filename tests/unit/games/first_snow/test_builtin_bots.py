"""The built-in bots: each plays First Snow to the end, and better than chance."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

import bots.builtin
from arena.core import CHANCE, KeyedStream, Seat
from arena.core.chance import bot_seed, seed_from_text
from arena.core.manifest import parse_manifest
from arena.games.first_snow import GAME
from bots.sdk import Bot, MatchInfo, Turn

FOLDERS = {path.parent.name: path.parent for path in Path(bots.builtin.__path__[0]).glob("*/bot.toml")}
OWN = ("random", "greedy", "hearth", "toolmaker", "quiet")
COMPONENTS = GAME.components(None, "")


def module_of(name):
    spec = importlib.util.spec_from_file_location(f"builtin_{name}", FOLDERS[name] / "bot.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def bot_class(name):
    """Return the one subclass of Bot that a bot's bot.py defines."""
    module = module_of(name)
    (found,) = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Bot) and value.__module__ == module.__name__
    ]
    return found


def seated(bot, seat, seed):
    return bot(MatchInfo(GAME, "standard", 2, Seat(seat), COMPONENTS, bot_seed(seed, seat)))


def play(classes, number):
    """Play one match in this process; return (final state, all actions)."""
    seed = seed_from_text(str(number))
    chance = KeyedStream(seed)
    players = [seated(bot, seat, seed) for seat, bot in enumerate(classes)]
    state = GAME.new("standard", 2, COMPONENTS)
    actions = []
    while state.to_act is not None:
        if state.to_act is CHANCE:
            action = GAME.draw(state, chance)
        else:
            legal = state.legal_actions()
            turn = Turn(len(actions), 0, GAME.view(state, state.to_act), legal)
            action = players[state.to_act].choose(turn)
            assert action in legal
        state.apply(action)
        actions.append(action)
    return state, actions


def points_share(first, second, blocks):
    """Return the share of the points that the first bot takes over blocks of both seat orders, 0 .. 1."""
    one, two = bot_class(first), bot_class(second)
    won = 0
    for number in range(blocks):
        won += play((one, two), number)[0].outcome.ranks[0] == 1
        won += play((two, one), number)[0].outcome.ranks[1] == 1
    return won / (2 * blocks)


@pytest.mark.parametrize("name", OWN)
def test_a_built_in_bot_has_a_manifest_named_like_its_folder(name):
    manifest = parse_manifest((FOLDERS[name] / "bot.toml").read_text(encoding="utf-8"))
    assert manifest.name == name
    assert manifest.plays("first-snow")
    assert manifest.command == ("python", "bot.py")


@pytest.mark.parametrize("name", OWN)
def test_a_built_in_bot_plays_the_same_match_again_from_the_same_seed(name):
    bot = bot_class(name)
    assert play((bot, bot), 5)[1] == play((bot, bot), 5)[1]


@pytest.mark.parametrize("name", OWN)
def test_a_built_in_bot_started_without_a_match_says_how_to_play_it(name):
    result = subprocess.run(
        [sys.executable, "bot.py"], cwd=FOLDERS[name], env={}, capture_output=True, text=True, check=False
    )
    assert result.returncode == 2
    assert "Traceback" not in result.stderr


def test_greedy_takes_at_least_95_percent_of_the_points_from_random():
    assert points_share("greedy", "random", 15) >= 0.95


@pytest.mark.long
def test_greedy_takes_at_least_95_percent_of_the_points_over_100_blocks():
    assert points_share("greedy", "random", 100) >= 0.95


@pytest.mark.parametrize("name", ["hearth", "toolmaker"])
def test_a_bot_of_style_beats_random(name):
    assert points_share(name, "random", 15) >= 0.85


def test_greedy_beats_both_bots_of_style():
    assert points_share("greedy", "hearth", 12) > 0.5
    assert points_share("greedy", "toolmaker", 12) > 0.5


def test_hearth_scores_more_warmth_and_toolmaker_makes_more_tools():
    from arena.games.first_snow.actions import Craft, Repair
    from arena.games.first_snow.events import Ply, Warmth, since

    warmth, tools = [0, 0], [0, 0]
    classes = bot_class("hearth"), bot_class("toolmaker")
    for number in range(8):
        events = since(play(classes, number)[0].record, None)
        for event in events:
            if isinstance(event, Warmth):
                warmth[event.seat] += event.points
            elif isinstance(event, Ply) and isinstance(event.action, Craft | Repair):
                tools[event.actor] += 1
    assert warmth[0] > warmth[1]
    assert tools[1] > tools[0]


def test_random_plays_other_choices_with_another_bot_seed():
    bot = bot_class("random")
    assert play((bot, bot), 1)[1] != play((bot, bot), 2)[1]


def test_greedy_judges_a_game_without_an_evaluator_by_a_default_playout():
    module = module_of("greedy")
    state = GAME.new("standard", 2, COMPONENTS)
    value = module.by_default_playout(GAME, state.copy(), Seat(0))
    other = module.by_default_playout(GAME, state.copy(), Seat(1))
    assert {round(value), round(other)} == {-1, -2}
    assert state.to_act is CHANCE


def test_greedy_does_not_peek_at_the_hidden_bear():
    seen = set()
    for card in range(1, 7):
        state = GAME.new("standard", 2, COMPONENTS)
        for text in ("first seat 0", "cool 1", "bear 6", f"bear {card}"):
            state.apply(GAME.actions.parse(text))
        bot = seated(bot_class("greedy"), 0, bytes(16))
        seen.add(bot.choose(Turn(4, 0, GAME.view(state, 0), state.legal_actions())))
    assert len(seen) == 1
