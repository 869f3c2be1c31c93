"""How a game begins."""

from dataclasses import replace

import pytest

from arena.core import CHANCE
from arena.games.snowblind import GAME
from arena.games.snowblind.components import Die
from arena.games.snowblind.state import DICE, FLAG, HAND


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_quick_game_starts_at_zone_2_with_the_captain_in_zone_3(table, seats):
    start = table("quick", seats)
    for seat in range(seats):
        assert start.shows(2, "YY BBB 11 crate 3 barrel 1 camp", seat)
        assert start.shows(3, "C 4 crate", seat)
        assert start.get(FLAG, seat) == 3
        assert all(start.shows(zone, "", seat) for zone in (1, 4, 5, 6))


def test_an_epic_game_starts_at_zone_1_with_the_captain_in_zone_2(table):
    start = table("epic", 3)
    for seat in range(3):
        assert start.shows(1, "YY BBB 11 crate 3 barrel 1 camp", seat)
        assert start.shows(2, "C 4 crate", seat)
        assert start.get(FLAG, seat) == 2


@pytest.mark.parametrize("variant", ["solo", "solo-hard", "solo-blizzard", "solo-whiteout"])
def test_a_solo_game_has_one_scientist_two_sailors_and_no_barrel(table, variant):
    start = table(variant, 1)
    assert start.shows(1, "Y BB 20 crate")
    assert start.shows(2, "C 4 crate")


@pytest.mark.parametrize(("variant", "seats", "hand"), [("quick", 2, 3), ("epic", 2, 3), ("solo", 1, 1)])
def test_camps_in_hand(table, variant, seats, hand):
    assert table(variant, seats).get(HAND) == hand


def test_the_board_has_fourteen_dice(table):
    dice = dict(zip(Die, table("quick").state.dice[:DICE], strict=True))
    assert sum(dice.values()) == 14
    assert dice[Die.RED_D8] == dice[Die.YELLOW_D8] == dice[Die.BLUE_D8] == dice[Die.GREEN] == dice[Die.PURPLE_D8] == 1
    assert dice[Die.RED_D6] == dice[Die.YELLOW_D6] == dice[Die.BLUE_D6] == 2
    assert dice[Die.GREY_D8] == 3


def test_a_solo_game_is_played_without_the_purple_and_the_green_die(table):
    dice = table("solo", 1).state.dice
    assert not dice[Die.GREEN]
    assert not dice[Die.PURPLE_D8]
    assert sum(dice[:DICE]) == 12


def test_twelve_food_and_twelve_research_tokens_are_in_the_supply(table):
    state = table("quick").state
    assert (state.food, state.research) == (12, 12)


def test_chance_gives_the_compass_and_its_holder_begins(table):
    for seat in range(4):
        other = table("quick", 4)
        other.state = type(other.state)(other.state.rules, other.state.mode, 4, other.state.components)
        assert other.state.to_act is CHANCE
        assert other.legal == [f"compass {number}" for number in range(4)]
        other.play(f"compass {seat}")
        assert other.state.to_act == other.state.compass == seat


def test_alone_nobody_draws_for_the_compass(table):
    assert table("solo", 1).state.to_act == 0


def test_a_captain_who_starts_at_the_ship_adds_his_crates_to_those_there(table):
    own = GAME.components(None, "")
    solo = replace(own.setups["solo"], captain=1)
    start = table("solo", 1, replace(own, setups={**own.setups, "solo": solo}))
    assert start.shows(1, "C Y BB 24 crate")
