"""What Search found out for one decision serves the next one, as long as nobody else has acted."""

from __future__ import annotations

from arena.core import CHANCE, FastStream
from arena.core.registry import load_game


def taking():
    """Return a position of First Snow in which a seat is to take its first card, and then to place it."""
    game, stream = load_game("first-snow"), FastStream(4)
    state = game.new("standard", 2, game.components(None, ""))
    while state.phase.name != "TAKE":
        legal = state.legal_actions()
        state.apply(game.draw(state, stream) if state.to_act is CHANCE else legal[stream.below(len(legal), "")])
    return game, state


def test_the_tree_is_kept_for_a_decision_that_follows_at_once(seated):
    game, state = taking()
    asked = seated(game, "standard", 2, state.to_act, iterations=20)
    state.apply(asked.choose(state))
    kept = asked.bot._tree
    asked.choose(state, 1)
    assert asked.bot._tree is kept


def test_the_tree_is_given_up_when_plies_were_made_that_it_did_not_foresee(seated):
    game, state = taking()
    asked = seated(game, "standard", 2, state.to_act, iterations=20)
    state.apply(asked.choose(state))
    given_up = asked.bot._tree
    asked.choose(state, 5)
    assert asked.bot._tree is not given_up


def test_the_tree_is_given_up_when_somebody_else_has_acted(seated):
    game, state = taking()
    seat = state.to_act
    asked = seated(game, "standard", 2, seat, iterations=20)
    for ply in range(2):
        state.apply(asked.choose(state, ply))
    given_up, stream = asked.bot._tree, FastStream(1)
    while state.to_act != seat or len(state.legal_actions()) == 1:
        legal = state.legal_actions()
        state.apply(game.draw(state, stream) if state.to_act is CHANCE else legal[stream.below(len(legal), "")])
    asked.choose(state, 9)
    assert asked.bot._tree is not given_up
