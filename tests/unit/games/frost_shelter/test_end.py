"""Who wins: least damage, both tie-breaks, shared victory."""

import pytest

from arena.games.frost_shelter.actions import Resource
from arena.games.frost_shelter.phases import Phase
from arena.games.frost_shelter.purchases import final_outcome


def outcome(table, damage, colonies, relic="tools"):
    return final_outcome(damage, [table.cards(text) for text in colonies], Resource[relic.upper()])


def test_the_least_damage_wins(table):
    found = outcome(table, [9, 3, 12], ["fuel 10", "", "fuel 9"])
    assert (found.ranks, found.scores, found.reason) == ((2, 1, 3), (9, 3, 12), "damage")


def test_the_first_tie_break_is_the_sum_of_the_values_left(table):
    found = outcome(table, [3, 3], ["fuel 2 3", "water 6"])
    assert (found.ranks, found.reason) == ((2, 1), "resources")


def test_a_1_counts_1_in_the_tie_break(table):
    assert outcome(table, [3, 3], ["fuel 1 10", "water 2 10"]).ranks == (2, 1)


def test_the_second_tie_break_is_the_sum_of_the_relic_values(table):
    found = outcome(table, [3, 3], ["fuel 4, tools 3", "water 3, tools 4"])
    assert (found.ranks, found.reason) == ((2, 1), "relic")


@pytest.mark.parametrize(("relic", "ranks"), [("fuel", (1, 2, 2)), ("water", (2, 2, 1)), ("tools", (2, 1, 2))])
def test_the_relic_of_the_last_event_counts(relic, ranks, table):
    assert outcome(table, [3, 3, 3], ["fuel 7", "tools 7", "water 7"], relic).ranks == ranks


def test_if_all_is_equal_the_victory_is_shared(table):
    found = outcome(table, [3, 3, 8], ["fuel 7", "water 7", ""])
    assert (found.ranks, found.reason) == ((1, 1, 3), "shared")


def test_ties_below_the_winner_skip_ranks_too(table):
    assert outcome(table, [1, 5, 5, 7, 5], [""] * 5).ranks == (1, 2, 2, 5, 2)


def test_the_game_ends_with_the_resolution_of_the_third_event_and_counts_the_cards_left(table):
    state = table.resolution(2, event="Fever", number=3, colonies=["tools 1 2", "tools 3 4"])
    assert state.phase is Phase.OVER
    assert state.to_act is None
    assert (state.outcome.ranks, state.outcome.reason) == ((2, 1), "resources")


def test_in_the_last_event_the_infirmary_is_open_and_counts(table):
    state = table.resolution(2, event="White-out", number=3, colonies=["fuel 1, water 1, food 1", ""])
    table.do(state, "decline")
    assert state.phase is Phase.INFIRMARY
    table.do(state, "heal")
    assert state.phase is Phase.OVER
    assert state.outcome.scores == (11, 8)


def test_a_relic_changed_by_harpoon_is_the_last_relic(table):
    state = table.state(2, event="Fever", relic="fuel", number=3, colonies=["fuel 7", "tools 7"])
    state.relic = Resource.TOOLS
    state.enter(Phase.CHEST)
    assert (state.outcome.ranks, state.outcome.reason) == ((2, 1), "relic")


def test_every_order_of_two_seats_follows_damage_then_values_then_relic(table):
    colonies = ["", "fuel 5", "tools 5", "fuel 2 3", "tools 1 4", "tools 6"]
    for first in colonies:
        for second in colonies:
            for hurt in (0, 1):
                one, two = table.cards(first), table.cards(second)
                keys = [(hurt, -total(one), -total(one >> 30)), (0, -total(two), -total(two >> 30))]
                ranks = tuple(1 + (min(keys) < key) for key in keys)
                assert final_outcome([hurt, 0], [one, two], Resource.TOOLS).ranks == ranks


def total(cards):
    return sum(place % 10 + 1 for place in range(40) if cards >> place & 1)
