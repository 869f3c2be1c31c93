"""Captains who perish: who is out, how they rank, and who plays on."""

import pytest

from arena.games.snowblind.state import STANDING, Phase, Standing


def kill(at, seat):
    """Let the captain of the seat to act freeze in the open."""
    at.lay(seat, z4="C").turn(seat)
    die = next(name for name in ("red-d6", "red-d8") if f"take {name}" in at.legal)
    other = "grey-d8"
    at.pool(other, seat=seat).play(f"take {die}", "move captain 4 to 5")
    at.roll(*[6] * len(at.state.pending))
    at.play("exhaust captain", "perish captain")
    return at


def test_a_captain_who_perishes_eliminates_his_expedition(table):
    at = kill(table("quick", 3), 0)
    assert at.get(STANDING) == Standing.ELIMINATED
    assert at.state.to_act == 1


def test_further_losses_of_the_roll_are_not_taken(table):
    at = table("quick", 3).lay(0, z4="C", z5="").pool("purple-d8", "red-d8", "grey-d8")
    at.play("take red-d6", "move captain 4 to 5").roll(6, 8, 8, 8)
    at.play("exhaust captain", "perish captain")
    assert at.state.to_act == 1


def test_an_eliminated_seat_is_not_asked_again_and_suffers_no_weather(table):
    at = kill(table("quick", 3), 0)
    at.lay(1, z2="C 9 crate").lay(2, z2="C 9 crate").pass_all().play("weather 6", "spend crate", "spend crate")
    assert at.state.to_act == 1
    assert at.state.compass == 1


def test_the_dice_of_the_eliminated_return_at_the_end_of_the_round(table):
    at = kill(table("quick", 3), 0)
    assert at.pool_of(0) == {"red_d6": 1, "grey_d8": 1}
    at.pass_all().play("weather 1")
    assert at.pool_of(0) == {}
    assert sum(at.state.dice[:9]) == 14


def test_the_compass_skips_the_eliminated(table):
    at = kill(table("quick", 3), 1)
    at.turn(0).pass_all().play("weather 1")
    assert at.state.compass == 2


def test_the_eliminated_rank_below_all_others_whatever_these_score(table):
    at = kill(table("quick", 3), 1)
    at.lay(0, flag=3, z3="c").lay(2, flag=6, z2="C").turn(0)
    at.state.drawn = (1, 1, 2, 0)
    at.pass_all()
    assert at.state.outcome.ranks == (2, 3, 1)
    assert at.state.outcome.scores == (0, None, 17)


def test_among_the_eliminated_the_later_is_better(table):
    at = kill(table("quick", 3), 1)
    kill(at, 0)
    at.turn(2)
    at.state.drawn = (1, 1, 2, 0)
    at.pass_all()
    assert at.state.outcome.ranks == (2, 3, 1)


def test_the_last_survivor_plays_on_for_the_score(table):
    at = kill(table("quick", 2), 0)
    assert at.state.to_act == 1
    at.pass_all().play("weather 1")
    assert at.state.to_act == 1
    assert at.state.compass == 1


def test_when_all_are_eliminated_the_game_ends_and_nobody_has_a_score(table):
    at = kill(kill(table("quick", 3), 2), 0)
    kill(at, 1)
    assert at.state.phase is Phase.OVER
    assert at.state.outcome.ranks == (2, 1, 3)
    assert at.state.outcome.scores == (None, None, None)
    assert at.state.outcome.reason == "eliminated"


def test_finished_and_eliminated_together_end_the_game(table):
    at = table("quick", 2).lay(0, flag=6, z2="C 1 crate").pass_all().play("weather 1")
    assert at.get(STANDING, 0) == Standing.FINISHED
    kill(at, 1)
    assert at.state.phase is Phase.OVER
    assert at.state.outcome.ranks == (1, 2)


@pytest.mark.parametrize("man", ["scientist", "sailor"])
def test_the_death_of_another_man_eliminates_nobody(table, man):
    letter = {"scientist": "Y", "sailor": "B"}[man]
    die = {"scientist": "yellow-d6", "sailor": "blue-d6"}[man]
    at = table().lay(0, z3=letter, z2="C").pool("purple-d8").play(f"take {die}", f"move {man} 3 to 4").roll(6, 8)
    at.play(f"exhaust {man}", f"perish {man}")
    assert at.get(STANDING) == Standing.PLAYING
