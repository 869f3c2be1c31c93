import math
from random import Random

import pytest
from simulation import World

from arena.ladder.stats import Leg, saved_by_blocks
from arena.ladder.versus import elo_of, share_of, superiority, versus


def legs(*ranks: tuple[int, int], completed: bool = True) -> list[Leg]:
    return [Leg(each, completed) for each in ranks]


def test_shares_and_elo_differences_turn_into_each_other():
    assert elo_of(share_of(123.0)) == pytest.approx(123.0)
    assert elo_of(10 / 11) == pytest.approx(400)
    assert (elo_of(0.0), elo_of(1.0)) == (-math.inf, math.inf)


def test_a_pair_without_a_counted_block_is_not_compared():
    assert versus([]) is None
    assert versus([legs((1, 2), (1, 2), completed=False)]) is None


def test_wins_ties_and_losses_are_counted_over_legs():
    found = versus([legs((1, 2), (1, 1)), legs((2, 1), (1, 2))])
    assert found is not None
    assert (found.wins, found.ties, found.losses, found.blocks) == (2, 1, 1, 2)
    assert found.share.mean == pytest.approx(0.625)


def test_ranks_of_a_larger_group_compare_the_two_that_are_asked_for():
    found = versus([legs((2, 4), (1, 3)), legs((1, 5), (2, 2))])
    assert found is not None
    assert (found.wins, found.ties, found.losses) == (3, 1, 0)


def test_a_forfeited_leg_takes_its_block_out():
    found = versus([legs((1, 2), (2, 1)), [Leg((1, 2), True), Leg((1, 2), False)]])
    assert found is not None
    assert (found.blocks, found.left_out, found.wins) == (1, 1, 1)


def test_equal_scores_make_either_as_likely_the_better():
    assert superiority([0.5] * 10) == pytest.approx(0.5)
    assert superiority([0.0, 1.0]) == pytest.approx(0.5)


def test_superiority_agrees_with_the_interval():
    blocks = World().pair(Random(4), 60, 40)
    for count in range(2, 41):
        found = versus(blocks[:count])
        assert found is not None
        assert (found.superiority > 0.975) == (found.share.low > 0.5)


def test_seen_from_the_other_side_everything_is_turned_round():
    blocks = World().pair(Random(4), 60, 30)
    turned = [[Leg(leg.ranks[::-1], leg.completed) for leg in block] for block in blocks]
    one, other = versus(blocks), versus(turned)
    assert one is not None
    assert other is not None
    assert one.superiority == pytest.approx(1 - other.superiority)
    assert one.elo.low == pytest.approx(-other.elo.high)


def test_blocks_save_everything_where_the_deal_decides_alone():
    assert saved_by_blocks([(1.0, 0.0), (0.0, 1.0), (1.0, 0.0)]) == pytest.approx(1.0)


def test_blocks_save_nothing_where_legs_have_nothing_in_common():
    stream = Random(1)
    saved = saved_by_blocks([(float(stream.randrange(2)), float(stream.randrange(2))) for _ in range(4000)])
    assert saved == pytest.approx(0, abs=0.05)


def test_blocks_cost_matches_where_both_legs_always_end_alike():
    assert saved_by_blocks([(1.0, 1.0), (0.0, 0.0)]) == pytest.approx(-1.0)


def test_where_nothing_varies_nothing_is_said_of_saving():
    assert saved_by_blocks([(1.0, 1.0), (1.0, 1.0)]) is None
    assert saved_by_blocks([(1.0, 0.0)]) is None
