"""Greedy on Snowblind with rivals: exact odds, and that random is beaten; the share it reaches is measured."""

import pytest

from arena.core import CHANCE, FastStream
from arena.games.snowblind import GAME
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


@pytest.mark.parametrize(("lowest", "six", "eight"), [(4, 3 / 6, 5 / 8), (5, 2 / 6, 4 / 8), (6, 1 / 6, 3 / 8)])
def test_the_odds_of_a_roll_are_exact(lowest, six, eight):
    assert snowblind_solo.hit_chances(1, 0, lowest) == pytest.approx((1 - six, six))
    assert snowblind_solo.hit_chances(0, 1, lowest) == pytest.approx((1 - eight, eight))
    none, _, both = snowblind_solo.hit_chances(1, 1, lowest)
    assert (none, both) == pytest.approx(((1 - six) * (1 - eight), six * eight))


def test_random_is_beaten_by_two():
    assert sum(play("quick", 2, seed).outcome.ranks[0] == 1 for seed in range(3)) == 3
