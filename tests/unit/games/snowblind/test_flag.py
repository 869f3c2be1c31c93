"""The captain's flag and the medal."""

import pytest

from arena.games.snowblind.state import FLAG, MEDAL, Phase


def arrive(table, zone, flag=3):
    return (
        table()
        .lay(flag=flag, **{f"z{zone - 1}": "C", f"z{zone}": "9 crate"})
        .play("take red-d6", f"move captain {zone - 1} to {zone}")
    )


@pytest.mark.parametrize("zone", [4, 5, 6])
def test_an_active_captain_may_bring_the_flag_to_his_zone_after_the_roll(table, zone):
    at = arrive(table, zone).roll(1)
    assert at.legal == ["leave flag", "plant flag"]
    assert at.play("plant flag").get(FLAG) == zone


def test_the_flag_may_be_left(table):
    at = arrive(table, 5).roll(1).play("leave flag")
    assert at.get(FLAG) == 3


def test_a_flag_left_behind_is_offered_again_after_the_next_own_roll(table):
    at = arrive(table, 5).roll(1).play("leave flag", "pass")
    assert at.play("take grey-d8 camp", "camp 5").roll(1, 1).legal == ["leave flag", "plant flag"]


def test_the_flag_is_offered_only_where_it_scores_more(table):
    assert arrive(table, 3, flag=2).roll(1).state.to_act == 1
    assert arrive(table, 5, flag=5).roll(1).state.to_act == 1
    assert arrive(table, 5, flag=6).roll(1).state.to_act == 1
    assert arrive(table, 5, flag=4).roll(1).legal == ["leave flag", "plant flag"]


def test_a_captain_exhausted_by_the_roll_moves_no_flag(table):
    at = table().lay(flag=3, z4="C", z2="B").play("take red-d6", "move captain 4 to 5").roll(6).play("exhaust captain")
    assert at.state.to_act == 1
    assert at.get(FLAG) == 3


def test_nobody_but_the_captain_moves_the_flag(table):
    at = table().lay(flag=3, z4="B", z2="C").play("take blue-d6", "move sailor 4 to 5").roll(1)
    assert at.state.to_act == 1
    assert at.get(FLAG) == 3


def test_the_flag_is_offered_after_a_weather_card_with_a_number(table):
    at = arrive(table, 5).roll(1).play("leave flag").pass_all().play("weather 1")
    assert at.state.to_act == 0
    assert at.legal == ["leave flag", "plant flag"]
    assert at.play("plant flag").get(FLAG) == 5


def test_the_flag_is_not_offered_after_pack_ice(table):
    at = arrive(table, 5).roll(1).play("leave flag")
    at.state.drawn = (1, 1, 2)
    at.pass_all().play("pack ice")
    assert at.state.phase is Phase.TURN


def come_home(table, *, flag=6, lying=False):
    at = table().lay(flag=flag, z3="C", z2="" if lying else "5 crate")
    at.play("take red-d6", "move captain 3 to 2")
    return at


def test_the_captain_at_the_ship_with_his_flag_at_the_pole_takes_the_medal(table):
    assert come_home(table).roll(1).get(MEDAL) == 1


def test_an_exhausted_captain_takes_it_too(table):
    assert come_home(table, lying=True).roll(6).play("exhaust captain").get(MEDAL) == 1


def test_a_captain_who_perishes_in_the_roll_takes_nothing(table):
    at = table("quick", 3).lay(flag=6, z3="C").pool("purple-d8").play("take red-d6", "move captain 3 to 2").roll(6, 8)
    at.play("exhaust captain", "perish captain")
    assert at.get(MEDAL) == 0


def test_no_medal_without_the_flag_at_the_pole(table):
    assert come_home(table, flag=5).roll(1).get(MEDAL) == 0


def test_there_is_one_medal_in_all(table):
    at = come_home(table).fact(1, MEDAL, 1).roll(1)
    assert at.get(MEDAL) == 0


def test_the_medal_waits_for_the_roll_of_the_move_home(table):
    at = come_home(table)
    assert at.get(MEDAL) == 0


def test_nobody_but_the_captain_fetches_the_medal(table):
    at = table().lay(flag=6, z3="B", z2="C").play("take blue-d6", "move sailor 3 to 2").roll(1)
    assert at.get(MEDAL) == 0


def test_a_dash_home_takes_the_medal_at_its_first_step(table):
    at = table().lay(flag=6, z3="C").play("take grey-d8 dash", "move captain 3 to 2").roll(1)
    assert at.get(MEDAL) == 1
