"""Harpoons, playing to a trick, who wins it, winnings."""

from itertools import combinations, permutations

import pytest

from arena.games.frost_shelter.actions import Piece, PlayCard, Resource, card_of
from arena.games.frost_shelter.phases import Phase
from arena.games.frost_shelter.trick import strongest, winning_card

FUEL, WATER, FOOD, TOOLS = Resource
PAIRS = list(permutations(range(1, 11), 2))


def winner(relic, *laid):
    """Return the place of the winning card; a card is (resource, value) or (resource, value, "expedition")."""
    trick = tuple(PlayCard(card_of(Resource(kind), value), expedition=bool(rest)) for kind, value, *rest in laid)
    return [play.card for play in trick].index(winning_card(trick, relic))


def beats(value, other):
    return value == 1 if {value, other} == {1, 10} else value > other


@pytest.mark.parametrize("relic", range(4))
def test_the_higher_of_two_values_wins_but_1_beats_10(relic):
    for kind in range(4):
        for first, second in PAIRS:
            assert (winner(relic, (kind, first), (kind, second)) == 0) == beats(first, second)


def test_among_relic_cards_the_same_order_holds():
    for first, second in PAIRS:
        assert (winner(FUEL, (WATER, 5), (FUEL, first), (FUEL, second)) == 1) == beats(first, second)


def test_without_the_10_the_1_is_the_lowest():
    for values in combinations(range(1, 10), 3):
        assert strongest(sum(1 << value - 1 for value in values)) + 1 == max(values)


def test_with_1_and_10_both_in_the_trick_the_1_is_highest_whatever_else_lies_there():
    for others in combinations(range(2, 10), 3):
        laid = [(FOOD, value) for value in (10, *others, 1)]
        assert winner(TOOLS, *laid) == 4


def test_any_relic_card_beats_every_other_card():
    for low in range(1, 11):
        for high in range(1, 11):
            assert winner(TOOLS, (FUEL, high), (TOOLS, low)) == 1


def test_another_resource_cannot_win():
    assert winner(TOOLS, (FUEL, 2), (WATER, 10), (FOOD, 9)) == 0


def test_a_card_on_expedition_does_not_compete_even_as_a_relic_card():
    assert winner(TOOLS, (FUEL, 2), (TOOLS, 9, "expedition"), (FUEL, 3)) == 2


def test_a_10_on_expedition_does_not_make_the_1_high():
    assert winner(TOOLS, (FUEL, 1), (FUEL, 10, "expedition"), (FUEL, 4)) == 2


def test_if_all_others_are_on_expedition_the_leader_wins():
    assert winner(TOOLS, (FUEL, 1), (TOOLS, 9, "expedition"), (FUEL, 10, "expedition")) == 0


def test_the_leader_opens_with_any_card_but_never_on_expedition(table):
    state = table.state(3, hands=["fuel 1, water 2, tools 3", "food 1 2 3", "food 4 5 6"])
    assert state.to_act == 0
    assert table.legal(state) == ["play fuel 1", "play water 2", "play tools 3"]


def test_a_follower_may_play_any_card_with_or_without_expedition(table):
    state = table.state(2, hands=["fuel 1 3", "fuel 2, water 9"])
    table.do(state, "play fuel 1")
    assert table.legal(state) == ["play fuel 2", "play water 9", "expedition fuel 2", "expedition water 9"]


def test_the_expedition_card_is_used_once_an_event(table):
    state = table.state(2, hands=["fuel 1 3", "fuel 2, water 9"], expeditions=[1])
    table.do(state, "play fuel 1")
    assert table.legal(state) == ["play fuel 2", "play water 9"]


def test_players_follow_clockwise_from_the_leader(table):
    state = table.state(4, hands=["fuel 1", "fuel 2", "fuel 3", "fuel 4"], leader=2)
    seen = []
    for text in ("play fuel 3", "play fuel 4", "play fuel 1"):
        seen.append(state.to_act)
        table.do(state, text)
    assert [*seen, state.to_act] == [2, 3, 0, 1]


def test_a_trick_ends_when_everybody_has_played_one_card(seats, table):
    hands = [f"fuel {2 * seat + 1} {2 * seat + 2}" for seat in range(seats)]
    state = table.state(seats, hands=hands)
    for seat in range(seats):
        assert (state.phase, state.to_act, len(state.trick)) == (Phase.PLAY, seat, seat)
        table.do(state, f"play fuel {2 * seat + 2}")
    assert state.phase is Phase.TAKE
    assert [hand.bit_count() for hand in state.hands] == [1] * seats


@pytest.mark.parametrize(("seats", "number"), [(2, 1), (3, 2), (4, 2), (5, 3)])
def test_the_winner_takes_exactly_1_2_2_3_cards_of_its_choice(seats, number, table):
    hands = [f"fuel {seat + 2}, water {seat + 2}" for seat in range(seats)]
    state = table.do(table.state(seats, hands=hands), *(f"play fuel {seat + 2}" for seat in range(seats)))
    assert state.phase is Phase.TAKE
    for taken in range(number):
        assert state.to_act == seats - 1
        assert table.legal(state) == [f"take fuel {seat + 2}" for seat in range(taken, seats)]
        table.do(state, f"take fuel {taken + 2}")
    assert state.phase is Phase.PLAY
    assert state.colonies[seats - 1].bit_count() == number


