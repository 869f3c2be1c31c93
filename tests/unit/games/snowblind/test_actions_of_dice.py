"""What each die lets its taker do, and what may be taken."""

import pytest

from arena.core.errors import IllegalAction
from arena.games.snowblind.components import Die
from arena.games.snowblind.state import HAND, RESEARCH, Phase

SIX_SIDED = [("red-d6", "captain"), ("yellow-d6", "scientist"), ("blue-d6", "sailor")]
EIGHT_SIDED = [("red-d8", "captain"), ("yellow-d8", "scientist"), ("blue-d8", "sailor")]


@pytest.mark.parametrize(("die", "man"), SIX_SIDED + EIGHT_SIDED)
def test_a_coloured_die_moves_its_explorer_one_zone_either_way(table, die, man):
    at = table().lay(z3="C Y B").play(f"take {die}")
    assert at.legal == [f"move {man} 3 to 4", f"move {man} 3 to 2"]


@pytest.mark.parametrize(("die", "man"), SIX_SIDED)
def test_up_to_three_crates_come_along(table, die, man):
    at = table().lay(z3="C Y B 5 crate").play(f"take {die}", f"move {man} 3 to 4")
    assert at.legal == ["load 0", "load 1", "load 2", "load 3"]
    at.play("load 2")
    assert at.zone(3)[6] == 3
    assert at.zone(4)[6] == 2


def test_no_more_crates_come_along_than_lie_where_the_explorer_leaves(table):
    at = table().lay(z3="B 1 crate", z4="9 crate").play("take blue-d6", "move sailor 3 to 4")
    assert at.legal == ["load 0", "load 1"]


def test_without_crates_nobody_is_asked_how_many_come_along(table):
    at = table().lay(z3="B", z4="9 crate").play("take blue-d6", "move sailor 3 to 4")
    assert at.state.phase is Phase.ROLL


def test_a_taken_die_is_in_the_pool_until_the_round_ends(table):
    at = table().play("take red-d6", "move captain 3 to 4", "load 0").roll(1).play("leave flag")
    assert at.pool_of(0) == {"red_d6": 1}
    assert at.state.dice[Die.RED_D6] == 1
    at.play("take red-d6", "move captain 3 to 4", "load 0").roll(1).play("leave flag")
    assert "take red-d6" not in at.legal
    at.pass_all().play("weather 1", "leave flag", "leave flag")
    assert at.pool_of(0) == {}
    assert at.state.dice[Die.RED_D6] == 2


def test_a_die_whose_action_is_impossible_cannot_be_taken(table):
    at = table().lay(z3="C", z2="y b")
    assert [text for text in at.legal if "yellow" in text or "blue" in text or "green" in text] == []
    with pytest.raises(IllegalAction):
        at.play("take yellow-d6")


def test_a_die_must_be_used_once_it_is_taken(table):
    at = table().play("take blue-d6")
    assert all(text.startswith("move sailor") for text in at.legal)


def test_exhausted_explorers_cannot_move_hunt_or_place_camps(table):
    at = table().lay(z3="c", z4="y b", z2="B")
    assert "take red-d6" not in at.legal
    assert at.play("take purple-d8").legal == ["hunt 2"]
    other = table().lay(z3="c", z4="y b", z2="B").play("take grey-d8 camp")
    assert other.legal == ["camp 2"]


def test_nobody_goes_south_of_the_ship_or_beyond_the_pole(table):
    assert table().lay(z2="B").play("take blue-d6").legal == ["move sailor 2 to 3"]
    assert table().lay(z6="B").play("take blue-d6").legal == ["move sailor 6 to 5"]
    assert table("epic").lay(z2="B").play("take blue-d6").legal == ["move sailor 2 to 3", "move sailor 2 to 1"]
    assert table("solo", 1).lay(z1="B").play("take blue-d6").legal == ["move sailor 1 to 2"]


def test_the_red_d8_brings_an_explorer_and_a_fourth_crate(table):
    at = table().lay(z3="C Y B 6 crate").play("take red-d8", "move captain 3 to 4")
    assert at.legal == ["bring nobody", "bring scientist", "bring sailor"]
    at.play("bring sailor")
    assert at.legal == ["load 0", "load 1", "load 2", "load 3", "load 4"]
    at.play("load 4")
    assert at.shows(3, "Y 2 crate")
    assert at.shows(4, "C B 4 crate")


