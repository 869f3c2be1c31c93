"""Turns, the weather, the end of a round, finished expeditions and the end of the game."""

from fractions import Fraction

import pytest

from arena.core import CHANCE
from arena.games.snowblind import GAME
from arena.games.snowblind.actions import ACTIONS
from arena.games.snowblind.components import Die
from arena.games.snowblind.exposure import roll_label
from arena.games.snowblind.state import FLAG, STANDING, Phase, Standing

HOME = {"flag": 6, "z2": "C YY BBB 5 crate"}


def test_one_action_each_clockwise_from_the_compass(table):
    at = table("quick", 3)
    order = []
    for _ in range(4):
        order.append(at.state.to_act)
        at.play("take grey-d8 camp" if len(order) < 4 else "pass", *(["camp 2"] if len(order) < 4 else []))
        if len(order) < 4:
            at.roll(*[1] * len(at.state.pending))
    assert order == [0, 1, 2, 0]


def test_the_round_ends_when_everybody_has_passed(table):
    at = table("quick", 3).play("pass", "pass")
    assert at.state.phase is Phase.TURN
    at.play("pass")
    assert at.state.to_act is CHANCE
    assert at.state.phase is Phase.WEATHER


@pytest.mark.parametrize(("seats", "holders"), [(2, [0, 1, 0]), (3, [0, 1, 2, 0])])
def test_the_compass_passes_to_the_left_each_round(table, seats, holders):
    at = table("quick", seats)
    seen = []
    for _ in holders:
        seen.append(at.state.compass)
        assert at.state.to_act == at.state.compass
        at.pass_all().play("weather 1" if len(seen) < 3 else "weather 2")
    assert seen == holders


def weather(table, zone, number, **zones):
    at = table().lay(0, **{f"z{zone}": zones.pop("text")}, **zones).lay(1, z2="C YY 9 crate 1 camp")
    return at.pass_all().play(f"weather {number}")


@pytest.mark.parametrize(
    ("text", "hit_from"), [("C 2 crate", 4), ("C B 2 crate", 5), ("C 2 crate 1 camp", 6), ("C B 2 crate 1 camp", 6)]
)
def test_weather_strikes_with_the_usual_exceptions(table, text, hit_from):
    for number in range(1, 7):
        at = weather(table, 4, number, text=text, z2="B")
        assert (at.state.phase is Phase.LOSS) == (number >= hit_from), number


def test_weather_strikes_the_occupied_zone_nearest_the_pole(table):
    at = weather(table, 4, 4, text="B 1 crate", z3="C BB 3 crate", z5="y 4 crate")
    at.play("spend crate")
    assert at.shows(4, "B")
    assert at.shows(5, "y 4 crate")


def test_weather_costs_at_most_one_piece_each(table):
    at = weather(table, 4, 6, text="C 5 crate", flag=6).play("spend crate")
    assert at.shows(4, "C 4 crate")
    assert at.legal == ["spend crate"]
    assert at.state.to_act == 1


def test_weather_passes_by_an_expedition_without_active_men(table):
    at = weather(table, 4, 6, text="c b 2 crate")
    assert at.shows(4, "c b 2 crate")
    assert at.state.to_act == 1


def test_weather_goes_seat_by_seat_from_the_compass_on(table):
    at = table("quick", 3)
    at.state.compass = 2
    for seat in range(3):
        at.lay(seat, flag=6, z4="C 3 crate")
    at.turn(2).pass_all().play("weather 6")
    order = []
    while at.state.phase is Phase.LOSS:
        order.append(at.state.to_act)
        at.play("spend crate")
    assert order == [2, 0, 1]
    assert at.state.compass == 0


def test_pack_ice_hits_nobody_and_one_more_round_is_played(table):
    at = table().lay(0, z5="C")
    at.state.drawn = (1, 2, 3)
    at.pass_all().play("pack ice")
    assert at.shows(5, "C")
    assert at.state.round == 2
    at.pass_all()
    assert at.state.phase is Phase.OVER
    assert at.state.drawn == (1, 2, 3, 0)


def odds_of_ice(table, variant, drawn):
    at = table(variant)
    at.state.drawn = drawn
    at.pass_all()
    weights = dict(zip(at.legal, GAME.weights(at.state), strict=True))
    return Fraction(weights.get("pack ice", 0), sum(weights.values()))


@pytest.mark.parametrize(("variant", "above"), [("quick", 3), ("epic", 5)])
def test_pack_ice_is_among_the_last_three_cards(table, variant, above):
    cards = (1, 1, 2, 2, 3, 3, 4, 4)
    assert [odds_of_ice(table, variant, cards[:n]) for n in range(above)] == [0] * above
    last = [odds_of_ice(table, variant, cards[: above + n]) for n in range(3)]
    assert last == [Fraction(1, 3), Fraction(1, 2), 1]


@pytest.mark.parametrize(("variant", "rounds"), [("quick", {5, 6, 7}), ("epic", {7, 8, 9})])
def test_a_game_has_5_to_7_rounds_or_7_to_9_in_the_epic_one(table, variant, rounds):
    seen = set()
    for early in range(3):
        at = table(variant)
        cards = iter((1, 1, 2, 2, 3, 3, 4, 4))
        at.lay(0, z2="C B 9 crate 1 camp").lay(1, z2="C B 9 crate 1 camp")
        while at.pass_all().state.phase is not Phase.OVER:
            ice = "pack ice" in at.legal and len(at.state.drawn) - min(rounds) + 2 == early
            at.play(
                "pack ice"
                if ice or len(at.legal) == 1
                else next(f"weather {n}" for n in cards if f"weather {n}" in at.legal)
            )
        seen.add(at.state.round)
    assert seen == rounds


