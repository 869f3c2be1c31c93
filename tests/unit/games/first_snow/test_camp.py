"""Resolving a camp: access, food, warmth, wear, repair, craft, and what can be carried away."""

from collections import Counter
from itertools import permutations

import pytest

from arena.games.first_snow import GAME
from arena.games.first_snow.actions import Diet
from arena.games.first_snow.camp import items, meal, pool_of
from arena.games.first_snow.components import CARDS, Half, Tool
from arena.games.first_snow.events import Arrival, Meal, Ply, Warmth, Wear, since
from arena.games.first_snow.phases import Phase
from arena.games.first_snow.scene import pieces

# With the cards 4 and 6 in winter, a camp between 6 and 4 finds one stone and two snowflakes, one with the coat mark.
BARREN = {"left": 6, "right": 4, "winter": (4, 6)}


def events(state, kind):
    return [event for event in since(state.record, None) if isinstance(event, kind)]


def gathered(state):
    return ", ".join(pieces(events(state, Arrival)[0].gathered))


def night(state):
    """Return what the night's fire came to, after naming a diet if that is asked first."""
    if state.phase is Phase.FOOD:
        state.apply(GAME.actions.parse("eat balanced"))
    return events(state, Warmth)[0]


# Access


@pytest.mark.parametrize(
    ("tools", "found"),
    [
        ("", "1 wood"),
        ("bow", "1 bird, 1 wood"),
        ("axe", "1 fish, 1 wood"),
        ("net", "1 fish, 1 wood"),
        ("net bow axe", "2 fish, 1 bird, 1 wood"),
    ],
)
def test_the_four_resource_location_gives_what_the_tools_reach(stay, tools, found):
    """Rulebook example: one wood freely, a bird with a bow, one fish with an axe and another with a net."""
    assert gathered(stay(2, 3, night=False, winter=(3, 6), good=tools)) == found


@pytest.mark.parametrize(
    ("tool", "where", "without", "with_it"),
    [
        ("net", (1, 4, (6,)), "1 fish", "2 fish"),
        ("bow", (1, 6, (2,)), "1 stone", "2 bird"),
        ("spear", (1, 5, (2,)), "1 wood", "3 caribou"),
        ("axe", (1, 2, (6,)), "1 wood", "2 wood"),
        ("axe", (6, 4, (4,)), "1 stone", "2 fish"),
    ],
)
def test_each_tool_opens_its_resources(stay, tool, where, without, with_it):
    left, right, winter = where
    before = gathered(stay(left, right, winter=winter))
    after = gathered(stay(left, right, winter=winter, good=tool))
    assert without in before
    assert with_it not in before
    assert with_it in after


def test_each_of_the_120_locations_gives_a_right_half_and_the_next_left_half(stay):
    components = GAME.components(None, "")
    for left, right in permutations(CARDS, 2):
        for winter in ((), (left,), (right,), (left, right)):
            halves = [
                components.half(card, half, winter=card in winter)
                for card, half in ((left, Half.RIGHT), (right, Half.LEFT))
            ]
            state = stay(left, right, winter=winter, good="net bow spear axe", damaged="coat")
            shown = Counter(kind for half in halves for kind, _ in half.resources)
            assert events(state, Arrival)[0].gathered == pool_of(shown)
            assert night(state).demand == sum(half.snow - half.coat for half in halves)


def test_a_damaged_tool_opens_as_much_as_a_good_one(stay):
    assert gathered(stay(1, 5, damaged="spear")) == gathered(stay(1, 5, good="spear"))


def test_a_spear_made_at_the_day_camp_opens_nothing_there_but_opens_the_night_camp(stay, do, carried):
    """Rulebook example: the spear crafted by day hunts no caribou there, but does so from the night camp on."""
    state = stay(1, 5, night=False, then=(1, 5), carries="1 stone")
    do(state, "craft spear")
    assert carried(state) == ("2 berry, 3 caribou, 1 wood, 2 grass", "spear", "")
    assert [", ".join(pieces(arrival.gathered)) for arrival in events(state, Arrival)] == [
        "1 berry, 1 wood, 1 grass",
        "1 berry, 3 caribou, 1 wood, 1 grass",
    ]


