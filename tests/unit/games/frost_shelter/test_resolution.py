"""Frost Bite, Chests, defence options, Tarps, Hibernation, damage, the Infirmary."""

import pytest

from arena.games.frost_shelter import GAME
from arena.games.frost_shelter.actions import Piece
from arena.games.frost_shelter.phases import Phase
from arena.games.frost_shelter.reading import own_text

SIX = "fuel 1 2 3, water 1 2 3"


def happened(table, state, seat, *kinds):
    return [(kind, amount) for kind, who, amount in table.told(state) if who == seat and kind in kinds]


def test_seats_resolve_clockwise_from_the_winner_of_the_last_trick(table):
    state = table.resolution(3, leader=2)
    assert [seat for kind, seat, _ in table.told(state) if kind == "suffered"] == [2, 0, 1]


@pytest.mark.parametrize(("count", "bite"), [(5, 0), (6, 2), (8, 6)])
def test_each_card_above_the_necessary_number_costs_2_damage(count, bite, table):
    cards = ["water", "1", "2", "3", "4", "5", "6", "7", "8"][: count + 1]
    state = table.resolution(2, event="Blizzard", colonies=[" ".join(cards), ""])
    assert sum(amount for _, amount in happened(table, state, 0, "frost bite")) == bite


def test_cards_too_many_are_counted_before_anything_is_spent_and_may_still_be_spent(table):
    state = table.resolution(2, event="Blizzard", colonies=["food 1 2 3 4 5 6", ""])
    assert happened(table, state, 0, "frost bite") == [("frost bite", 2)]
    table.do(state, "defend 1")
    assert state.colonies[0] == table.cards("food 2 3 4 5 6")


def test_a_chest_takes_in_up_to_2_cards_and_returns_to_the_row(table):
    state = table.resolution(2, event="Blizzard", colonies=["water 1 2 3 4 5 6 7 8", ""], kit={0: [Piece.CHEST]})
    assert table.legal(state) == ["use chest", "decline"]
    table.do(state, "use chest")
    assert happened(table, state, 0, "frost bite") == [("frost bite", 2)]
    assert state.row(Piece.CHEST) == 5


def test_a_chest_that_is_kept_prevents_nothing(table):
    state = table.resolution(2, event="Blizzard", colonies=["water 1 2 3 4 5 6", ""], kit={0: [Piece.CHEST]})
    table.do(state, "decline")
    assert happened(table, state, 0, "frost bite") == [("frost bite", 2)]
    assert state.kit[Piece.CHEST] == 1


def test_several_chests_may_be_used_each_only_while_cards_are_too_many(table):
    kit = {0: [Piece.CHEST] * 3}
    state = table.resolution(2, event="Blizzard", colonies=["water 1 2 3 4 5 6 7 8", ""], kit=kit)
    table.do(state, "use chest", "use chest")
    assert happened(table, state, 0, "frost bite") == []
    assert state.kit[Piece.CHEST] == 1
    assert state.phase is not Phase.CHEST


def test_without_cards_too_many_no_chest_is_asked_for(table):
    state = table.resolution(2, event="Blizzard", colonies=["food 1", ""], kit={0: [Piece.CHEST]})
    assert state.phase is Phase.DEFENCE


def test_each_option_can_be_used_once(table):
    state = table.resolution(2, event="Blizzard", colonies=["food 1 2, fuel 1", ""])
    assert table.legal(state) == ["defend 1", "decline"]
    table.do(state, "defend 1")
    assert state.damage == [8, 10 - 4]


def test_options_may_be_used_in_any_number_and_order(table):
    state = table.resolution(2, event="White-out", relic="tools", colonies=["fuel 1, water 2, food 3", ""])
    table.do(state, "defend 2", "defend 0")
    assert state.pending == 8
    table.do(state, "decline")
    assert state.damage[0] == 8
    assert state.colonies[0] == table.cards("water 2")


