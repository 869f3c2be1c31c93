"""What is played for a seat that has forfeited."""

import pytest

from arena.core import FastStream
from arena.games.frost_shelter import GAME
from arena.games.frost_shelter.actions import ACTIONS, Piece
from arena.games.frost_shelter.phases import Phase

ASKED = [phase for phase in Phase if Phase.LEADER <= phase <= Phase.PAYMENT]


def default(state):
    return ACTIONS.text_of(GAME.default_action(state))


def test_the_last_leader_is_named_again(table):
    state = table.state(3, damage=[0, 9, 0], leader=2, number=2)
    state.enter(Phase.LEADER)
    assert default(state) == "leader 2"


def test_a_leader_opens_with_its_lowest_card_that_is_no_relic(table):
    assert default(table.state(2, relic="fuel", hands=["fuel 1, water 5, food 3", "tools 1"])) == "play food 3"


def test_a_follower_plays_its_lowest_card_that_cannot_win_without_expedition(table):
    state = table.state(2, relic="fuel", hands=["water 5", "fuel 1, water 2, food 9, tools 8"])
    assert default(table.do(state, "play water 5")) == "play tools 8"


def test_a_follower_that_can_only_compete_plays_its_lowest_card(table):
    state = table.state(2, relic="fuel", hands=["water 5", "fuel 3, water 2"])
    assert default(table.do(state, "play water 5")) == "play water 2"


def test_the_winner_takes_the_lowest_card(table):
    state = table.do(table.state(2, hands=["fuel 5 6", "fuel 9, food 2"]), "play fuel 5", "play food 2")
    assert default(state) == "take food 2"


def test_expedition_harpoon_chest_options_tarp_infirmary_and_purchases_are_declined(walked):
    seen = set()
    for seed in range(40):
        for state in walked(4, seed):
            if state.phase in ASKED and state.phase not in (Phase.LEADER, Phase.PLAY, Phase.TAKE, Phase.PAYMENT):
                seen.add(state.phase)
                assert default(state) == "decline"
    assert len(seen) == 7


def test_a_payment_under_way_is_paid_with_the_first_open_resource(table):
    state = table.resolution(2, event="Blizzard", colonies=["fuel 1, water 2, food 3, tools 4 5", ""])
    table.do(state, "decline", "heal")
    assert default(state) == "pay fuel"


@pytest.mark.parametrize("phase", ASKED, ids=lambda phase: phase.name.lower())
@pytest.mark.parametrize("seats", [3, 4, 5])
def test_a_seat_that_forfeits_in_any_phase_is_played_on_to_a_proper_end(phase, seats, walked):
    """From a choice of this phase on one seat plays defaults, the others go on; the game ends with ranks for all."""
    for seed in range(60):
        found = next((s for s in walked(seats, seed) if s.phase is phase and len(s.legal_actions()) > 1), None)
        if found is not None:
            break
    assert found is not None
    state, out, stream = found.copy(), found.to_act, FastStream(seats)
    while state.to_act is not None:
        legal = state.legal_actions()
        if state.to_act == out:
            assert GAME.default_action(state) in legal
            state.apply(GAME.default_action(state))
        elif isinstance(state.to_act, int):
            state.apply(legal[stream.below(len(legal), "")])
        else:
            state.apply(GAME.draw(state, stream))
    assert min(state.outcome.ranks) == 1


def test_a_game_of_defaults_alone_ends(walked, seats):
    *_, last = walked(seats, 1, GAME.default_action)
    assert last.outcome is not None


def test_a_default_keeps_equipment(table):
    state = table.resolution(2, colonies=["water 1 2 3 4 5 6", ""], kit={0: [Piece.CHEST]})
    assert default(state) == "decline"
