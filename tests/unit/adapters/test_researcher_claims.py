"""What the page for researchers says beside its examples."""

import json
import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
from pettingzoo.test import api_test

from arena.adapters.listings import DEFAULT_SLOTS, listings_of
from arena.adapters.pettingzoo import RENDER_MODES, env, raw_env
from arena.core.chance import seed_from_text
from arena.core.registry import game_ids
from arena.match.local import play_local
from arena.match.match import SeatLabel, Setup

PAGE = (Path(__file__).parents[3] / "docs" / "researcher.md").read_text(encoding="utf-8")

SHUT_OUT = """
import sys
from bots.sdk import Bot, run
import numpy

class Looker(Bot):
    def choose(self, turn):
        for module in ("pettingzoo", "gymnasium", "pyspiel", "arena.adapters.pettingzoo"):
            try:
                __import__(module)
                print(module, "is here")
            except Exception:
                print(module, "is missing")
        return turn.legal_actions[0]

run(Looker)
"""


def test_the_warnings_of_api_test_are_those_the_page_names(names) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(env(**names), num_cycles=40)
    assert {str(warning.message) for warning in caught} == set(
        re.findall(r"^\| (Observation .*?) \|", PAGE, re.MULTILINE)
    )


def test_a_seed_meets_the_chance_of_a_match_with_that_seed(names, setting) -> None:
    table = env(**names)
    table.reset(seed=11)
    for _ in table.agent_iter():
        observation, _, terminated, truncated, _ = table.last()
        table.step(None if terminated or truncated else int(np.flatnonzero(observation["action_mask"])[0]))
    game = setting.game
    ids = game.actions.id_of
    lowest = [lambda match, decision: min(range(len(decision.legal)), key=lambda at: ids(decision.legal[at]))]
    setup = Setup(
        game=names["game"],
        variant=names["variant"],
        seats=(SeatLabel("a", "1"),) * names["seats"],
        seed=seed_from_text("11"),
    )
    match = play_local(setup, lowest * names["seats"])
    assert table.unwrapped._state.outcome.ranks == match.result.ranks
    assert game.view(table.unwrapped._state, None) == match.view(None)


def test_a_table_is_drawn_in_every_mode(names) -> None:
    drawn = {}
    for mode in RENDER_MODES:
        table = env(**names, render_mode=mode)
        table.reset(seed=1)
        drawn[mode] = table.render()
    assert drawn["human"] is None
    assert len(drawn["ansi"].splitlines()) > 3
    assert drawn["svg"].startswith("<svg")


def test_events_have_no_place_in_an_observation(names) -> None:
    assert not [cell.name for cell in raw_env(**names).layout.cells if ".events" in cell.name]


def test_every_game_of_the_arena_says_how_much_room_its_lists_have() -> None:
    assert [game for game in game_ids() if not listings_of(game, 2)] == ["icefall"]


def test_a_list_of_a_game_from_elsewhere_gets_16_slots() -> None:
    assert DEFAULT_SLOTS == 16
    hand = [cell.name for cell in raw_env("icefall").layout.cells if cell.name.startswith("hand")]
    assert len(hand) == 1 + 16


def test_pettingzoos_tests_have_no_list_that_excuses_us(names) -> None:
    values = vars(sys.modules["pettingzoo.test.api_test"]).items()
    lists = [value for name, value in values if name.startswith("env_") and isinstance(value, list)]
    assert len(lists) > 5
    assert not any(env(**names).unwrapped.metadata["name"] in excused for excused in lists)


def test_a_hosted_bot_has_numpy_and_none_of_the_adapters_libraries(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text('name = "looker"\ngames = ["icefall"]\n')
    (tmp_path / "bot.py").write_text(SHUT_OUT)
    command = [sys.executable, "-c", "from arena.cli.main import main; main()", "play", "icefall"]
    played = subprocess.run(
        [*command, str(tmp_path), "random", "--seed", "1", "--json"], capture_output=True, text=True, check=False
    )
    assert [seat["end"] for seat in json.loads(played.stdout)["seats"]] == ["PLAYED", "PLAYED"]
