"""The open ladder: who has played least goes first, near ratings meet, and no wait passes its bound."""

from dataclasses import replace
from random import Random

import pytest

from arena.core.errors import UsageError
from arena.ladder.openladder import WINDOW, Climber, longest_wait, next_group


def ladder(ratings):
    return [Climber(key, 0, 0, rating) for key, rating in enumerate(ratings)]


def after(climbers, group):
    return [
        replace(one, blocks=one.blocks + 1, waited=0) if one.key in group else replace(one, waited=one.waited + 1)
        for one in climbers
    ]


def test_whoever_has_played_least_plays_next_against_the_nearest_in_rating():
    climbers = [Climber(0, 3, 0, 25.0), Climber(1, 1, 0, 30.0), Climber(2, 3, 0, 29.0), Climber(3, 2, 0, 10.0)]
    assert next_group(climbers, 2) == (1, 2)


def test_of_equals_the_longest_wait_plays_first_then_the_order_of_entry():
    climbers = [Climber(0, 1, 2, 25.0), Climber(1, 1, 5, 25.0), Climber(2, 1, 5, 25.0)]
    assert next_group(climbers, 2) == (1, 2)


def test_who_is_far_ahead_is_no_opponent_however_near():
    climbers = [Climber(0, 0, 0, 25.0), Climber(1, WINDOW + 1, 0, 25.0), Climber(2, 0, 0, 90.0)]
    assert next_group(climbers, 2) == (0, 2)


def test_fewer_than_fill_a_match_are_refused():
    with pytest.raises(UsageError) as caught:
        next_group(ladder([25.0]), 2)
    assert caught.value.code == "TOO_FEW_ENTRANTS"


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@pytest.mark.parametrize("entrants", [5, 6, 7, 10, 17, 30])
def test_no_wait_passes_its_bound_and_nobody_gets_far_ahead(entrants, seats):
    chance = Random(entrants * 10 + seats)
    climbers = ladder([25.0] * entrants)
    longest = 0
    for _ in range(40 * entrants):
        group = next_group(climbers, seats)
        assert len(set(group)) == seats
        climbers = [replace(one, rating=one.rating + chance.gauss(0, 2)) for one in after(climbers, group)]
        longest = max(longest, *(one.waited for one in climbers))
        blocks = [one.blocks for one in climbers]
        assert max(blocks) - min(blocks) <= WINDOW + 1
    assert longest <= longest_wait(entrants)


def test_neighbours_in_rating_meet_more_often_than_strangers():
    climbers = ladder([20.0, 21.0, 22.0, 30.0, 31.0, 32.0])
    near = 0
    for _ in range(300):
        one, other = next_group(climbers, 2)
        near += (one < 3) == (other < 3)
        climbers = after(climbers, (one, other))
    assert near > 200