def test_what_the_location_offers_and_what_is_carried_form_one_pool(stay, carried):
    state = stay(2, 3, night=False, winter=(3,), carries="2 grass")
    assert carried(state)[0] == "1 wood, 2 grass"


def test_a_day_camp_takes_without_scoring_burning_or_wearing(stay, carried):
    state = stay(2, 3, night=False, winter=(3,), carries="1 fish", good="net")
    assert state.scores == (10, 10)
    assert carried(state) == ("2 fish, 1 wood", "net", "")


# Food


@pytest.mark.parametrize(
    ("pool", "diet", "eaten", "points"),
    [
        ("", "balanced", "", 0),
        ("1 berry", "balanced", "1 berry", 1),
        ("3 berry, 2 fish", "balanced", "1 berry, 1 fish", 2),
        ("3 berry, 2 fish, 1 bird", "balanced", "1 berry, 1 fish, 1 bird", 4),
        ("1 berry, 1 fish, 1 bird, 1 caribou", "balanced", "1 berry, 1 fish, 1 bird, 1 caribou", 5),
        ("3 fish, 1 berry", "fish", "3 fish", 3),
        ("4 fish, 1 berry", "fish", "4 fish", 5),
        ("6 caribou", "caribou", "6 caribou", 7),
        ("2 bird", "berry", "", 0),
    ],
)
def test_a_diet_eats_everything_it_names_and_scores_it(pool_of_text, pool, diet, eaten, points):
    assert meal(pool_of_text(pool), Diet(diet)) == (pool_of_text(eaten), points)


@pytest.mark.parametrize("food", ["berry", "fish", "bird", "caribou"])
def test_all_five_diets_can_be_named_while_there_is_any_food(stay, legal_texts, food):
    state = stay(2, 3, winter=(3,), carries=f"1 {food}")
    assert legal_texts(state) == ["eat balanced", "eat berry", "eat fish", "eat bird", "eat caribou"]


def test_a_diet_of_nothing_keeps_a_caribou_for_the_coat(stay, do, legal_texts, carried):
    state = stay(2, 3, winter=(3,), carries="1 caribou, 1 grass")
    do(state, "eat berry")
    assert "craft coat" in legal_texts(state)


def test_without_any_food_the_meal_is_skipped(stay):
    state = stay(2, 3, winter=(3,), carries="2 grass")
    assert state.phase is Phase.CRAFT
    assert events(state, Meal) == []


def test_the_meal_takes_from_the_location_and_the_inventory_alike(stay, do, carried):
    state = stay(1, 4, winter=(6,), carries="1 bird")
    do(state, "eat balanced")
    assert state.scores[0] == 10 + 4 + 1


# Warmth


@pytest.mark.parametrize(("good", "damaged", "demand"), [("", "", 3), ("coat", "", 2), ("", "coat", 2)])
def test_a_location_with_three_snowflakes_asks_for_three_wood_or_two_with_a_coat(stay, good, damaged, demand):
    """Rulebook example: three snowflakes, one of them with the coat mark; a damaged coat is still a coat."""
    assert night(stay(3, 4, winter=(4,), good=good, damaged=damaged)).demand == demand


def test_one_wood_is_burned_for_each_snowflake(stay, carried):
    state = stay(**BARREN, carries="3 wood")
    assert (night(state).demand, night(state).burned) == (2, 2)
    assert carried(state)[0] == "1 wood, 1 stone"


def test_wood_of_the_location_burns_as_well(stay):
    state = stay(4, 1, winter=(1, 4))
    assert (night(state).demand, night(state).burned, night(state).points) == (2, 2, 2)


