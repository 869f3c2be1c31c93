"""The component file: what comes with the game, and how a wrong file is refused."""

import pytest

from arena.core.errors import BadComponents
from arena.games.frost_shelter import GAME
from arena.games.frost_shelter.actions import Piece
from arena.games.frost_shelter.components import Price, Status
from arena.games.frost_shelter.reading import own_text

OWN = own_text()


def read(text):
    return GAME.components(text, "mine.toml")


def test_every_group_says_where_its_numbers_come_from():
    status = read(OWN).status
    assert {group for group, known in status.items() if known is Status.PUBLISHED} == {"course", "infirmary", "hands"}
    assert {group for group, known in status.items() if known is Status.RECONSTRUCTED} == {
        *("winnings", "resources", "relics", "equipment", "events")
    }


def test_the_deck_has_four_resources_with_values_1_to_10():
    assert read(OWN).deck == (1 << 40) - 1


def test_damage_is_twice_the_requirement_and_the_options_add_up_to_both():
    for event in read(OWN).events:
        assert event.damage == 2 * event.necessary
        assert event.necessary == sum(len(option.cost.cards) for option in event.options)
        assert event.damage == sum(option.prevents for option in event.options)


EVENTS = {
    "Blizzard": (10, 5, {"fuel fuel": 4, "food": 2, "tools": 2, "relic": 2}),
    "Cold Snap": (10, 5, {"fuel water": 4, "fuel": 2, "tools tools": 4}),
    "Famine": (10, 5, {"food food": 4, "food tools": 4, "water": 2}),
    "Burst Pipes": (12, 6, {"tools tools": 4, "water water": 4, "fuel": 2, "relic": 2}),
    "Avalanche": (12, 6, {"tools food": 4, "fuel water": 4, "relic relic": 4}),
    "Fever": (10, 5, {"water food": 4, "fuel tools": 4, "water": 2}),
    "Generator Failure": (12, 6, {"fuel tools": 4, "fuel fuel": 4, "water food": 4}),
    "White-out": (12, 6, {"fuel": 2, "water": 2, "food": 2, "tools": 2, "relic relic": 4}),
}
"""The reconstructed cards: damage, cards necessary, what each cost prevents."""


def test_the_event_cards_are_those_of_the_component_data():
    found = {}
    for event in read(OWN).events:
        options = {" ".join(p.name.lower() for p in option.cost.cards): option.prevents for option in event.options}
        found[event.name] = (event.damage, event.necessary, options)
    assert found == EVENTS


def test_a_tarp_prevents_3_and_a_chest_holds_2():
    equipment = read(OWN).equipment
    assert [piece.effect for piece in equipment] == [3, 2, 0]


def test_the_infirmary_heals_1_for_three_different_cards():
    numbers = read(OWN)
    assert (numbers.infirmary_heals, numbers.infirmary_cost.cards) == (1, (Price.DIFFERENT,) * 3)


def test_hands_and_winnings_are_those_of_the_rulebook_and_the_component_data():
    numbers = read(OWN)
    assert (numbers.hands, numbers.winnings) == ((0, 0, 10, 9, 8, 7), (0, 0, 1, 2, 2, 3))


def test_there_are_8_events_4_relics_and_5_5_3_pieces():
    numbers = read(OWN)
    assert len(numbers.events) == 8
    assert numbers.relics == (1, 1, 1, 1)
    assert [piece.pieces for piece in numbers.equipment] == [5, 5, 3]


def test_the_prices_of_equipment_are_two_alike_two_of_any_and_one():
    equipment = read(OWN).equipment
    assert equipment[Piece.TARP].cost.cards == (Price.SAME, Price.SAME)
    assert equipment[Piece.CHEST].cost.cards == (Price.ANY, Price.ANY)
    assert equipment[Piece.HARPOON].cost.cards == (Price.ANY,)


