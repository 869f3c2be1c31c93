"""Exposure: exact odds for each die and cover, the order of losses, barrels and revival."""

from fractions import Fraction

import pytest

from arena.core.errors import IllegalAction
from arena.games.snowblind.components import Die
from arena.games.snowblind.exposure import SIDES, threshold
from arena.games.snowblind.state import Phase

ALONE, COMPANY, CAMP = "B", "BB", "B 1 camp"
D6 = [Die.RED_D6, Die.YELLOW_D6, Die.BLUE_D6]
D8 = [Die.RED_D8, Die.YELLOW_D8, Die.BLUE_D8, Die.PURPLE_D8, Die.GREY_D8]


def odds(table, die, zone):
    at = table().lay(z4=zone)
    lowest = threshold(at.state, 0, 4)
    return Fraction(sum(face >= lowest for face in range(1, SIDES[die] + 1)), SIDES[die])


@pytest.mark.parametrize("die", D6)
def test_a_d6_is_an_exposure_3_2_or_1_times_in_6(table, die):
    assert odds(table, die, ALONE) == Fraction(3, 6)
    assert odds(table, die, COMPANY) == Fraction(2, 6)
    assert odds(table, die, CAMP) == Fraction(1, 6)


@pytest.mark.parametrize("die", D8)
def test_a_d8_is_an_exposure_5_4_or_3_times_in_8(table, die):
    assert odds(table, die, ALONE) == Fraction(5, 8)
    assert odds(table, die, COMPANY) == Fraction(4, 8)
    assert odds(table, die, CAMP) == Fraction(3, 8)


@pytest.mark.parametrize(("faces", "lost"), [((1, 2), 0), ((3, 3), 0), ((4, 3), 1), ((5, 6), 2), ((1, 8), 1)])
def test_each_die_of_4_or_more_is_one_loss(table, faces, lost):
    at = (
        table().lay(z3="B 3 crate", z4="5 crate").pool("purple-d8").play("take blue-d6", "move sailor 3 to 4", "load 0")
    )
    at.roll(*faces)
    for _ in range(lost):
        at.play("spend crate")
    assert at.zone(4)[6] == 5 - lost
    assert at.state.to_act == 1


def spent(table, zone, face, *, die="blue-d8"):
    """Return whether one face costs a crate when a sailor arrives in a zone."""
    at = table().lay(z3="B", z4=f"{zone} 2 crate").play(f"take {die}", "move sailor 3 to 4", "keep crate")
    if "go on" in at.legal:
        at.play("go on")
    at.roll(face)
    return at.state.phase is Phase.LOSS


def test_company_ignores_fours_and_a_camp_fours_and_fives(table):
    assert [face for face in range(1, 9) if spent(table, "", face)] == [4, 5, 6, 7, 8]
    assert [face for face in range(1, 9) if spent(table, "Y", face)] == [5, 6, 7, 8]
    assert [face for face in range(1, 9) if spent(table, "1 camp", face)] == [6, 7, 8]


def test_camp_and_company_do_not_add(table):
    assert [face for face in range(1, 9) if spent(table, "Y 1 camp", face)] == [6, 7, 8]


def test_an_exhausted_explorer_is_no_company(table):
    assert spent(table, "y", 4)


def test_an_explorer_brought_along_is_company(table):
    at = table().lay(flag=6, z3="C B 3 crate").play("take red-d8", "move captain 3 to 4", "bring sailor", "load 3")
    at.roll(4)
    assert at.zone(4)[6] == 3
    assert at.state.to_act == 1


def test_a_camp_just_placed_covers_its_own_roll(table):
    at = table().lay(flag=6, z4="C 2 crate").play("take grey-d8 camp", "camp 4").roll(5)
    assert at.zone(4)[6] == 2
    assert at.state.to_act == 1


def test_the_whole_pool_is_rolled(table):
    at = table().lay(z3="B 9 crate").pool("red-d6", "purple-d8").play("take blue-d6", "move sailor 3 to 4", "load 3")
    assert len(at.state.pending) == 3
    at.roll(6, 6, 8)
    assert at.state.hits == 3


def test_the_green_die_never_shows_an_exposure_but_the_rest_of_the_pool_is_rolled(table):
    at = table().lay(z3="B 3 crate").pool("red-d6").play("take green", "move sailor 3 to 4", "load 1")
    assert at.state.pending == (Die.RED_D6,)
    assert at.roll(6).state.hits == 1


def test_the_green_die_alone_is_no_roll_at_all(table):
    at = table().lay(z3="B 3 crate").play("take green", "move sailor 3 to 4", "load 1")
    assert at.state.to_act == 1


def test_the_zone_where_the_action_ended_is_exposed(table):
    at = table().lay(z2="5 crate", z3="B 5 crate").play("take blue-d6", "move sailor 3 to 4", "load 0").roll(6)
    assert at.legal == ["exhaust sailor"]


def test_a_hunt_exposes_the_zone_that_is_fed(table):
    at = table().lay(z2="B 5 crate", z4="C").play("take purple-d8", "hunt 4").roll(8)
    assert at.legal == ["spend food"]


def test_company_is_judged_once_at_the_roll(table):
    at = (
        table().lay(z3="B", z4="B").pool("red-d8", "purple-d8").play("take blue-d6", "move sailor 3 to 4").roll(5, 5, 4)
    )
    # Two fives count in company; the four does not, though the first loss ends the company.
    at.play("exhaust sailor", "exhaust sailor")
    assert at.shows(4, "bb")
    assert at.state.to_act == 1


