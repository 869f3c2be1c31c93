"""The prestige of final positions set up by hand."""

import pytest

from arena.games.snowblind.score import prestige
from arena.games.snowblind.state import MEDAL, RESEARCH


@pytest.mark.parametrize(("flag", "points"), [(2, 0), (3, 0), (4, 5), (5, 10), (6, 15)])
def test_a_flag_scores_5_10_or_15_in_zones_4_5_and_6(table, flag, points):
    assert prestige(table().lay(flag=flag, z4="C").state, 0) == points


def test_the_medal_scores_two(table):
    assert prestige(table().lay(flag=2, z4="C").fact(0, MEDAL, 1).state, 0) == 2


@pytest.mark.parametrize(("camps", "points"), [(0, 0), (1, 0), (2, 1), (3, 1), (4, 2)])
def test_every_two_camps_on_the_own_track_score_one(table, camps, points):
    zones = {f"z{zone}": f"{'C' if zone == 5 else ''} 1 camp" for zone in range(5, 5 - camps, -1)} or {"z5": "C"}
    assert prestige(table().lay(flag=2, **({"z5": "C"} | zones)).state, 0) == points + 2 * ("C" in zones.get("z2", ""))


@pytest.mark.parametrize(("crates", "points"), [(2, 0), (3, 1), (8, 2), (9, 3)])
def test_every_three_crates_on_the_own_track_score_one(table, crates, points):
    assert prestige(table().lay(flag=2, z5=f"C {crates - 1} crate", z3="1 crate").state, 0) == points


def test_a_barrel_counts_as_three_crates_and_food_as_nothing(table):
    assert prestige(table().lay(flag=2, z5="C 2 barrel 5 food 1 crate").state, 0) == 2


def test_each_explorer_at_base_scores_two_exhausted_ones_too(table):
    assert prestige(table().lay(flag=2, z2="C y bb", z3="Y").state, 0) == 8


def test_each_research_token_scores_one(table):
    assert prestige(table().lay(flag=2, z5="C").fact(0, RESEARCH, 4).state, 0) == 4


@pytest.mark.parametrize(
    "position",
    [
        (6, 1, 3, {"z2": "C Y BB 7 crate 1 barrel 1 camp", "z4": "1 camp", "z5": "y"}, 15 + 2 + 3 + 1 + 3 + 8),
        (5, 0, 0, {"z2": "YY BBB 10 crate", "z5": "c 1 crate"}, 10 + 3 + 10),
        (4, 0, 1, {"z2": "b", "z4": "C 2 food"}, 5 + 1 + 2),
        (3, 0, 0, {"z3": "c"}, 0),
        (6, 0, 12, {"z6": "C 2 crate 3 camp"}, 15 + 12 + 1),
    ],
)
def test_hand_made_positions_score_as_counted_by_hand(table, position):
    flag, medal, research, zones, points = position
    at = table().lay(flag=flag, **zones).fact(0, MEDAL, medal).fact(0, RESEARCH, research)
    assert prestige(at.state, 0) == points


def test_in_the_epic_game_the_base_is_zone_1(table):
    assert prestige(table("epic").lay(flag=2, z1="C B", z2="YY").state, 0) == 4


def test_a_flag_moved_from_zone_4_to_zone_5_scores_the_higher_value(table):
    at = table().lay(flag=4, z4="C", z5="9 crate")
    assert prestige(at.state, 0) == 5 + 3
    at.play("take red-d6", "move captain 4 to 5").roll(1).play("plant flag")
    assert prestige(at.state, 0) == 10 + 3


def test_equal_prestige_shares_the_rank(table):
    at = table("quick", 3)
    at.lay(0, flag=4, z3="C").lay(1, flag=5, z3="C").lay(2, flag=5, z4="C")
    at.state.drawn = (1, 1, 2, 0)
    at.turn(0).pass_all()
    assert at.state.outcome.ranks == (3, 1, 1)
    assert at.state.outcome.scores == (5, 10, 10)
    assert at.state.outcome.reason == "prestige"
