"""Search finds what wins for certain in positions made by hand, one or more a game."""

from __future__ import annotations

import pytest

from arena.core import Seat
from arena.core.registry import load_game
from arena.games.first_snow import FirstSnowState
from arena.games.first_snow.camp import pool_of
from arena.games.first_snow.components import Half, Resource, Tool
from arena.games.first_snow.landscape import Camp, stays
from arena.games.first_snow.resolving import arrive
from arena.games.frost_shelter.actions import Resource as Supply
from arena.games.frost_shelter.actions import card_of
from arena.games.frost_shelter.phases import Phase
from arena.games.frost_shelter.rules import State
from arena.games.snowblind.components import Die
from arena.games.snowblind.state import CRATES, DICE, FACTS, FLAG, PASSED, TRACK
from arena.games.snowblind.turns import begin_turn


def last_meal() -> FirstSnowState:
    """First Snow, the last night: seat 0 alone is still to eat, and needs all the points there are to be had."""
    game = load_game("first-snow")
    state = FirstSnowState(game.components(None, ""))
    state.winter = 0b111111
    state.pools = (pool_of({Resource.CARIBOU: 1, Resource.GRASS: 1, Resource.FISH: 1}), 0)
    state.good = (1 << Tool.BOW, 0)
    state.scores = (10, 14)
    state.order = (Seat(0), Seat(1), Seat(1), Seat(0))
    state.row = (1, 2, 3, 4, 5, 6)
    state.bears = (6, 6)
    state.camps = tuple(Camp(Seat(seat), card, Half.RIGHT) for seat, card in ((1, 2), (0, 4), (0, 5), (1, 3)))
    state.plan = stays(state.row, state.camps, -1)
    state.stage = 3
    arrive(state)
    return state


def last_blizzard() -> State:
    """Frost Shelter, the last Event: without both its options seat 0 takes more damage than seat 1 has coming."""
    game = load_game("frost-shelter")
    state = State(2, game.components(None, ""))
    place = [card.name for card in state.components.events].index("Blizzard")
    state.revealed = (place + 1, place + 2, place)
    state.event = state.components.events[place]
    state.relics, state.relic = (1, 2, 3), 3
    state.leader = 0
    state.colonies[0] = sum(1 << card_of(*card) for card in ((Supply.FUEL, 1), (Supply.FUEL, 2), (Supply.FOOD, 3)))
    state.colonies[1] = sum(1 << card_of(*card) for card in ((Supply.TOOLS, 9), (Supply.TOOLS, 8)))
    state.damage = [0, 0]
    state.enter(Phase.CHEST)
    return state


def last_step_home() -> object:
    """Snowblind, the last round: seat 1 is two points ahead, and the green die takes a man home without a roll."""
    game = load_game("snowblind")
    state = game.new("quick", 2, game.components(None, ""))
    state.apply(game.actions.parse("compass 0"))
    state.track[:] = bytes(2 * TRACK)
    lays = ((0, 2, 2, 1), (0, 3, 1, 1), (0, 4, 0, 1), (1, 2, 1, 1), (1, 2, 2, 1), (1, 3, 0, 1))
    for seat, zone, slot, many in (*lays, (0, 2, CRATES, 3), (0, 4, CRATES, 3), (1, 2, CRATES, 5)):
        state.track[state.start(Seat(seat), zone) + slot] = many
    for seat in (0, 1):
        state.facts[seat * FACTS + FLAG] = 4
    state.facts[FACTS + PASSED] = 1
    state.drawn = (6, 5, 0)
    state.dice[:DICE] = bytes(DICE)
    state.dice[Die.GREEN] = state.dice[Die.PURPLE_D8] = 1
    begin_turn(state, Seat(0))
    state.forget_legal_actions()
    return state


POSITIONS = {
    ("first-snow", "standard"): last_meal,
    ("frost-shelter", "standard"): last_blizzard,
    ("snowblind", "quick"): last_step_home,
}


@pytest.mark.parametrize("way", POSITIONS, ids=lambda way: way[0])
def test_it_takes_an_action_that_wins_for_certain(way, seated, winning):
    game = load_game(way[0])
    state = POSITIONS[way]()
    wins = winning(game, state)
    assert wins
    assert len(wins) < len(state.legal_actions())
    assert game.actions.text_of(seated(game, way[1], 2).choose(state)) in wins
