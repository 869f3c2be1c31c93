import math
from random import Random

import pytest
from simulation import World

from arena.core.errors import UsageError
from arena.ladder.sprt import Hypotheses, SequentialTest, Verdict, log_likelihood_ratio
from arena.ladder.versus import share_of


def decide(world: World, hypotheses: Hypotheses, elo: float, stream: Random) -> Verdict:
    test = SequentialTest(hypotheses)
    while test.verdict is Verdict.OPEN:
        test.add(sum(world.play(stream, elo)) / 2)
    return test.verdict


def test_two_numbers_with_a_comma_are_hypotheses():
    found = Hypotheses.parse("0,30")
    assert (found.low, found.high, found.alpha, found.beta) == (0, 30, 0.05, 0.05)


@pytest.mark.parametrize("text", ["", "30", "30,0", "5,5", "a,b", "0,30,60", "nan,30", "0,inf", "0,5000"])
def test_anything_else_is_refused(text):
    with pytest.raises(UsageError) as refused:
        Hypotheses.parse(text)
    assert refused.value.code == "BAD_SPRT"


def test_errors_can_be_given():
    found = Hypotheses.parse("0,30", 0.01, 0.1)
    assert (found.alpha, found.beta) == (0.01, 0.1)
    assert found.upper == pytest.approx(math.log(100))
    assert found.lower == pytest.approx(math.log(0.1))


@pytest.mark.parametrize(("alpha", "beta"), [(0, 0.05), (0.05, 0.5), (-1, 0.05), (math.nan, 0.05), (0.05, 2)])
def test_errors_that_are_none_are_refused(alpha, beta):
    with pytest.raises(UsageError) as refused:
        Hypotheses.parse("0,30", alpha, beta)
    assert refused.value.code == "BAD_SPRT"


def test_each_bound_follows_from_its_own_error():
    assert Hypotheses(0, 30).upper == pytest.approx(2.996, abs=1e-3)
    assert Hypotheses(0, 30, beta=0.01).upper == Hypotheses(0, 30).upper
    assert Hypotheses(0, 30).lower == pytest.approx(-2.996, abs=1e-3)


def test_wins_speak_for_the_high_hypothesis_and_losses_for_the_low_one():
    hypotheses = Hypotheses(0, 30)
    assert log_likelihood_ratio({1.0: 10}, hypotheses) > 0
    assert log_likelihood_ratio({0.0: 10}, hypotheses) < 0


def test_for_two_scores_the_ratio_is_the_binomial_one():
    hypotheses = Hypotheses(0, 100)
    low, high = share_of(0), share_of(100)
    # Half a block more on either side: what is taken to have been seen beforehand.
    expected = 60.5 * math.log(high / low) + 40.5 * math.log((1 - high) / (1 - low))
    assert log_likelihood_ratio({1.0: 60, 0.0: 40}, hypotheses) == pytest.approx(expected)


def test_many_blocks_come_near_the_normal_approximation():
    counts = {0.0: 100, 0.25: 400, 0.5: 1050, 0.75: 430, 1.0: 110}
    total = sum(counts.values())
    mean = sum(score * count for score, count in counts.items()) / total
    variance = sum((score - mean) ** 2 * count for score, count in counts.items()) / total
    low, high = share_of(0), share_of(10)
    normal = total * (high - low) * (2 * mean - low - high) / (2 * variance)
    assert log_likelihood_ratio(counts, Hypotheses(0, 10)) == pytest.approx(normal, rel=0.02)


def test_a_decided_test_takes_no_more_blocks():
    test = SequentialTest(Hypotheses(0, 300))
    while test.add(1.0) is Verdict.OPEN:
        pass
    decided = (test.ratio, test.blocks)
    assert test.add(0.0) is Verdict.HIGH
    assert (test.ratio, test.blocks) == decided
    assert decided[0] >= test.hypotheses.upper


def test_counts_tell_how_often_each_score_came():
    test = SequentialTest(Hypotheses(0, 30))
    for score in (0.5, 1.0, 0.5):
        test.add(score)
    assert test.counts == {0.5: 2, 1.0: 1}


def test_both_errors_of_a_small_simulation_are_rare():
    world, hypotheses, stream = World(), Hypotheses(0, 100), Random(3)
    low = [decide(world, hypotheses, world.elo_for(share_of(0)), stream) for _ in range(150)]
    high = [decide(world, hypotheses, world.elo_for(share_of(100)), stream) for _ in range(150)]
    assert low.count(Verdict.HIGH) <= 13  # 5 % of 150 and two deviations
    assert high.count(Verdict.LOW) <= 13