@pytest.mark.parametrize("winter", [(6,), (5, 6), (4, 5, 6), (3, 4, 5, 6), (2, 3, 4, 5, 6), (1, 2, 3, 4, 5, 6)])
def test_a_warm_night_scores_one_point_for_each_winter_card(stay, winter):
    state = stay(6, 4, winter=winter, carries="3 wood")
    assert night(state).points == len(winter)


def test_a_night_without_snow_is_warm_without_wood(stay):
    assert night(stay(1, 2, winter=(3,)))[1:] == (0, 0, 1)


def test_too_little_wood_is_burned_all_the_same_and_scores_nothing(stay, carried):
    state = stay(5, 4, winter=(4, 5), carries="3 wood")
    assert night(state)[1:] == (4, 3, 0)
    assert "wood" not in carried(state)[0]


# Order of the night


def test_the_night_goes_food_warmth_damage_repair_craft_take(stay, do):
    state = stay(2, 3, winter=(3,), carries="1 fish, 2 wood, 2 grass", good="bow")
    do(state, "eat fish", "repair bow with wood", "craft net")
    kinds = events(state, Ply | Meal | Warmth | Wear)
    told = [GAME.actions.text_of(e.action) if isinstance(e, Ply) else type(e).__name__ for e in kinds]
    assert told == ["eat fish", "Meal", "Warmth", "Wear", "repair bow with wood", "craft net"]


# Wear and repair


def test_a_night_damages_good_tools_and_discards_damaged_ones(stay, carried):
    state = stay(**BARREN, good="net coat", damaged="bow spear")
    assert carried(state)[1:] == ("", "net coat")


def test_a_tool_lasts_two_nights(stay, carried):
    state = stay(**BARREN, good="net", then=(6, 4))
    assert events(state, Wear) == [Wear(0, 1 << Tool.NET, 0), Wear(0, 0, 1 << Tool.NET)]
    assert carried(state)[1:] == ("", "")


def test_a_tool_repaired_every_night_lasts_longer(stay, do, carried):
    state = stay(**BARREN, good="net", then=(6, 4), carries="2 grass")
    do(state, "repair net with grass", "repair net with grass")
    assert carried(state)[1] == "net"


def test_what_broke_tonight_cannot_be_repaired(stay, legal_texts):
    state = stay(**BARREN, good="coat", damaged="bow", carries="1 grass")
    assert legal_texts(state) == ["repair coat with grass", "done"]


def test_a_damaged_tool_is_repaired_with_either_of_its_two_resources(stay, do, legal_texts, carried):
    state = stay(6, 1, winter=(1, 6), carries="3 wood, 1 grass", good="bow")
    assert legal_texts(state) == ["repair bow with wood", "repair bow with grass", "done"]
    assert carried(do(state.copy(), "repair bow with grass")) == ("3 wood, 1 stone", "bow", "")
    assert carried(do(state.copy(), "repair bow with wood")) == ("2 wood, 1 grass, 1 stone", "bow", "")


def test_a_net_is_repaired_with_one_grass(stay, legal_texts):
    assert legal_texts(stay(**BARREN, carries="1 grass", good="net")) == ["repair net with grass", "done"]


def test_each_damaged_tool_may_be_repaired_once(stay, do, legal_texts):
    state = stay(**BARREN, carries="3 grass", good="net bow")
    do(state, "repair net with grass")
    assert legal_texts(state) == ["repair bow with grass", "done"]


def test_repairs_can_be_left_undone(stay, do, carried):
    state = do(stay(**BARREN, carries="1 grass", good="net"), "done")
    assert carried(state) == ("1 grass, 1 stone", "", "net")


def test_a_repair_step_with_nothing_to_repair_or_to_pay_with_is_skipped(stay):
    assert stay(**BARREN, good="net").phase is Phase.COOL
    assert stay(**BARREN, carries="2 grass").phase is Phase.CRAFT


