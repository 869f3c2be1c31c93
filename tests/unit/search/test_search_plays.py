"""Search in whole matches of every game, variant and number of seats; it sees views only, and can be played again."""

from __future__ import annotations

from typing import Any

import pytest

from arena.core import CHANCE, AnyGame, FastStream, KeyedStream, Seat
from arena.core.registry import game_ids, load_game

SEED = bytes(16)
CASES = [
    (name, variant.id, seats)
    for name in game_ids()
    for variant in load_game(name).spec.variants
    for seats in range(variant.min_seats, variant.max_seats + 1)
]


def played(
    game: AnyGame, variant: str, seats: int, seated: Any, *, searching: set[int], iterations: int
) -> tuple[list[Any], Any]:
    """Play a match with search at some seats and chance at the others; return the plies and the outcome."""
    chance, others = KeyedStream(SEED), FastStream(7)
    bots = {seat: seated(game, variant, seats, seat, iterations=iterations, bot_seed=seat) for seat in searching}
    state = game.new(variant, seats, game.components(None, ""))
    plies = []
    while state.to_act is not None:
        legal = state.legal_actions()
        if state.to_act is CHANCE:
            action = game.draw(state, chance)
        elif len(legal) > 1 and state.to_act in bots:
            action = bots[state.to_act].choose(state, len(plies))
            assert action in legal
        else:
            action = legal[others.below(len(legal), "")]
        plies.append(action)
        state.apply(action)
    return plies, state.outcome


@pytest.mark.parametrize("case", CASES, ids=lambda case: " ".join(map(str, case)))
def test_it_plays_a_whole_match_with_a_tiny_budget(case, seated):
    name, variant, seats = case
    _, outcome = played(load_game(name), variant, seats, seated, searching={seats - 1}, iterations=2)
    assert len(outcome.ranks) == seats


def test_a_match_with_the_same_seed_and_iterations_is_the_same(seated):
    game = load_game("first-snow")
    first, again = (played(game, "standard", 2, seated, searching={0, 1}, iterations=4) for _ in range(2))
    assert first == again


def looking_alike(name: str, seed: int) -> list[tuple[Any, Any]]:
    """Return pairs of states that one seat cannot tell apart, from a random game; the hidden parts differ."""
    game, stream = load_game(name), FastStream(seed)
    state = game.new(game.spec.variants[0].id, 2, game.components(None, ""))
    pairs = []
    while state.to_act is not None:
        legal = state.legal_actions()
        if state.to_act is not CHANCE and len(legal) > 1:
            view = game.view(state, state.to_act)
            other = game.sample(view, game.components(None, ""), stream)
            if game.view(other, Seat(1 - state.to_act)) != game.view(state, Seat(1 - state.to_act)):
                pairs.append((state.copy(), other))
        chance = state.to_act is CHANCE
        state.apply(game.draw(state, stream) if chance else legal[stream.below(len(legal), "")])
    return pairs


@pytest.mark.parametrize("name", ["first-snow", "frost-shelter"])
def test_it_chooses_the_same_whatever_is_hidden_from_it(name, seated):
    game = load_game(name)
    pairs = looking_alike(name, 3)[:8]
    assert pairs
    for state, other in pairs:
        choices = [seated(game, "standard", 2, state.to_act, iterations=10).choose(each) for each in (state, other)]
        assert choices[0] == choices[1]