def test_a_card_pays_for_one_thing_only(table):
    state = table.resolution(2, event="Famine", colonies=["food 1 2, tools 9", ""])
    assert table.legal(state) == ["defend 0", "defend 1", "decline"]
    table.do(state, "defend 0")
    assert state.damage[0] == 6


def test_the_lowest_cards_of_a_resource_are_paid(table):
    state = table.resolution(2, event="Famine", colonies=["food 1 4 9 10", ""])
    table.do(state, "defend 0")
    assert state.colonies[0] == table.cards("food 9 10")
    assert state.spent == table.cards("food 1 4")


def test_relic_in_a_cost_is_any_card_of_the_relic_now(table):
    state = table.resolution(2, event="Avalanche", relic="water", colonies=["water 3 8 9", ""])
    assert table.legal(state) == ["defend 2", "decline"]
    table.do(state, "defend 2")
    assert state.colonies[0] == table.cards("water 9")


def test_where_all_damage_is_prevented_nothing_more_is_asked(table):
    state = table.resolution(2, event="Blizzard", colonies=["fuel 1 2, food 1, tools 1 2", ""], kit={0: [Piece.TARP]})
    table.do(state, "defend 0", "defend 1", "defend 2", "defend 3")
    assert state.damage[0] == 0
    assert state.kit[Piece.TARP] == 1
    assert state.phase is Phase.EVENT


def test_a_tarp_prevents_up_to_3_of_the_event_s_damage_and_returns_to_the_row(table):
    state = table.resolution(2, event="Blizzard", expeditions=[0], kit={0: [Piece.TARP]})
    assert table.legal(state) == ["use tarp", "decline"]
    table.do(state, "use tarp")
    assert state.damage[0] == 7
    assert state.row(Piece.TARP) == 5


def test_several_tarps_may_be_used_and_never_below_0(table):
    state = table.resolution(2, event="Blizzard", expeditions=[0], kit={0: [Piece.TARP] * 5})
    table.do(state, "use tarp", "use tarp", "use tarp", "use tarp")
    assert state.damage[0] == 0
    assert state.kit[Piece.TARP] == 1


def test_a_tarp_does_not_help_against_frost_bite(table):
    six = "water 1 2 3 4 5 6"
    state = table.resolution(2, event="Blizzard", colonies=[six, ""], kit={0: [Piece.TARP]})
    assert happened(table, state, 0, "frost bite") == [("frost bite", 2)]
    table.do(state, "use tarp")
    assert state.damage[0] == 2 + 7


def test_resolution_goes_frost_bite_options_tarp_hibernation_damage_infirmary_purchases(table):
    kit = {0: [Piece.CHEST, Piece.TARP]}
    colony = "fuel 1 2, water 1 2, food 1 2, tools 1 2"
    state = table.resolution(2, event="Blizzard", colonies=[colony, ""], kit=kit)
    phases = []
    for text in ("use chest", "defend 1", "decline", "use tarp", "decline", "decline", "decline"):
        phases.append(state.phase)
        table.do(state, text)
    expected = [Phase.CHEST, Phase.DEFENCE, Phase.DEFENCE, Phase.TARP, Phase.INFIRMARY, Phase.PURCHASE, Phase.PURCHASE]
    assert phases == expected


def test_hibernation_of_an_empty_colony_prevents_4(table):
    state = table.resolution(2, event="Blizzard")
    assert happened(table, state, 0, "hibernation", "suffered") == [("hibernation", 4), ("suffered", 6)]


def test_hibernation_never_prevents_more_than_there_is(table):
    state = table.resolution(2, event="Blizzard", kit={0: [Piece.TARP] * 3})
    table.do(state, "use tarp", "use tarp", "use tarp")
    assert happened(table, state, 0, "hibernation", "suffered") == [("hibernation", 1), ("suffered", 0)]


def test_an_expedition_forfeits_hibernation_even_if_nothing_was_taken(table):
    state = table.resolution(2, event="Blizzard", expeditions=[0])
    assert happened(table, state, 0, "hibernation", "suffered") == [("suffered", 10)]


