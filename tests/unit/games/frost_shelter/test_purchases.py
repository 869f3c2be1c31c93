"""Who may buy, when, at what price, and cleaning up."""

from arena.games.frost_shelter.actions import Piece
from arena.games.frost_shelter.phases import Phase

FEVER = {"event": "Fever", "relic": "tools"}


def buying(table, seats, colonies, **given):
    """Return a state in the purchases: everybody has declined whatever came before."""
    state = table.resolution(seats, **{**FEVER, **given}, colonies=colonies)
    while state.phase in (Phase.CHEST, Phase.DEFENCE, Phase.TARP, Phase.INFIRMARY):
        table.do(state, "decline")
    return state


def test_only_who_took_damage_in_this_event_may_buy(table):
    colonies = ["water 1 2 8, food 1, fuel 1, tools 1 2", "tools 3 4"]
    state = table.resolution(2, event="Fever", relic="tools", colonies=colonies, kit={0: [Piece.CHEST]}, damage=[30, 0])
    table.do(state, "use chest", "defend 0", "defend 1", "defend 2")
    assert state.damage[0] == 30
    assert state.colonies[0] == table.cards("tools 2, water 8")
    assert state.order == (1,)


def test_healing_does_not_take_the_right_to_buy_away(table):
    state = table.resolution(2, **FEVER, colonies=["fuel 1 2, water 1, food 1, tools 5", ""])
    table.do(state, "defend 0", "defend 1", "decline")
    assert state.hurt & 1
    assert 0 in state.order


def test_the_most_damaged_in_total_buys_first_ties_clockwise_after_the_last_leader(table):
    state = buying(table, 4, ["fuel 1 2", "fuel 3 4", "fuel 5 6", "fuel 7 8"], damage=[0, 9, 0, 0], leader=2)
    assert state.order == (1, 3, 0, 2)


def test_the_order_is_fixed_after_healing_for_both_rounds(table):
    state = table.resolution(2, **FEVER, colonies=["fuel 1 2, food 4, tools 5", "tools 3 4 6 7"], damage=[1, 0])
    table.do(state, "decline", "heal")
    assert state.damage == [10, 10]
    assert state.order == (1, 0)
    asked = []
    while state.phase is Phase.PURCHASE:
        asked.append(state.to_act)
        table.do(state, "decline")
    assert asked == [1, 0, 1, 0]


def test_two_rounds_of_one_piece_each_and_who_passes_is_asked_again(table):
    state = buying(table, 2, ["fuel 1 2 3, water 9", "food 1 2 3"], damage=[5, 0])
    asked = []
    for text in ("decline", "buy harpoon", "buy harpoon", "decline"):
        asked.append((state.to_act, state.phase))
        table.do(state, text)
        while state.phase is Phase.PAYMENT:
            table.do(state, table.legal(state)[0])
    assert asked == [(0, Phase.PURCHASE), (1, Phase.PURCHASE), (0, Phase.PURCHASE), (1, Phase.PURCHASE)]
    assert state.kit == [0, 0, 1, 0, 0, 1], "each has the piece it bought"
    assert state.phase is Phase.EVENT


def test_a_tarp_costs_2_cards_of_one_resource(table):
    state = buying(table, 2, ["fuel 1, water 4, tools 9", ""])
    assert "buy tarp" not in table.legal(state)
    state = buying(table, 2, ["fuel 1 3 5, water 4", ""])
    table.do(state, "buy tarp")
    assert state.colonies[0] == table.cards("fuel 5, water 4")
    assert state.kit[Piece.TARP] == 1


def test_with_two_resources_to_pay_a_tarp_the_payer_chooses(table):
    state = buying(table, 2, ["fuel 1 3, water 4 6, food 1", ""])
    table.do(state, "buy tarp")
    assert table.legal(state) == ["pay fuel", "pay water"]
    table.do(state, "pay water")
    assert state.colonies[0] == table.cards("fuel 1 3, food 1")


def test_a_chest_costs_2_cards_of_any_resources_chosen_one_at_a_time(table):
    state = buying(table, 2, ["fuel 1 3, water 4, tools 2", ""])
    table.do(state, "buy chest")
    assert table.legal(state) == ["pay fuel", "pay water", "pay tools"]
    table.do(state, "pay fuel")
    assert table.legal(state) == ["pay fuel", "pay water", "pay tools"]
    table.do(state, "pay tools")
    assert state.colonies[0] == table.cards("fuel 3, water 4")


def test_a_harpoon_costs_1_card(table):
    state = buying(table, 2, ["fuel 1, water 4", ""])
    table.do(state, "buy harpoon", "pay water")
    assert state.colonies[0] == table.cards("fuel 1")
    assert state.kit[Piece.HARPOON] == 1


def test_a_payment_without_a_choice_is_not_asked(table):
    state = buying(table, 2, ["fuel 1, water 4", ""])
    table.do(state, "buy chest")
    assert state.colonies[0] == 0
    assert state.phase is Phase.EVENT


def test_what_is_not_in_the_row_cannot_be_bought(table):
    state = buying(table, 2, ["fuel 1 2", ""], kit={1: [Piece.HARPOON] * 3})
    assert table.legal(state) == ["buy tarp", "buy chest", "decline"]


def test_a_piece_used_in_this_event_may_be_bought_again(table):
    kit = {0: [Piece.TARP], 1: [Piece.TARP] * 4}
    state = table.resolution(2, **FEVER, leader=0, colonies=["tools 1 2", ""], kit=kit)
    assert state.row(Piece.TARP) == 0
    table.do(state, "use tarp")
    while state.phase is Phase.TARP:
        table.do(state, "decline")
    assert "buy tarp" in table.legal(state)


def test_there_is_no_limit_on_pieces_held(table):
    state = buying(table, 2, ["fuel 1 2 3 4", ""], kit={0: [Piece.CHEST] * 4})
    table.do(state, "buy chest")
    assert state.kit[Piece.CHEST] == 5


def test_in_the_last_event_nothing_is_bought(table):
    state = table.resolution(2, **FEVER, number=3, colonies=["tools 1 2", "tools 3 4"])
    assert state.phase is Phase.OVER


def test_cleaning_up_discards_colonies_and_pool(table):
    state = buying(table, 2, ["tools 1 2", "tools 3 4"], pool="food 9")
    while state.phase is Phase.PURCHASE:
        table.do(state, "decline")
    assert state.phase is Phase.EVENT
    assert (state.colonies, state.pool, state.spent, state.hurt) == ([0, 0], 0, 0, 0)
    assert state.undealt().bit_count() == 40


def test_damage_and_equipment_outlast_the_event(table):
    state = buying(table, 2, ["tools 1", ""], kit={0: [Piece.CHEST]}, damage=[3, 0])
    table.do(state, "decline", "decline")
    assert state.damage == [13, 6]
    assert state.kit[Piece.CHEST] == 1


def test_frost_bite_alone_gives_the_right_to_buy(table):
    state = table.resolution(2, event="Blizzard", relic="tools", colonies=["fuel 1 2, water 6, food 3, tools 4 5", ""])
    table.do(state, *(f"defend {place}" for place in range(4)))
    assert ("suffered", 0, 0) in table.told(state)
    assert (state.phase, state.to_act, table.legal(state)) == (Phase.PURCHASE, 0, ["buy harpoon", "decline"])
