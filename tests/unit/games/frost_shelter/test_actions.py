"""The actions of Frost Shelter and their table."""

from copy import deepcopy

from arena.games.frost_shelter import GAME
from arena.games.frost_shelter.actions import ACTIONS, PLAYS, PlayCard, card_of, resource_of, value_of


def test_the_table_has_every_action_once():
    assert len(ACTIONS) == len(set(ACTIONS.all)) == 218


def test_the_order_of_the_table_is_fixed():
    # A moved entry would give old logs and trained bots other actions: it takes a new rules version.
    places = {"event 0": 0, "relic fuel": 24, "equip tarp": 28, "deal fuel 1": 30, "leader 0": 70, "harpoon fuel": 75}
    places |= {"play fuel 1": 79, "expedition fuel 1": 119, "take fuel 1": 159, "defend 0": 199, "use tarp": 207}
    places |= {"heal": 209, "buy tarp": 210, "pay fuel": 213, "decline": 217}
    assert {text: ACTIONS.texts.index(text) for text in places} == places


def test_a_card_number_tells_resource_and_value():
    assert all(card_of(resource_of(card), value_of(card)) == card for card in range(40))


def test_an_equal_action_from_elsewhere_is_as_good_as_the_table_s(table):
    state = table.state(2, hands=["fuel 7", "food 2"])
    copied = deepcopy(PLAYS[6])
    assert copied == PlayCard(6, expedition=False)
    state.apply(copied)
    assert state.trick[0] is PLAYS[6]


def test_words_name_the_event_and_the_card():
    numbers = GAME.components(None, "")
    assert GAME.describe(ACTIONS.parse("event 3"), numbers) == "reveals the Event Burst Pipes"
    assert GAME.describe(ACTIONS.parse("expedition water 10"), numbers) == "plays Water 10 on Expedition"