def test_the_red_d8_s_bonus_may_be_left(table):
    at = table().lay(z3="C B 6 crate").play("take red-d8", "move captain 3 to 4", "bring nobody", "load 3")
    assert at.shows(4, "C 3 crate")


def test_an_exhausted_explorer_does_not_come_along(table):
    at = table().lay(z3="C b Y").play("take red-d8", "move captain 3 to 4")
    assert at.legal == ["bring nobody", "bring scientist"]


def test_the_yellow_d8_awards_a_research_token(table):
    at = table().play("take yellow-d8", "move scientist 2 to 3", "load 0")
    assert at.get(RESEARCH) == 1
    assert at.state.research == 11


def test_there_is_no_research_token_when_none_is_left(table):
    at = table()
    at.state.research = 0
    at.play("take yellow-d8", "move scientist 2 to 3", "load 0")
    assert at.get(RESEARCH) == 0


def test_the_yellow_d6_awards_nothing(table):
    assert table().play("take yellow-d6", "move scientist 2 to 3", "load 0").get(RESEARCH) == 0


def test_the_blue_d8_trades_a_crate_just_brought_for_two_food(table):
    at = table().lay(z2="B 3 crate").play("take blue-d8", "move sailor 2 to 3", "load 1")
    assert at.legal == ["keep crate", "trade crate"]
    at.play("trade crate")
    assert at.shows(3, "B 2 food")
    assert at.state.food == 10


def test_the_blue_d8_trades_a_crate_that_lay_there_before(table):
    at = table().lay(z2="B", z3="2 crate").play("take blue-d8", "move sailor 2 to 3", "trade crate")
    assert at.shows(3, "B 1 crate 2 food")


def test_the_trade_may_be_left(table):
    at = table().lay(z2="B", z3="2 crate").play("take blue-d8", "move sailor 2 to 3", "keep crate")
    assert at.shows(3, "B 2 crate")


def test_no_trade_without_a_crate_in_the_zone_reached(table):
    at = table().lay(z2="B 3 crate").play("take blue-d8", "move sailor 2 to 3", "load 0")
    assert at.state.phase is Phase.ROLL


def test_no_trade_when_less_than_two_food_are_left(table):
    at = table().lay(z2="B", z3="2 crate")
    at.state.food = 1
    at.play("take blue-d8", "move sailor 2 to 3")
    assert at.state.phase is Phase.ROLL


def test_the_last_two_food_are_enough_for_a_trade(table):
    at = table().lay(z2="B", z3="2 crate")
    at.state.food = 2
    at.play("take blue-d8", "move sailor 2 to 3", "trade crate")
    assert at.shows(3, "B 1 crate 2 food")
    assert at.state.food == 0


def test_a_barrel_is_no_crate_to_trade_or_to_carry(table):
    at = table().lay(z2="B 2 barrel", z3="1 barrel").play("take blue-d8", "move sailor 2 to 3")
    assert at.state.phase is Phase.ROLL
    assert at.shows(2, "2 barrel")


def test_green_moves_a_scientist_or_a_sailor_with_at_most_one_crate(table):
    at = table().lay(z2="C Y B 3 crate").play("take green")
    assert at.legal == ["move scientist 2 to 3", "move sailor 2 to 3"]
    assert at.play("move sailor 2 to 3").legal == ["load 0", "load 1"]


def test_purple_brings_two_food_to_a_zone_with_an_active_explorer(table):
    at = table().lay(z2="B", z4="C", z5="y 2 crate").play("take purple-d8")
    assert at.legal == ["hunt 2", "hunt 4"]
    at.play("hunt 4")
    assert at.shows(4, "C 2 food")
    assert at.state.food == 10


def test_a_hunt_brings_one_when_one_is_left(table):
    at = table()
    at.state.food = 1
    at.play("take purple-d8", "hunt 3")
    assert at.zone(3)[7] == 1
    assert at.state.food == 0


def test_nobody_hunts_when_no_food_is_left(table):
    at = table()
    at.state.food = 0
    at.state.forget_legal_actions()
    assert "take purple-d8" not in at.legal


