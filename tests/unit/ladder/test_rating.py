import math
from itertools import permutations

import pytest
import trueskill
from hypothesis import given
from hypothesis import strategies as st

from arena.ladder.rating import DRAWS, HOUSE, MU, RARE_DRAWS, SIGMA, Rating, draw_probability, fold, update

RATINGS = st.builds(Rating, st.floats(-1e4, 1e4), st.floats(1e-2, 20))


def pinned(ratings, ranks):
    """What the package itself says, where it says something."""
    engine = trueskill.TrueSkill(mu=MU, sigma=SIGMA, beta=SIGMA / 2, tau=0, draw_probability=DRAWS)
    groups = [(trueskill.Rating(one.mu, one.sigma),) for one in ratings]
    return [(one.mu, one.sigma) for (one,) in engine.rate(groups, ranks=ranks)]


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_an_ordinary_match_is_rated_as_the_engine_does(seats):
    ratings = [Rating(20 + 3 * seat, 8 - seat) for seat in range(seats)]
    for ranks in permutations(range(1, seats + 1)):
        found = update(ratings, ranks, DRAWS)
        for mine, (mu, sigma) in zip(found, pinned(ratings, ranks), strict=True):
            assert mine.mu == pytest.approx(mu, abs=1e-9)
            assert mine.sigma == pytest.approx(sigma, abs=1e-9)


@pytest.mark.parametrize("ranks", [(1, 1), (1, 1, 1), (1, 1, 1, 1), (1, 2, 2, 4), (1, 1, 3, 3, 3), (1,) * 5])
def test_tied_equals_stay_equal_bit_for_bit(ranks):
    found = update([Rating()] * len(ranks), ranks, DRAWS)
    for rank in set(ranks):
        tied = {(one.mu, one.sigma) for one, its in zip(found, ranks, strict=True) if its == rank}
        assert len({mu for mu, _ in tied}) == 1
        assert max(sigma for _, sigma in tied) == pytest.approx(min(sigma for _, sigma in tied), abs=1e-9)


def test_a_tie_pulls_two_players_together():
    strong, weak = update([Rating(30, 4), Rating(20, 4)], (1, 1), DRAWS)
    assert strong.mu < 30
    assert weak.mu > 20
    assert strong.sigma < 4


def test_an_upset_moves_more_than_the_expected_result():
    favourite, outsider = Rating(35, 5), Rating(15, 5)
    expected = update([favourite, outsider], (1, 2), RARE_DRAWS)
    upset = update([favourite, outsider], (2, 1), RARE_DRAWS)
    assert favourite.mu - upset[0].mu > 10 * (expected[0].mu - favourite.mu) >= 0


@given(st.lists(RATINGS, min_size=2, max_size=5), st.data())
def test_no_result_is_lost_however_extreme_the_gap(ratings, data):
    ranks = data.draw(st.permutations(range(1, len(ratings) + 1)))
    if data.draw(st.booleans()):
        ranks = [min(rank, len(ranks) - 1) for rank in ranks]
    found = update(ratings, ranks, data.draw(st.sampled_from([DRAWS, RARE_DRAWS])))
    for before, after in zip(ratings, found, strict=True):
        assert math.isfinite(after.mu)
        assert 0 < after.sigma <= before.sigma * (1 + 1e-6)


@pytest.mark.parametrize("gap", [20.0, 100.0, 1_000.0, 1e6])
@pytest.mark.parametrize("ranks", [(2, 1), (1, 1)])
def test_an_extreme_surprise_still_moves_both_towards_each_other(gap, ranks):
    strong, weak = update([Rating(25 + gap, 3), Rating(25, 3)], ranks, DRAWS)
    assert 25 + gap - strong.mu > 0.1 * gap
    assert weak.mu - 25 > 0.1 * gap
    assert strong.mu - weak.mu < gap


