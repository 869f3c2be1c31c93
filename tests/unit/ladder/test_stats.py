import random

import pytest

from arena.ladder.stats import (
    Leg,
    block_stats,
    clustered_interval,
    interval,
    interval_of_strata,
    points,
    share_of_ties,
    student_t,
)


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ((1, 2), (1, 0)),
        ((1, 1), (0.5, 0.5)),
        ((3, 1, 2), (0, 1, 0.5)),
        ((1, 1, 3), (0.75, 0.75, 0)),
        ((1, 2, 2, 2), (1, 1 / 3, 1 / 3, 1 / 3)),
        ((1,), (1,)),
        ((2,), (0,)),
    ],
)
def test_points_follow_from_ranks_and_ties_share(ranks: tuple[int, ...], expected: tuple[float, ...]) -> None:
    assert points(ranks) == pytest.approx(expected)


def test_students_t_is_that_of_the_tables() -> None:
    table = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 10: 2.228, 30: 2.042, 100: 1.984}
    assert {df: student_t(df) for df in table} == pytest.approx(table, abs=0.01)


def test_an_interval_holds_the_true_mean_about_95_times_in_100() -> None:
    draw = random.Random(3)
    held = 0
    for _ in range(2000):
        blocks = [(draw.random() < 0.7) / 2 + (draw.random() < 0.7) / 2 for _ in range(40)]
        estimate = interval(blocks)
        held += estimate.low <= 0.7 <= estimate.high
    assert 0.93 <= held / 2000 <= 0.97


def test_blocks_that_vary_less_give_a_narrower_interval() -> None:
    split = interval([0.5] * 98 + [0, 1])
    whole = interval([0, 1] * 50)
    assert split.high - split.low < (whole.high - whole.low) / 3


def test_an_interval_never_leaves_0_to_1_and_is_never_a_point() -> None:
    for values in ([1.0] * 20, [0.0] * 20, [1.0], [0.5] * 9, [1.0] * 19 + [0.5]):
        estimate = interval(values)
        assert 0 <= estimate.low <= estimate.mean <= estimate.high + 1e-12 <= 1 + 1e-12
        assert estimate.high - estimate.low > 0.01


def test_a_block_is_one_observation() -> None:
    block = [Leg((1, 2), completed=True), Leg((2, 1), completed=True)]
    stats = block_stats([block] * 10)
    assert (stats.counted, stats.left_out) == (10, 0)
    assert stats.entrants[0].points == interval([0.5] * 10)


def test_a_block_with_a_leg_that_was_not_completed_is_left_out_and_counted() -> None:
    good = [Leg((1, 2), completed=True), Leg((1, 2), completed=True)]
    bad = [Leg((2, 1), completed=False), Leg((1, 2), completed=True)]
    stats = block_stats([good, bad])
    assert (stats.counted, stats.left_out) == (1, 1)
    assert stats.entrants[0].points.mean == 1


def test_no_block_that_counts_gives_no_numbers() -> None:
    assert block_stats([[Leg((0, 0), completed=False)]]).entrants == ()
    assert block_stats([]).counted == 0


def test_mean_rank_and_its_interval_mirror_the_points() -> None:
    legs = [Leg((1, 2, 3), completed=True), Leg((3, 1, 2), completed=True), Leg((1, 3, 2), completed=True)]
    first = block_stats([legs, legs]).entrants[0]
    assert first.rank.mean == pytest.approx(5 / 3)
    assert first.rank.low == pytest.approx(3 - 2 * first.points.high)
    assert first.rank.high == pytest.approx(3 - 2 * first.points.low)


def test_alone_the_house_takes_the_other_place() -> None:
    stats = block_stats([[Leg((1,), completed=True)], [Leg((2,), completed=True)]])
    assert stats.entrants[0].points.mean == 0.5
    assert stats.entrants[0].rank.mean == 1.5


def test_one_stratum_is_an_ordinary_sample() -> None:
    values = [0.5, 1.0, 0.0, 0.5, 0.75]
    assert interval_of_strata([values]) == interval(values)


def test_strata_of_one_value_are_put_together() -> None:
    assert interval_of_strata([[0.5], [1.0], [0.0]]) == interval([0.5, 1.0, 0.0])
    assert interval_of_strata([[0.5]]) == interval([0.5])
    assert interval_of_strata([[0.5, 1.0], [0.0]]) == interval([0.5, 1.0, 0.0])


def test_the_mean_of_strata_counts_every_value_once() -> None:
    assert interval_of_strata([[1.0, 1.0, 1.0], [0.0, 0.5]]).mean == pytest.approx(0.7)


def test_an_interval_of_strata_holds_the_true_mean_about_95_times_in_100() -> None:
    draw = random.Random(3)
    held = 0
    for _ in range(2000):
        strata = [[(draw.random() < p) / 2 + (draw.random() < p) / 2 for _ in range(6)] for p in (0.9, 0.6, 0.2)]
        estimate = interval_of_strata(strata)
        held += estimate.low <= 1.7 / 3 <= estimate.high
    assert 0.93 <= held / 2000 <= 0.98


def test_the_share_of_ties_counts_steps_between_places() -> None:
    assert share_of_ties((1, 2)) == 0
    assert share_of_ties((1, 1)) == 1
    assert share_of_ties((1, 1, 3, 4)) == pytest.approx(1 / 3)
    assert share_of_ties((1,)) == 0
    assert block_stats([[Leg((1, 1), completed=True), Leg((1, 2), completed=True)]]).ties == 0.5


def test_values_of_deals_that_vary_together_are_less_sure() -> None:
    together = [[(deal, float(deal % 2)) for deal in range(10)] for _ in range(4)]
    apart = [[(deal + 10 * stratum, value) for deal, value in values] for stratum, values in enumerate(together)]
    close, wide = clustered_interval(apart), clustered_interval(together)
    assert close == interval_of_strata([[value for _, value in values] for values in together])
    assert wide.mean == close.mean
    assert wide.high - wide.low > 1.4 * (close.high - close.low)


def test_two_deals_tell_nothing_of_deals() -> None:
    strata = [[(1, 1.0), (2, 0.0)], [(1, 1.0), (2, 0.0)]]
    assert clustered_interval(strata) == interval_of_strata([[1.0, 0.0], [1.0, 0.0]])