def test_a_number_card_comes_as_often_as_it_is_among_the_cards_not_yet_seen(table):
    at = table()
    at.state.drawn = (1, 1, 2)
    at.pass_all()
    weights = dict(zip(at.legal, GAME.weights(at.state), strict=True))
    assert "weather 1" not in weights
    assert weights["weather 2"] * 2 == weights["weather 3"] == weights["weather 6"]


def test_dice_return_at_the_end_of_the_round(table):
    at = table().play("take red-d6", "move captain 3 to 4", "load 0").roll(1).pass_all()
    at.play("weather 1", "leave flag")
    assert sum(at.state.dice[:9]) == 14


# Finished expeditions


def finished(table, seats=3, others=1):
    at = table("quick", seats).lay(0, **HOME)
    at.pass_all().play("weather 1")
    return at


def test_an_expedition_home_with_its_flag_at_the_pole_is_finished_at_the_end_of_the_round(table):
    at = table("quick", 3).lay(0, **HOME)
    assert at.get(STANDING) == Standing.PLAYING
    at.pass_all().play("weather 1")
    assert at.get(STANDING) == Standing.FINISHED


def test_exhausted_men_at_base_are_home_too(table):
    at = table("quick", 3).lay(0, flag=6, z2="c y b 1 camp").pass_all().play("weather 1")
    assert at.get(STANDING) == Standing.FINISHED


@pytest.mark.parametrize(
    ("flag", "zones"), [(5, {"z2": "C B"}), (6, {"z2": "C B", "z3": "Y"}), (6, {"z2": "C B", "z4": "y"})]
)
def test_a_flag_elsewhere_or_a_man_outside_keeps_it_going(table, flag, zones):
    at = table("quick", 3).lay(0, flag=flag, **zones).pass_all().play("weather 1")
    assert at.get(STANDING) == Standing.PLAYING


def test_the_finished_take_no_part_and_the_others_start_with_a_grey_die(table):
    at = finished(table)
    assert at.state.compass == 1
    assert at.pool_of(0) == {}
    assert at.pool_of(1) == at.pool_of(2) == {"grey_d8": 1}
    assert at.state.dice[Die.GREY_D8] == 1
    order = [at.state.to_act]
    at.play("pass")
    order.append(at.state.to_act)
    at.play("pass")
    assert order == [1, 2]
    assert at.state.phase is Phase.WEATHER


def test_the_grey_dice_go_out_in_compass_order_while_they_last(table):
    numbers = GAME.components(None, "")
    assert numbers.dice[Die.GREY_D8] == 3
    at = table("quick", 4).lay(0, **HOME)
    at.pass_all().play("weather 1")
    assert [bool(at.pool_of(seat)) for seat in range(4)] == [False, True, True, True]
    few = GAME.components(own_text().replace("grey_d8 = 3", "grey_d8 = 2"), "few")
    at = table("quick", 4, few).lay(0, **HOME)
    at.pass_all().play("weather 1")
    assert at.state.compass == 1
    assert [bool(at.pool_of(seat)) for seat in range(4)] == [False, True, True, False]


def own_text():
    from importlib.resources import files

    return files("arena.games.snowblind").joinpath("components.toml").read_text(encoding="utf-8")


def test_the_grey_die_costs_no_action_and_no_roll_but_is_rolled_with_the_pool(table):
    at = finished(table)
    assert at.state.phase is Phase.TURN
    at.play("take blue-d6", "move sailor 2 to 3", "load 0")
    assert len(at.state.pending) == 2


def test_the_weather_spares_the_finished(table):
    at = finished(table).lay(0, **(HOME | {"z2": "C 5 crate"})).lay(1, z4="B 1 crate").lay(2, z4="B 1 crate")
    at.pass_all().play("weather 6", "spend crate", "spend crate")
    assert at.zone(2)[6] == 5


def test_a_finished_holder_of_the_compass_leaves_the_start_to_the_next(table):
    at = table("quick", 3).lay(1, **HOME)
    at.pass_all().play("weather 1")
    assert at.state.compass == 1
    assert at.state.to_act == 2


def test_the_game_ends_when_all_are_finished(table):
    at = table("quick", 2).lay(0, **HOME).lay(1, **HOME).pass_all().play("weather 1")
    assert at.state.phase is Phase.OVER
    assert at.state.outcome.ranks == (1, 1)


def test_nobody_is_finished_in_a_solo_game(table):
    at = table("solo", 1).lay(flag=6, z1="C Y BB 9 crate").play("pass", "weather 2")
    assert at.get(STANDING) == Standing.PLAYING
    assert at.get(FLAG) == 6
    assert at.pool_of() == {}


def test_every_ply_has_a_notation(table):
    assert all(ACTIONS.parse(text) for text in table().legal)


def test_what_the_pool_showed_last_is_forgotten_at_the_end_of_the_round(table):
    at = table("solo", 1).play("take yellow-d6", "move scientist 1 to 2", "load 0").roll(1)
    assert at.state.faces == [(1,)]
    at.play("pass", "weather 2")
    assert at.state.round == 2
    assert at.state.faces == [()]


def test_rolls_are_counted_anew_in_each_round(table):
    at = table("solo", 1).play("take yellow-d6", "move scientist 1 to 2", "load 0").roll(1).play("pass", "weather 2")
    at.play("take yellow-d6", "move scientist 2 to 1", "load 0")
    assert roll_label(at.state) == "seat 0/round 2/roll 1/die yellow-d6"