def test_a_colony_spent_on_options_does_not_hibernate(table):
    state = table.resolution(2, event="Blizzard", colonies=["food 1", ""])
    table.do(state, "defend 1")
    assert happened(table, state, 0, "hibernation", "suffered") == [("suffered", 8)]


def test_the_infirmary_heals_1_for_3_cards_of_different_resources(table):
    state = table.resolution(2, event="Famine", relic="fuel", colonies=["fuel 1 5, water 2 6, food 3 7", ""])
    table.do(state, "decline")
    assert state.phase is Phase.INFIRMARY
    before = state.damage[0]
    table.do(state, "heal")
    assert state.damage[0] == before - 1
    assert state.colonies[0] == table.cards("fuel 5, water 6, food 7")


def test_the_infirmary_may_be_used_again_and_again(table):
    state = table.resolution(2, event="Famine", colonies=["fuel 1 5, water 2 6, food 3 7", ""])
    table.do(state, "decline", "heal", "heal")
    assert state.colonies[0] == 0
    assert state.damage[0] == 2 + 10 - 2


def test_of_four_resources_the_payer_chooses_three_one_card_at_a_time(table):
    state = table.resolution(2, event="Blizzard", colonies=["fuel 1, water 2, food 3, tools 4 5", ""], damage=[5, 0])
    table.do(state, "decline", "heal")
    assert state.phase is Phase.PAYMENT
    assert table.legal(state) == ["pay fuel", "pay water", "pay food", "pay tools"]
    table.do(state, "pay tools")
    assert table.legal(state) == ["pay fuel", "pay water", "pay food"]
    table.do(state, "pay food")
    assert table.legal(state) == ["pay fuel", "pay water"]
    table.do(state, "pay water")
    assert state.colonies[0] == table.cards("fuel 1, tools 5")


def test_the_infirmary_is_not_offered_without_damage(table):
    state = table.resolution(2, event="Blizzard", colonies=["fuel 1 2 3, food 1 2, tools 1 2, water 1", ""])
    assert state.phase is Phase.DEFENCE
    state = table.resolution(2, event="Blizzard", relic="tools", colonies=["fuel 1 2, food 1, tools 1 2", ""], leader=0)
    table.do(state, "defend 0", "defend 1", "defend 2", "defend 3")
    assert state.phase is not Phase.INFIRMARY


def test_the_infirmary_is_open_to_who_took_no_damage_in_this_event(table):
    own = own_text().replace("damage = 10\nnecessary = 5", "damage = 0\nnecessary = 5")
    numbers = GAME.components(own, "calm.toml")
    state = table.resolution(2, colonies=["fuel 1, water 2, food 3", ""], damage=[3, 0], components=numbers)
    assert state.phase is Phase.INFIRMARY
    table.do(state, "heal")
    assert state.damage[0] == 2
    assert state.hurt == 0


def test_seats_cannot_affect_each_other_before_the_purchases(table):
    # Whatever the first seat does, the second is asked the same.
    for acts in (["decline"], ["defend 1"]):
        state = table.resolution(2, event="Blizzard", colonies=["food 1 2", "food 3, fuel 1 2"])
        table.do(state, *acts)
        assert (state.to_act, table.legal(state)) == (1, ["defend 0", "defend 1", "decline"])


def test_damage_has_no_limit_and_nobody_is_eliminated(table):
    state = table.resolution(2, event="White-out", damage=[990, 0], expeditions=[0])
    assert state.damage[0] == 1002
    assert state.outcome is None


def test_the_infirmary_is_not_offered_to_who_could_pay_it_without_damage(table):
    state = table.resolution(2, colonies=["fuel 1, water 2, food 3", ""], kit={0: [Piece.TARP] * 4})
    table.do(state, "decline", *["use tarp"] * 4)
    assert state.damage[0] == 0
    assert ("ply", 0, "heal") not in table.told(state)
    assert state.phase is Phase.EVENT
