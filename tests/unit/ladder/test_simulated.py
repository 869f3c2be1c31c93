"""The statistics against simulated players, at length; docs/statistics.md states the figures."""

from random import Random

import pytest
from simulation import World

from arena.ladder.sprt import Hypotheses, SequentialTest, Verdict
from arena.ladder.versus import share_of, versus

WORLDS = [World(), World(luck=0, ties=0.5), World(luck=400, ties=0)]

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize(("elo", "blocks"), [(0, 20), (0, 200), (100, 30), (300, 50)])
def test_intervals_of_a_pair_cover_its_true_share(world, elo, blocks):
    stream, share = Random(11), world.share(elo)
    held = 0
    for _ in range(2000):
        found = versus(world.pair(stream, elo, blocks))
        assert found is not None
        held += found.share.low <= share <= found.share.high
    assert 0.92 <= held / 2000 <= 0.98


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize(("low", "high"), [(0, 50), (0, 100), (-50, 50)])
def test_errors_of_the_sequential_test_stay_within_alpha_and_beta(world, low, high):
    hypotheses, stream = Hypotheses(low, high), Random(13)
    wrong = dict.fromkeys((Verdict.LOW, Verdict.HIGH), 0)
    for true, error in ((low, Verdict.HIGH), (high, Verdict.LOW)):
        elo = world.elo_for(share_of(true))
        for _ in range(2000):
            test = SequentialTest(hypotheses)
            while test.verdict is Verdict.OPEN:
                test.add(sum(world.play(stream, elo)) / 2)
            wrong[error] += test.verdict is error
    assert wrong[Verdict.HIGH] / 2000 <= hypotheses.alpha
    assert wrong[Verdict.LOW] / 2000 <= hypotheses.beta
