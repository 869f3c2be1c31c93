"""Greedy on Snowblind: exact odds, and that it knows where to go; the shares it reaches are measured, not tested."""

import pytest

from arena.core import CHANCE, FastStream
from arena.games.snowblind import GAME
from arena.games.snowblind.state import DICE, TO_POLE
from bots.builtin.greedy import snowblind, snowblind_solo


def best(state, seat=0):
    """Return the notation of what Greedy does."""

    def worth(action):
        after = state.copy()
        after.apply(action)
        return snowblind.evaluate(after, seat)

    return max(state.legal_actions(), key=worth)


def play(variant, seats, seed):
    """Play a game in which seat 0 is Greedy and the others choose at random."""
    stream, state = FastStream(seed), GAME.new(variant, seats, GAME.components(None, ""))
    while state.to_act is not None:
        legal = state.legal_actions()
        if state.to_act is CHANCE:
            state.apply(GAME.draw(state, stream))
        elif state.to_act == 0 and len(legal) > 1:
            state.apply(best(state))
        else:
            state.apply(legal[stream.below(len(legal), "")])
    return state


def text(action):
    return GAME.actions.text_of(action)


@pytest.mark.parametrize(("lowest", "six", "eight"), [(4, 3 / 6, 5 / 8), (5, 2 / 6, 4 / 8), (6, 1 / 6, 3 / 8)])
def test_the_odds_of_a_roll_are_exact(lowest, six, eight):
    assert snowblind_solo.hit_chances(1, 0, lowest) == pytest.approx((1 - six, six))
    assert snowblind_solo.hit_chances(0, 1, lowest) == pytest.approx((1 - eight, eight))
    none, _, both = snowblind_solo.hit_chances(1, 1, lowest)
    assert (none, both) == pytest.approx(((1 - six) * (1 - eight), six * eight))


def test_a_captain_one_step_from_home_goes_home(table):
    at = table("solo", 1).lay(0, flag=6, z1="B 9 crate", z2="C 3 crate").fact(0, TO_POLE, 1)
    assert text(best(at.state)).startswith(("take red", "take grey-d8"))
    at.play("take red-d6")
    assert text(best(at.state)) == "move captain 2 to 1"


def test_a_won_game_is_left_as_it_is(table):
    at = table("solo", 1).lay(0, flag=6, z1="CYBB 9 crate").fact(0, TO_POLE, 1).fact(0, 7, 1)
    assert text(best(at.state)) == "pass"


def test_the_token_is_fetched_before_the_round_ends_when_there_is_no_other_chance(table):
    at = table("solo-whiteout", 1).lay(0, z1="YB 9 crate", z2="C 9 crate B")
    at.pool("red-d6", "red-d8", "blue-d6", "grey-d8")
    taken = ""
    while text(best(at.state)) != "pass":
        action = best(at.state)
        taken += text(action) + "\n"
        at.state.apply(action)
        while at.state.to_act is CHANCE and at.state.phase.name == "ROLL":
            at.roll(1)
    assert "take yellow-d8" in taken


def test_a_captain_who_lies_is_revived_before_the_roll(table):
    at = table("solo", 1).lay(0, z1="Y 9 crate", z4="c 3 crate", z5="B 3 crate")
    at.play("take blue-d6", "move sailor 5 to 4", "load 3")
    assert text(best(at.state)) == "revive captain 4 with crate"


def test_a_dangerous_pool_is_left_alone(table):
    at = table("solo", 1).lay(0, z1="Y 9 crate", z4="CB 2 crate")
    at.pool("red-d6", "red-d6", "yellow-d6", "yellow-d6", "blue-d6", "blue-d6", "yellow-d8", "blue-d8", "grey-d8")
    assert sum(at.state.dice[DICE:]) == 9
    assert text(best(at.state)) == "pass"


def test_solo_games_are_mostly_won():
    assert sum(play("solo", 1, seed).outcome.ranks == (1,) for seed in range(4)) >= 2


def test_random_is_beaten_by_two():
    assert sum(play("quick", 2, seed).outcome.ranks[0] == 1 for seed in range(3)) == 3