def test_a_grey_haul_moves_anybody_with_up_to_two_crates(table):
    at = table().lay(z2="C Y B 5 crate").play("take grey-d8 haul")
    assert at.legal == ["move captain 2 to 3", "move scientist 2 to 3", "move sailor 2 to 3"]
    assert at.play("move captain 2 to 3").legal == ["load 0", "load 1", "load 2"]


def test_a_grey_haul_is_one_step_with_one_roll(table):
    at = table().lay(z2="C", z3="9 crate").play("take grey-d8 haul", "move captain 2 to 3").roll(8)
    at.play("spend crate")
    assert at.state.phase is Phase.TURN


def test_a_grey_camp_is_placed_from_the_hand_where_an_active_explorer_is(table):
    at = table().lay(z2="B", z4="C y", z5="b").play("take grey-d8 camp")
    assert at.legal == ["camp 2", "camp 4"]
    at.play("camp 4")
    assert at.zone(4)[9] == 1
    assert at.get(HAND) == 2


def test_several_camps_may_stand_in_one_zone(table):
    at = table().play("take grey-d8 camp", "camp 2")
    assert at.zone(2)[9] == 2


def test_no_camp_is_placed_from_an_empty_hand(table):
    at = table().fact(0, HAND, 0)
    assert "take grey-d8 camp" not in at.legal
    assert "take grey-d8 haul" in at.legal


def test_a_dash_takes_no_crates_and_rolls_after_each_step(table):
    at = table().lay(flag=6, z3="C 4 crate").pool("blue-d6").play("take grey-d8 dash", "move captain 3 to 4")
    assert at.state.phase is Phase.ROLL
    at.roll(1, 1)
    assert at.legal == ["move captain 4 to 5", "move captain 4 to 3"]
    at.play("move captain 4 to 5")
    assert at.state.phase is Phase.ROLL
    at.roll(1, 1)
    assert at.shows(5, "C")
    assert at.shows(3, "4 crate")
    assert at.state.to_act == 1


def test_the_second_step_of_a_dash_may_lead_back(table):
    at = table().lay(flag=6, z3="C").play("take grey-d8 dash", "move captain 3 to 4").roll(1)
    at.play("move captain 4 to 3").roll(1)
    assert at.shows(3, "C")


def test_the_second_step_belongs_to_the_one_who_made_the_first(table):
    at = table().lay(flag=6, z3="B", z4="B C").play("take grey-d8 dash", "move sailor 3 to 4").roll(1)
    assert at.legal == ["move sailor 4 to 5", "move sailor 4 to 3"]


def test_a_dash_ends_when_its_runner_is_exhausted(table):
    at = table().lay(z3="B").play("take grey-d8 dash", "move sailor 3 to 4").roll(8).play("exhaust sailor")
    assert at.state.to_act == 1
    assert at.shows(4, "b")


def test_the_owner_says_whether_the_runner_or_his_like_is_exhausted(table):
    def at():
        return table().lay(flag=6, z3="B", z4="B C").play("take grey-d8 dash", "move sailor 3 to 4").roll(8)

    assert at().legal == ["exhaust captain", "exhaust sailor", "exhaust runner"]
    assert at().play("exhaust sailor").legal == ["move sailor 4 to 5", "move sailor 4 to 3"]
    assert at().play("exhaust runner").state.to_act == 1
    assert at().play("exhaust captain").legal == ["move sailor 4 to 5", "move sailor 4 to 3"]


def test_after_the_runner_the_next_loss_of_his_class_takes_another(table):
    at = table().lay(z3="B", z4="BB").pool("purple-d8").play("take grey-d8 dash", "move sailor 3 to 4").roll(8, 8)
    at.play("exhaust runner")
    assert at.legal == ["exhaust sailor"]
    at.play("exhaust sailor")
    assert at.shows(4, "B bb")
    assert at.state.to_act == 1


def test_without_dice_on_the_board_only_the_pass_is_left(table):
    at = table()
    at.state.dice[: len(Die)] = bytes(len(Die))
    at.state.forget_legal_actions()
    assert at.legal == ["pass"]


def test_whoever_has_passed_is_not_asked_again_in_the_round(table):
    at = table("quick", 3).play("pass", "take blue-d6", "move sailor 2 to 3", "load 0").roll(1)
    at.play("take blue-d6", "move sailor 2 to 3", "load 0").roll(1)
    assert at.state.to_act == 1
