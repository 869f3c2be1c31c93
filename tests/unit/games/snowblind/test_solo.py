"""The solo game and its expert modes."""

import pytest

from arena.core import CHANCE
from arena.games.snowblind import GAME
from arena.games.snowblind.state import BACK, FLAG, HAND, RESEARCH, TO_POLE, Phase

CARDS = (2, 3, 4, 5, 6, 6)


def last_round(table, variant="solo", **facts):
    at = table(variant, 1).lay(flag=2, z1="C Y BB 20 crate")
    at.state.round, at.state.drawn = 6, CARDS[:5]
    for name, value in facts.items():
        at.fact(0, {"back": BACK, "research": RESEARCH}[name], value)
    return at


def test_the_six_solo_cards_come_in_any_order_each_once(table):
    at = table("solo", 1).lay(z1="C Y BB 20 crate 1 camp").play("pass")
    assert at.legal == ["weather 2", "weather 3", "weather 4", "weather 5", "weather 6"]
    assert GAME.weights(at.state) == (1, 1, 1, 1, 2)
    at.play("weather 6", "spend crate").pass_all()
    assert GAME.weights(at.state) == (1, 1, 1, 1, 1)


def test_a_solo_game_ends_with_round_6_its_weather_included(table):
    at = last_round(table).play("pass")
    assert at.state.to_act is CHANCE
    at.play("weather 6", "spend crate")
    assert at.state.phase is Phase.OVER
    assert at.state.round == 6


def test_at_most_one_camp_is_placed(table):
    at = table("solo", 1).play("take grey-d8 camp", "camp 1").roll(1)
    assert at.get(HAND) == 0
    assert "take grey-d8 camp" not in at.legal


def walk(table, variant="solo"):
    """Bring a captain from zone 5 over the Pole to the ship."""
    at = table(variant, 1).lay(flag=2, z5="C", z6="9 crate")
    at.play("take red-d6", "move captain 5 to 6").roll(1).play("leave flag")
    assert at.get(TO_POLE)
    at.lay(z2="C", z1="Y BB 9 crate").fact(0, TO_POLE, 1)
    return at.play("take red-d6", "move captain 2 to 1").roll(1, 1)


def test_the_captain_who_was_at_the_pole_and_is_back_at_the_ship_alive_has_won(table):
    at = walk(table)
    assert at.get(BACK)
    assert at.get(FLAG) == 2
    at.state.round, at.state.drawn = 6, CARDS[:5]
    at.pass_all().play("weather 6", "spend crate")
    assert at.state.outcome.ranks == (1,)
    assert at.state.outcome.reason == "objective"


def test_the_way_back_counts_from_the_pole_only(table):
    at = table("solo", 1).lay(z2="C", z1="9 crate").play("take red-d6", "move captain 2 to 1").roll(1)
    assert not at.get(BACK)


def test_another_man_at_the_pole_does_not_stand_for_the_captain(table):
    at = table("solo", 1).lay(z4="C", z5="B", z6="9 crate").play("take blue-d6", "move sailor 5 to 6")
    assert not at.get(TO_POLE)


def test_a_captain_not_back_by_the_end_of_round_6_has_lost(table):
    at = last_round(table).pass_all().play("weather 6", "spend crate")
    assert at.state.outcome.ranks == (2,)
    assert at.state.outcome.reason == "too-late"


@pytest.mark.parametrize(
    ("variant", "tokens"), [("solo", 0), ("solo-hard", 2), ("solo-blizzard", 4), ("solo-whiteout", 6)]
)
def test_an_expert_mode_asks_for_research_too(table, variant, tokens):
    for have in range(8):
        at = last_round(table, variant, back=1, research=have).pass_all().play("weather 6", "spend crate")
        assert at.state.outcome.ranks == ((1,) if have >= tokens else (2,))


def test_research_may_be_completed_after_the_return(table):
    at = last_round(table, "solo-hard", back=1, research=1)
    at.play("take yellow-d8", "move scientist 1 to 2", "load 0").roll(1)
    at.pass_all().play("weather 6")
    assert at.state.outcome is None
    at.play("exhaust scientist")
    assert at.state.outcome.ranks == (1,)


def test_the_prestige_is_kept_as_the_score(table):
    at = last_round(table, back=1, research=3).pass_all().play("weather 6", "spend crate")
    assert at.state.outcome.scores == (3 + 8 + 19 // 3,)


def test_a_captain_who_perishes_has_lost(table):
    at = table("solo", 1).lay(z3="C").pool("grey-d8").play("take red-d6", "move captain 3 to 4").roll(6, 8)
    at.play("exhaust captain", "perish captain")
    assert at.state.outcome.ranks == (2,)
    assert at.state.outcome.scores == (None,)
    assert at.state.outcome.reason == "perished"


def test_a_captain_who_perishes_after_the_objectives_were_met_has_won(table):
    at = table("solo", 1).lay(z3="C").fact(0, TO_POLE, 1).fact(0, BACK, 1).pool("grey-d8")
    at.play("take red-d6", "move captain 3 to 4").roll(6, 8).play("exhaust captain", "perish captain")
    assert at.state.outcome.ranks == (1,)
    assert at.state.outcome.scores == (None,)


def test_a_solo_game_goes_on_after_the_objectives_are_met(table):
    at = walk(table)
    assert at.state.outcome is None
    assert at.state.to_act == 0
