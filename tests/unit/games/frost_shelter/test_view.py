"""What seats are shown, what they are not, and samples of it."""

import pytest

from arena.core import FastStream
from arena.core.errors import MalformedAction
from arena.games.frost_shelter import GAME
from arena.games.frost_shelter.phases import Phase
from arena.games.frost_shelter.v1 import frost_shelter_pb2 as pb

NUMBERS = GAME.components(None, "")


def serialised(message):
    return message.SerializeToString(deterministic=True)


def test_a_seat_sees_its_own_hand_and_how_many_cards_the_others_hold(table):
    state = table.state(3, hands=["fuel 1", "water 2 3", "food 4"])
    view = GAME.view(state, 1)
    assert [(card.resource, card.value) for card in view.hand] == [(pb.RESOURCE_WATER, 2), (pb.RESOURCE_WATER, 3)]
    assert [player.hand_count for player in view.players] == [1, 2, 1]


def test_the_public_sees_no_hand(table):
    view = GAME.view(table.state(2, hands=["fuel 1", "water 2"]), None)
    assert not view.hand
    assert not view.HasField("seat")


def test_colonies_damage_equipment_trick_and_pool_are_open(walked):
    for state in walked(3, 1):
        view = GAME.view(state, None)
        assert [len(player.colony) for player in view.players] == [colony.bit_count() for colony in state.colonies]
        assert [player.damage for player in view.players] == state.damage
        assert sum(player.equipment.tarps for player in view.players) + view.row.tarps == 5
        assert (len(view.trick), len(view.pool)) == (len(state.trick), state.pool.bit_count())


def test_nobody_sees_a_card_dealt_to_another(walked):
    for state in walked(3, 2):
        for seat in (None, 0, 1, 2):
            for event in GAME.view(state, seat).events:
                if event.WhichOneof("kind") == "action" and event.action.WhichOneof("kind") == "deal":
                    assert event.seat == seat


def test_a_view_does_not_change_with_the_hands_of_others(walked):
    for state in walked(4, 3):
        if state.phase is Phase.PLAY:
            other = state.copy()
            other.hands[1], other.hands[2] = other.hands[2], other.hands[1]
            if other.hands[1].bit_count() == other.hands[2].bit_count():
                assert serialised(GAME.view(other, 0)) == serialised(GAME.view(state, 0))
                assert serialised(GAME.view(other, None)) == serialised(GAME.view(state, None))


def test_a_sample_fits_the_view_of_every_seat_at_every_ply(walked, seats):
    stream = FastStream(1)
    for state in walked(seats, 4):
        for seat in (None, *range(seats)):
            view = GAME.view(state, seat)
            guess = GAME.sample(view, NUMBERS, stream)
            assert serialised(GAME.view(guess, seat)) == serialised(view)
            assert (guess.to_act, guess.outcome) == (state.to_act, state.outcome)
            if seat == state.to_act:
                assert guess.legal_actions() == state.legal_actions()


def test_a_sample_deals_the_others_only_cards_that_were_not_seen(table):
    state = table.state(3, hands=["fuel 1", "water 2 3", "food 4"], colonies=["tools 1 2", "", "fuel 9"], pool="food 9")
    view = GAME.view(state, 0)
    seen = table.cards("fuel 1 9, tools 1 2, food 9")
    for seed in range(50):
        guess = GAME.sample(view, NUMBERS, FastStream(seed))
        assert not seen & (guess.hands[1] | guess.hands[2])
        assert not guess.hands[1] & guess.hands[2]


def test_every_unseen_card_turns_up_in_samples(table):
    view = GAME.view(table.state(2, hands=["fuel 1", "water 2"]), 0)
    found = {GAME.sample(view, NUMBERS, FastStream(seed)).hands[1] for seed in range(600)}
    assert len(found) == 39


def test_the_hand_of_the_only_other_is_implied_once_no_card_is_left_undealt(table):
    state = table.state(2, hands=["fuel 1", "water 2"])
    hand, undealt = (secret for secret in GAME.secrets(2) if secret.name in ("hand of seat 1", "undealt cards"))
    assert not hand.implied(state, 0)
    state.spent = table.numbers.deck & ~table.cards("fuel 1, water 2")
    assert undealt.value(state) is None
    assert hand.implied(state, 0)
    assert not hand.implied(state, None)


def test_events_reach_back_to_the_seat_s_own_last_action(table):
    state = table.state(2, hands=["fuel 1 2", "water 2 3"])
    table.do(state, "play fuel 1", "play water 2", "take fuel 1")
    assert [event.WhichOneof("kind") for event in GAME.view(state, 0).events] == ["action"]
    assert [event.seat for event in GAME.view(state, 1).events] == [1, 0, 0]


def test_the_public_view_tells_the_last_ply(table):
    state = table.state(2, hands=["fuel 1 2", "water 2 3"])
    table.do(state, "play fuel 1")
    (event,) = GAME.view(state, None).events
    assert (event.seat, event.action.play.card.value) == (0, 1)
    table.do(state, "play water 2")
    assert [event.WhichOneof("kind") for event in GAME.view(state, None).events] == ["action", "won"]


def test_a_view_carries_the_event_card_for_programs_without_the_component_file(table):
    view = GAME.view(table.resolution(2, event="Famine", colonies=["food 1 2 3, tools 4", ""]), 0)
    assert (view.event_card.damage, view.event_card.necessary) == (10, 5)
    assert [list(option.cost) for option in view.event_card.options] == [
        [pb.PRICE_FOOD, pb.PRICE_FOOD],
        [pb.PRICE_FOOD, pb.PRICE_TOOLS],
        [pb.PRICE_WATER],
    ]


def test_a_turn_with_an_unknown_action_is_malformed():
    data = pb.Turn(legal_actions=[pb.Action(play=pb.Play(card=pb.Card(value=99)))]).SerializeToString()
    with pytest.raises(MalformedAction):
        GAME.parse_turn(data)