def test_supplies_go_first_then_active_men_then_exhausted_men(table):
    at = table().lay(z3="B", z4="Y 1 crate c").pool("red-d8", "yellow-d8", "purple-d8").play("take blue-d6")
    at.play("move sailor 3 to 4", "go on").roll(8, 8, 6, 8)
    assert at.state.hits == 4
    assert at.legal == ["spend crate"]
    assert at.play("spend crate").legal == ["exhaust scientist", "exhaust sailor"]
    assert at.play("exhaust sailor").legal == ["exhaust scientist"]
    assert at.play("exhaust scientist").legal == ["perish captain", "perish scientist", "perish sailor"]


def test_crate_or_food_is_the_owner_s_choice(table):
    at = table().lay(z3="B", z4="2 crate 1 food").play("take blue-d6", "move sailor 3 to 4").roll(6)
    assert at.legal == ["spend crate", "spend food"]
    at.play("spend food")
    assert at.shows(4, "B 2 crate")


def test_spent_food_goes_back_to_the_supply(table):
    at = table().lay(z3="B", z4="2 food").play("take blue-d6", "move sailor 3 to 4").roll(6)
    before = at.state.food
    assert at.play("spend food").state.food == before + 1


def test_a_man_exhausted_by_a_roll_can_perish_by_it(table):
    at = table().lay(z3="B", z2="C").pool("purple-d8").play("take blue-d6", "move sailor 3 to 4").roll(6, 8)
    at.play("exhaust sailor", "perish sailor")
    assert at.shows(4, "")


def test_further_losses_in_an_empty_zone_are_lost(table):
    at = table().lay(z3="B", z2="C").pool("red-d8", "grey-d8", "purple-d8").play("take blue-d6", "move sailor 3 to 4")
    at.roll(8, 6, 8, 8).play("exhaust sailor", "perish sailor")
    assert at.state.to_act == 1
    assert at.state.hits == 0


def test_camps_are_never_lost(table):
    at = table().lay(z3="B", z4="1 camp", z2="C").pool("red-d8", "grey-d8").play("take blue-d6", "move sailor 3 to 4")
    at.roll(8, 6, 8).play("exhaust sailor", "perish sailor")
    assert at.shows(4, "1 camp")


def test_a_barrel_is_opened_by_itself_when_a_loss_finds_nothing_else(table):
    at = table().lay(z2="B", z3="1 barrel").play("take blue-d6", "move sailor 2 to 3").roll(6)
    assert at.legal == ["spend crate"]
    assert at.play("spend crate").shows(3, "B 2 crate")


def test_a_barrel_stays_shut_while_there_is_food(table):
    at = table().lay(z2="B", z3="1 barrel 1 food").play("take blue-d6", "move sailor 2 to 3").roll(6)
    assert at.legal == ["spend food"]
    assert at.play("spend food").shows(3, "B 1 barrel")


def test_a_barrel_is_three_crates_when_its_owner_opens_it(table):
    at = table()
    assert "open barrel 2" in at.legal
    at.play("open barrel 2")
    assert at.shows(2, "YY BBB 14 crate 2 barrel 1 camp")
    assert at.state.to_act == 0


def test_a_barrel_is_opened_only_before_a_die_is_taken(table):
    at = table().play("take blue-d6")
    with pytest.raises(IllegalAction):
        at.play("open barrel 2")


# Revival


def test_a_revival_costs_one_supply_of_the_zone(table):
    at = table().lay(z3="C", z4="y 1 crate 1 food")
    assert {"revive scientist 4 with crate", "revive scientist 4 with food"} <= set(at.legal)
    at.play("revive scientist 4 with food")
    assert at.shows(4, "Y 1 crate")
    assert at.state.to_act == 0


def test_nobody_is_revived_with_supplies_of_another_zone(table):
    at = table().lay(z3="C 5 crate", z4="y")
    assert not [text for text in at.legal if text.startswith("revive")]


def test_a_revival_opens_a_barrel_where_nothing_else_is(table):
    at = table().lay(z3="C", z4="y 1 barrel")
    assert [text for text in at.legal if text.startswith("revive")] == ["revive scientist 4 with crate"]
    assert at.play("revive scientist 4 with crate").shows(4, "Y 2 crate")


def test_revival_is_offered_after_the_action_and_before_the_roll(table):
    at = table().lay(z3="B 2 crate", z4="c").play("take blue-d6", "move sailor 3 to 4", "load 2")
    assert at.legal == ["revive captain 4 with crate", "go on"]
    at.play("revive captain 4 with crate")
    assert at.state.phase is Phase.ROLL
    # The man revived is company: a four does not count.
    at.roll(4)
    assert at.shows(4, "C B 1 crate")


def test_a_revival_may_be_left(table):
    at = table().lay(z3="B 2 crate", z4="c").play("take blue-d6", "move sailor 3 to 4", "load 2", "go on")
    assert at.state.phase is Phase.ROLL


def test_each_man_costs_a_supply_of_his_own(table):
    at = table().lay(z2="C", z4="y b 2 crate").play("revive scientist 4 with crate", "revive sailor 4 with crate")
    assert at.shows(4, "Y B")


def test_a_revival_is_still_offered_when_no_die_can_be_taken(table):
    at = table().lay(z4="c 1 crate")
    assert at.legal == ["revive captain 4 with crate", "pass"]
    at.play("revive captain 4 with crate")
    assert "take red-d6" in at.legal


def test_with_no_die_and_no_revival_the_pass_is_forced(table):
    assert table().lay(z4="c").legal == ["pass"]


def test_several_men_are_revived_before_the_same_roll(table):
    at = table().lay(z2="C", z3="y b 3 crate").play("take red-d6", "move captain 2 to 3")
    at.play("revive scientist 3 with crate", "revive sailor 3 with crate")
    assert at.shows(3, "C Y B 1 crate")
    assert at.state.phase is Phase.ROLL