def test_winning_against_the_hopeless_teaches_nothing():
    strong, weak = update([Rating(5_000, 3), Rating(25, 3)], (1, 2), DRAWS)
    assert (strong.mu, weak.mu) == pytest.approx((5_000, 25))
    assert (strong.sigma, weak.sigma) == pytest.approx((3, 3))


def test_alone_a_bot_plays_the_house():
    (winner,), (loser,) = update([Rating()], [1], 0.0), update([Rating()], [2], 0.0)
    assert winner.mu > HOUSE.mu > loser.mu
    assert winner.mu - HOUSE.mu == pytest.approx(HOUSE.mu - loser.mu)
    assert winner.sigma < SIGMA


def test_a_bot_that_always_beats_the_house_keeps_rising_and_stays_finite():
    rating = Rating()
    for _ in range(500):
        (following,) = update([rating], [1], 0.0)
        assert following.mu >= rating.mu
        rating = following
    assert rating.score > 25


def test_draw_probabilities_are_above_zero_wherever_seats_can_tie():
    assert draw_probability(seats=2, draws=True) == DRAWS > 0
    assert draw_probability(seats=4, draws=False) == RARE_DRAWS > 0
    assert draw_probability(seats=1, draws=False) == 0


def test_a_measured_draw_probability_comes_before_the_default_and_is_never_zero():
    ties = ((2, 0.02), (3, 0.0))
    assert draw_probability(seats=2, draws=True, ties=ties) == 0.02
    assert draw_probability(seats=3, draws=True, ties=ties) == RARE_DRAWS
    assert draw_probability(seats=4, draws=True, ties=ties) == DRAWS
    assert draw_probability(seats=1, draws=False, ties=((1, 0.5),)) == 0


def test_the_score_is_three_sigma_below_mu():
    assert Rating(30, 2).score == 24
    assert Rating().score == pytest.approx(0)


def test_the_fold_starts_everybody_at_the_same_rating():
    found = fold([(("ada", "bert"), (1, 2)), (("bert", "cleo"), (1, 2))], DRAWS)
    ada, bert = update([Rating(), Rating()], (1, 2), DRAWS)
    assert found["ada"] == ada
    assert (found["bert"], found["cleo"]) == update([bert, Rating()], (1, 2), DRAWS)


def test_the_order_of_matches_without_a_common_player_does_not_matter():
    first, second = (("ada", "bert"), (1, 2)), (("cleo", "dora"), (2, 1))
    assert fold([first, second], DRAWS) == fold([second, first], DRAWS)


def test_a_walkover_costs_the_absent_and_moves_nobody_else():
    here, away = Rating(28, 3), Rating(22, 5)
    after = update([here, away], (1, 2), DRAWS, absent={1})
    assert after == (here, update([here, away], (1, 2), DRAWS)[1])


def test_those_present_are_rated_as_if_they_had_played_without_the_absent():
    ratings = [Rating(28, 3), Rating(22, 5), Rating(25, 8)]
    after = update(ratings, (2, 1, 3), DRAWS, absent={2})
    assert after[:2] == update(ratings[:2], (2, 1), DRAWS)
    assert after[2] == update(ratings, (2, 1, 3), DRAWS)[2]


def test_who_is_absent_against_the_house_has_lost_to_it():
    assert update([Rating()], (2,), 0.0, absent={0}) == update([Rating()], (2,), 0.0)


def test_when_all_are_absent_each_loses_as_its_rank_says():
    ratings = [Rating(28, 3), Rating(22, 5), Rating(25, 8)]
    assert update(ratings, (1, 2, 3), DRAWS, absent={0, 1, 2}) == update(ratings, (1, 2, 3), DRAWS)


def test_the_fold_knows_walkovers():
    found = fold([(("ada", "bert"), (1, 2)), (("ada", "bert"), (1, 2), {1})], DRAWS)
    ada, bert = update([Rating(), Rating()], (1, 2), DRAWS)
    assert (found["ada"], found["bert"]) == update([ada, bert], (1, 2), DRAWS, absent={1})
    assert found["ada"] == ada
