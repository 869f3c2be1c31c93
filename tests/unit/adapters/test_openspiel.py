"""Tests of the OpenSpiel adapter: OpenSpiel's own, and one of its algorithms at the table."""

import pickle
import random

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import ismcts, mcts

from arena.adapters.openspiel import load, register
from arena.core.errors import UsageError


def advanced(state, choices, seed):
    """Play at random until so many choices were made."""
    source = random.Random(seed)
    while choices and not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(source.choice([action for action, _ in state.chance_outcomes()]))
        else:
            state.apply_action(source.choice(state.legal_actions()))
            choices -= 1
    while state.is_chance_node():
        state.apply_action(source.choice([action for action, _ in state.chance_outcomes()]))
    return state


def test_openspiels_random_sim_test_passes(names) -> None:
    game = load(names["game"], names["variant"], names["seats"])
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)


def test_every_variant_is_registered_under_its_name() -> None:
    assert "whiteout_first_snow_standard" in register()
    assert set(register()) <= set(pyspiel.registered_names())


def test_chance_probabilities_add_up_to_one(names) -> None:
    state = load(names["game"], names["variant"], names["seats"]).new_initial_state()
    source = random.Random(6)
    for _ in range(60):
        if state.is_terminal():
            break
        if state.is_chance_node():
            outcomes = state.chance_outcomes()
            assert sum(chance for _, chance in outcomes) == pytest.approx(1)
            state.apply_action(source.choice(outcomes)[0])
        else:
            state.apply_action(source.choice(state.legal_actions()))


def test_a_resampled_state_looks_the_same_to_its_player_and_a_clone_is_independent(names) -> None:
    state = advanced(load(names["game"], names["variant"], names["seats"]).new_initial_state(), 3, seed=2)
    player = state.current_player()
    twin = state.resample_from_infostate(player, random.Random(3).random)
    known = state.information_state_string(player)
    assert twin.information_state_string(player) == known
    assert twin.legal_actions() == state.legal_actions()
    clone = state.clone()
    clone.apply_action(clone.legal_actions()[0])
    assert state.information_state_string(player) == known


def test_openspiels_mcts_plays_a_match_of_first_snow() -> None:
    game = load("first-snow")
    source = np.random.RandomState(1)
    searcher = mcts.MCTSBot(game, 2, 8, mcts.RandomRolloutEvaluator(1, source), random_state=source)
    state, chooser = game.new_initial_state(), random.Random(4)
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(chooser.choice([action for action, _ in state.chance_outcomes()]))
        elif state.current_player() == 0:
            state.apply_action(searcher.step(state))
        else:
            state.apply_action(chooser.choice(state.legal_actions()))
    assert sorted(state.returns()) == [-1.0, 1.0]


def test_openspiels_information_set_search_chooses_without_seeing_the_other_bear() -> None:
    game = load("first-snow")
    state = advanced(game.new_initial_state(), 4, seed=5)
    source = np.random.RandomState(2)
    searcher = ismcts.ISMCTSBot(game, mcts.RandomRolloutEvaluator(1, source), 2.0, 6, random_state=source)
    assert searcher.step(state) in state.legal_actions()


def test_an_information_state_tells_apart_what_the_seat_was_shown_before(names) -> None:
    # Perfect recall: what a seat knew at its last choice is part of what it knows now.
    state = advanced(load(names["game"], names["variant"], names["seats"]).new_initial_state(), 2, seed=8)
    player = state.current_player()
    before = state.information_state_string(player)
    state.apply_action(state.legal_actions()[0])
    assert state.information_state_string(player).startswith(before + "/")


def test_the_tensor_is_the_layout_of_the_players_view() -> None:
    game = load("frost-shelter", seats=3)
    state = advanced(game.new_initial_state(), 5, seed=1)
    observer = game.make_py_observer()
    observer.set_from(state, 1)
    view = game.setting.game.view(state.position.state, 1)
    assert observer.tensor.tolist() == game.layout.encode(view).tolist()


def test_a_state_loaded_again_is_the_same_and_a_resampled_one_cannot_be_saved() -> None:
    state = advanced(load("snowblind", seats=3).new_initial_state(), 9, seed=3)
    again = pickle.loads(pickle.dumps(state.position))  # noqa: S301 - the test's own bytes
    assert again.recollection(0) == state.position.recollection(0)
    with pytest.raises(UsageError, match="no history"):
        pickle.dumps(state.resample_from_infostate(0, random.Random(1).random).position)