def test_the_constants_of_the_rulebook_stand_in_the_file():
    course = read(OWN).course
    found = course.events, course.frost_bite, course.hibernation, course.expedition, course.purchases
    assert found == (3, 2, 4, 2, 2)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("events = 3 ", "events = 9 ", "course.events: must be a whole number from 1 to 8, not 9"),
        ("events = 3 ", "events = true ", "course.events: must be a whole number from 1 to 8, not True"),
        ("frost_bite = 2 ", "", "course.frost_bite: is missing"),
        (
            "frost_bite = 2 ",
            "frost_bite = 2\nsnow = 1 ",
            "course.snow: is unknown; there are status, events, frost_bite",
        ),
        (
            'status = "published"\nheals',
            'status = "guessed"\nheals',
            "infirmary.status: must be one of published, known, reconstructed, printed, not 'guessed'",
        ),
        ("2 = 10\n", "2 = 21\n", "hands.2: must be a whole number from 1 to 20, not 21"),
        ("3 = 2\n", "3 = 4\n", "winnings.3: must be a whole number from 1 to 3, not 4"),
        ("fuel = [1, 2", "fuel = [2, 1", "resources.fuel: must be ascending, each value once"),
        ("fuel = [1, 2", "fuel = [0, 2", "resources.fuel[0]: must be a whole number from 1 to 10, not 0"),
        ("fuel = [1, 2", "fuel = [1, 1, 2", "resources.fuel: must have 0 to 10 entries, not 11"),
        (
            "fuel = 1\nwater = 1\nfood = 1",
            "fuel = 1\nwater = 0\nfood = 0",
            "relics: 3 Relic cards are needed, there are",
        ),
        (
            'pieces = 5, cost = ["same"',
            'pieces = 1, cost = ["ice"',
            "equipment.tarp.cost[0]: must be one of fuel, water",
        ),
        ("tarp = { pieces = 5", "tarp = { pieces = -1", "equipment.tarp.pieces: must be a whole number from 0 to 20"),
        ("holds = 2", "prevents = 2", "equipment.chest.holds: is missing"),
        ('["same", "same"]', '["same", "any"]', 'equipment.tarp.cost: "same" or "different" stands alone'),
        ('["same", "same"]', '["same", "fuel"]', 'equipment.tarp.cost: "same" or "different" stands alone'),
        ('["same", "same"]', "[]", "equipment.tarp.cost: must have 1 to 6 entries, not 0"),
        ('["same", "same"]', '"same"', "equipment.tarp.cost: must be a list, not 'same'"),
        ('["same", "same"]', '["different", "different", "different", "different", "different"]', "there are only 4"),
        ('name = "Fever"', 'name = "Famine"', "events.card: each card must have a name of its own"),
        ('name = "Fever"', 'name = " "', "events.card[5].name: must be a name"),
        ('name = "Fever"', f'name = "{"F" * 30}"', "events.card[5].name: must have at most 24 characters"),
        ('{ cost = ["food"], prevents = 2 }', '{ cost = ["food"] }', "events.card[0].options[1].prevents: is missing"),
        ('{ cost = ["food"], prevents = 2 }', "7", "events.card[0].options[1]: must be a table"),
    ],
)
def test_a_wrong_file_is_refused_with_file_field_and_reason(old, new, message):
    changed = OWN.replace(old, new, 1)
    assert changed != OWN
    with pytest.raises(BadComponents) as caught:
        read(changed)
    assert caught.value.message.startswith("mine.toml: ")
    if old == "3 = 2\n":
        # The first such line belongs to the winnings.
        assert "winnings" in caught.value.message
    assert message in caught.value.message
    assert "\n" not in caught.value.message


def test_too_few_tarps_and_chests_for_five_players_are_refused():
    changed = OWN.replace("tarp = { pieces = 5", "tarp = { pieces = 2").replace(
        "chest = { pieces = 5", "chest = { pieces = 2"
    )
    with pytest.raises(BadComponents, match="equipment: each of 5 players is dealt a Tarp or a Chest"):
        read(changed)


def test_too_few_events_are_refused():
    start = OWN.index('[[events.card]]\nname = "Famine"')
    with pytest.raises(BadComponents, match=r"events\.card: must have 3 to 24 entries, not 2"):
        read(OWN[:start])


def test_names_and_status_do_not_change_the_digest_and_numbers_do():
    own = read(OWN).digest
    assert read(OWN.replace('"Blizzard"', '"Great Blizzard"').replace("reconstructed", "printed")).digest == own
    assert read(OWN.replace("damage = 12", "damage = 11", 1)).digest != own


def test_a_smaller_box_can_be_played_to_the_end(walked, seats):
    from arena.core import CHANCE, FastStream

    text = OWN.replace("2 = 10\n3 = 9\n4 = 8\n5 = 7", "2 = 3\n3 = 3\n4 = 3\n5 = 3")
    text = text.replace('{ cost = ["food"], prevents = 2 }', '{ cost = ["food", "any", "any"], prevents = 2 }')
    text = text.replace("fuel = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]", "fuel = [1, 10]", 1)
    state, stream = GAME.new("standard", seats, read(text)), FastStream(3)
    while state.to_act is not None:
        legal = state.legal_actions()
        state.apply(GAME.draw(state, stream) if state.to_act is CHANCE else legal[stream.below(len(legal), "")])
    assert state.outcome is not None


def test_a_card_that_pays_for_a_named_one_does_not_pay_for_any_too(table):
    text = OWN.replace('{ cost = ["food"], prevents = 2 }', '{ cost = ["food", "any"], prevents = 2 }')
    state = table.resolution(2, components=read(text), colonies=["food 1", "food 2, water 3"])
    assert state.to_act == 1, "seat 0 can pay nothing"
    assert table.legal(state) == ["defend 1", "decline"]


def test_any_may_be_added_to_named_cards(table):
    text = OWN.replace('{ cost = ["food"], prevents = 2 }', '{ cost = ["food", "any"], prevents = 2 }')
    state = table.resolution(2, components=read(text), colonies=["food 1 9, fuel 2, water 4", ""])
    table.do(state, "defend 1")
    assert state.colonies[0] == table.cards("food 9, fuel 2, water 4")
    assert table.legal(state) == ["pay fuel", "pay water", "pay food"]
    table.do(state, "pay food")
    assert state.colonies[0] == table.cards("fuel 2, water 4")
