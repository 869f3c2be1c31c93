"""Tests of the PettingZoo adapter: PettingZoo's own, and what they do not look at."""

import numpy as np
import pytest
from pettingzoo.test import api_test, render_test, seed_test

from arena.adapters.pettingzoo import env, raw_env
from arena.core.chance import FastStream
from arena.core.errors import IllegalAction, UsageError


def played(table, seed, actions=200):
    """Play at random for a while; return what was seen and done."""
    table.reset(seed=seed)
    random = np.random.default_rng(seed)
    course = []
    for agent in table.agent_iter(actions):
        observation, reward, terminated, truncated, _ = table.last()
        if terminated or truncated:
            course.append((agent, reward))
            table.step(None)
            continue
        action = int(random.choice(np.flatnonzero(observation["action_mask"])))
        course.append((agent, observation["observation"].tobytes(), action))
        table.step(action)
    return course


# What api_test remarks on: masks need a Dict, which is how PettingZoo's own games with masks observe.
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning")
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning")
def test_pettingzoos_api_test_passes(names) -> None:
    api_test(env(**names), num_cycles=60)


def test_pettingzoos_seed_test_passes(names) -> None:
    seed_test(lambda: env(**names), num_cycles=30)


def test_pettingzoos_render_test_passes(names, capsys) -> None:
    render_test(lambda render_mode: env(**names, render_mode=render_mode))


def test_equal_seeds_give_equal_courses(names) -> None:
    assert played(env(**names), 5) == played(env(**names), 5)


def test_a_whole_game_gives_every_agent_its_share_of_nothing(setting, names) -> None:
    course = played(env(**names), 3, actions=20_000)
    rewards = {agent: line[0] for agent, *line in course[-setting.seats :]}
    assert len(rewards) == setting.seats
    if setting.seats > 1:
        assert sum(rewards.values()) == pytest.approx(0)
    else:
        assert set(rewards.values()) <= {1.0, -1.0}


def test_the_mask_is_the_legal_actions_of_the_agent_to_act_and_nothing_for_the_others(names) -> None:
    table = raw_env(**names)
    table.reset(seed=2)
    state, ids = table._state, table.setting.game.actions.id_of
    legal = sorted(map(ids, state.legal_actions()))
    for agent in table.agents:
        mask = np.flatnonzero(table.observe(agent)["action_mask"]).tolist()
        assert mask == (legal if agent == table.agent_selection else [])


def test_an_observation_is_the_same_whatever_is_hidden_from_the_agent(names) -> None:
    table = raw_env(**names)
    played(table, 4, actions=12)
    game, components = table.setting.game, table.setting.components
    for seat, agent in enumerate(table.possible_agents):
        seen = table.observe(agent)["observation"].tobytes()
        view = game.view(table._state, seat)
        for number in range(8):
            other = game.sample(view, components, FastStream(number))
            assert table.layout.encode(game.view(other, seat)).tobytes() == seen


def test_a_masked_action_is_refused_without_effect(names) -> None:
    table = raw_env(**names)
    table.reset(seed=1)
    agent = table.agent_selection
    before = table.observe(agent)
    masked = int(np.flatnonzero(before["action_mask"] == 0)[0])
    with pytest.raises(IllegalAction, match=f"action {masked} of {agent}"):
        table.step(masked)
    assert table.observe(agent)["observation"].tobytes() == before["observation"].tobytes()


def test_an_unknown_render_mode_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError, match="'rgb'; there are: human, ansi, svg"):
        env("first-snow", render_mode="rgb")