# Crafts


def test_a_tool_costs_both_its_resources_and_starts_in_good_condition(stay, do, carried):
    state = stay(2, 3, night=False, winter=(3,), carries="1 stone, 1 grass")
    do(state, "craft axe")
    assert carried(state) == ("1 grass", "axe", "")


def test_any_number_of_tools_can_be_crafted_at_one_camp(stay, do, legal_texts, carried):
    state = stay(1, 3, night=False, winter=(6,), carries="1 stone, 3 grass")
    assert legal_texts(state) == ["craft net", "craft bow", "craft spear", "craft axe", "done"]
    do(state, "craft net", "craft bow", "craft spear")
    assert carried(state)[1] == "net bow spear"


def test_a_craft_step_ends_by_itself_when_nothing_more_is_possible(stay, do):
    state = stay(2, 3, night=False, winter=(3,), carries="1 grass")
    do(state, "craft bow")
    assert state.phase is Phase.COOL


def test_no_second_copy_is_made_while_a_good_one_is_carried(stay, legal_texts):
    state = stay(2, 3, night=False, winter=(3,), carries="2 grass", good="net")
    assert "craft net" not in legal_texts(state)


def test_a_good_copy_is_made_beside_a_damaged_one_and_each_takes_a_place(stay, do, carried):
    state = stay(2, 3, night=False, winter=(3,), carries="2 grass", damaged="net")
    do(state, "craft net")
    assert carried(state) == ("1 fish, 1 wood", "net", "net")
    assert items(state.pools[0], state.good[0], state.damaged[0]) == 4


def test_used_resources_cannot_be_taken_along(stay, do, carried):
    state = stay(2, 3, night=False, winter=(3,), carries="1 stone")
    do(state, "craft spear")
    assert carried(state)[0] == ""


# Carrying


def test_two_fish_and_a_spear_leave_one_place_free(pool_of_text):
    """Rulebook example: three cubes of four are in use."""
    assert items(pool_of_text("2 fish"), 1 << Tool.SPEAR, 0) == 3


def test_everything_is_kept_without_asking_while_it_fits(stay, carried):
    state = stay(2, 3, night=False, winter=(3,), carries="3 fish")
    assert state.phase is Phase.COOL
    assert carried(state)[0] == "3 fish, 1 wood"


def test_more_than_four_items_are_left_behind_one_by_one(stay, do, legal_texts):
    state = stay(1, 3, night=False, winter=(3,), carries="4 fish")
    assert legal_texts(state) == ["leave berry", "leave fish", "leave wood"]
    do(state, "leave fish")
    assert state.phase is Phase.LEAVE
    do(state, "leave fish")
    assert state.phase is Phase.COOL


def test_tools_can_be_left_behind_and_the_two_copies_are_different_items(stay, do, legal_texts, carried):
    state = stay(2, 3, night=False, winter=(3,), carries="2 stone", good="net", damaged="net")
    assert legal_texts(state)[-1] == "done"
    do(state, "done")
    assert legal_texts(state)[-2:] == ["leave good net", "leave damaged net"]
    do(state, "leave damaged net")
    assert carried(state)[1:] == ("net", "")
    assert state.phase is Phase.LEAVE


def test_a_tool_can_be_used_at_a_camp_and_left_there(stay, do, carried):
    state = stay(1, 5, night=False, winter=(3,), good="spear", carries="1 bird")
    do(state, "done", "leave good spear")
    assert carried(state) == ("2 berry, 1 bird, 3 caribou, 1 wood, 1 grass", "", "")


def test_the_limit_counts_when_the_camp_ends_and_not_before(stay, do, carried):
    state = stay(1, 3, night=False, winter=(6,), carries="1 stone, 2 grass, 1 fish")
    do(state, "craft net", "craft spear")
    assert carried(state) == ("1 berry, 2 fish, 2 wood", "net spear", "")
    assert state.phase is Phase.LEAVE