def test_a_card_played_on_expedition_may_be_taken_by_the_winner(table):
    state = table.do(table.state(2, hands=["fuel 1 3", "fuel 2, tools 9"]), "play fuel 1", "expedition tools 9")
    assert table.legal(state) == ["take fuel 1", "take tools 9"]


def test_what_the_winner_leaves_goes_to_the_pool(table):
    state = table.state(3, hands=["fuel 1 3", "fuel 2 4", "fuel 5 6"], pool="food 3")
    table.do(state, "play fuel 1", "play fuel 2", "play fuel 5", "take fuel 5", "take fuel 1")
    assert state.pool == table.cards("food 3, fuel 2")


def test_the_winner_becomes_the_leader(table):
    state = table.do(table.state(2, hands=["fuel 1 3", "fuel 2 4"]), "play fuel 1", "play fuel 2", "take fuel 1")
    assert (state.leader, state.to_act, state.phase) == (1, 1, Phase.PLAY)


def test_tricks_go_on_until_the_hands_are_empty(walked, seats):
    tricks = [
        (len(s.revealed), s.hands[0].bit_count()) for s in walked(seats, 5) if s.phase is Phase.PLAY and not s.trick
    ]
    hand = {2: 10, 3: 9, 4: 8, 5: 7}[seats]
    assert tricks == [(event, left) for event in (1, 2, 3) for left in range(hand, 0, -1)]


def test_a_trick_taken_whole_leaves_nothing_to_choose(table):
    from arena.games.frost_shelter import GAME
    from arena.games.frost_shelter.reading import own_text

    numbers = GAME.components(own_text().replace("2 = 1\n3 = 2", "2 = 2\n3 = 2"), "x.toml")
    state = table.state(2, hands=["fuel 1 3", "fuel 2 4"], components=numbers)
    table.do(state, "play fuel 1", "play fuel 2")
    assert state.phase is Phase.PLAY
    assert state.colonies[1] == table.cards("fuel 1 2")


def harpooned(table, **given):
    hands = ["fuel 1", "fuel 2", "fuel 3"]
    return table.harpoons(3, hands=hands, relic="fuel", **given)


def test_a_harpoon_names_another_relic_and_returns_to_the_row(table):
    state = harpooned(table, kit={0: [Piece.HARPOON]})
    assert state.row(Piece.HARPOON) == 2
    assert table.legal(state) == ["harpoon water", "harpoon food", "harpoon tools", "decline"]
    table.do(state, "harpoon food")
    assert state.relic == FOOD
    assert state.row(Piece.HARPOON) == 3
    assert state.phase is Phase.PLAY


def test_harpoons_are_asked_clockwise_from_the_leader_and_the_last_one_stands(table):
    state = harpooned(table, leader=1, kit={0: [Piece.HARPOON], 2: [Piece.HARPOON]})
    assert state.to_act == 2
    table.do(state, "harpoon food")
    assert state.to_act == 0
    assert table.legal(state) == ["harpoon fuel", "harpoon water", "harpoon tools", "decline"]
    table.do(state, "harpoon tools")
    assert (state.relic, state.phase) == (TOOLS, Phase.PLAY)


def test_a_seat_uses_at_most_one_harpoon_an_event(table):
    state = table.do(harpooned(table, kit={0: [Piece.HARPOON] * 2}), "harpoon food")
    assert state.phase is Phase.PLAY
    assert state.kit[Piece.HARPOON] == 1


def test_a_harpoon_may_be_kept(table):
    state = table.do(harpooned(table, kit={0: [Piece.HARPOON]}), "decline")
    assert (state.relic, state.kit[Piece.HARPOON], state.phase) == (FUEL, 1, Phase.PLAY)


def test_harpoons_come_before_the_first_trick_only(walked):
    for seed in range(6):
        for state in walked(4, seed):
            if state.phase is Phase.HARPOON:
                assert not state.trick
                assert {hand.bit_count() for hand in state.hands} == {8}


def test_a_harpooned_relic_decides_the_tricks(table):
    state = harpooned(table, kit={0: [Piece.HARPOON]})
    state.hands = [table.cards("fuel 1"), table.cards("water 2"), table.cards("food 3")]
    table.do(state, "harpoon water", "play fuel 1", "play water 2", "play food 3")
    assert state.winner == 1


def test_in_the_next_event_a_new_relic_is_revealed_whatever_harpoons_did(walked):
    for seed in range(8):
        for state in walked(2, seed):
            if state.phase is Phase.RELIC:
                assert state.relic == -1
            if state.phase is Phase.DEAL:
                assert state.relic == state.relics[-1]
