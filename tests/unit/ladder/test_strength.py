import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from arena.ladder.strength import ELO, PRIOR, Result, fit, strengths

COUNTS = arrays.arrays(np.float64, st.integers(2, 6).map(lambda n: (n, n)), elements=st.integers(0, 40).map(float))


def block(one, other, *firsts):
    """A block of a pair; firsts: the first one's score in every leg."""
    ranks = {1: (1, 2), 0: (2, 1), 0.5: (1, 1)}
    return [Result((one, other), ranks[first]) for first in firsts]


def everybody(names, *firsts, blocks=8):
    """Blocks of all pairs, all of which end alike."""
    return [block(one, other, *firsts) for _ in range(blocks) for one, other in combinations(names, 2)]


def test_choix_finds_the_same_strengths():
    import choix

    stream = np.random.default_rng(3)
    wins = stream.integers(0, 30, (7, 7)).astype(float)
    np.fill_diagonal(wins, 0)
    # An average entrant with strength 0, whom everybody has beaten and lost to PRIOR times.
    whole = np.pad(wins, (0, 1), constant_values=PRIOR)
    whole[-1, -1] = 0
    found = choix.ilsr_pairwise_dense(whole, tol=1e-12)
    assert fit(wins, np.full((2, 7), PRIOR)) == pytest.approx(found[:-1] - found[-1], abs=1e-6)


def test_two_entrants_have_the_difference_of_their_odds():
    found = fit(np.array([[0.0, 30.0], [10.0, 0.0]]), np.full((2, 2), 1e-9))
    assert found[0] - found[1] == pytest.approx(math.log(3))


@given(COUNTS)
def test_at_the_strengths_found_everybody_has_won_as_much_as_expected(wins):
    np.fill_diagonal(wins, 0)
    found = fit(wins, np.full((2, len(wins)), PRIOR))
    likely = 1 / (1 + np.exp(found[None, :] - found[:, None]))
    expected = ((wins + wins.T) * likely).sum(1) + 2 * PRIOR / (1 + np.exp(-found))
    assert wins.sum(1) + PRIOR == pytest.approx(expected, abs=1e-6)


@given(COUNTS, st.permutations(range(6)))
def test_the_order_of_entrants_plays_no_role(wins, order):
    np.fill_diagonal(wins, 0)
    turned = [place for place in order if place < len(wins)]
    prior = np.full((2, len(wins)), PRIOR)
    assert fit(wins[np.ix_(turned, turned)], prior) == pytest.approx(fit(wins, prior)[turned], abs=1e-7)


@pytest.mark.parametrize("count", [1.0, 100.0, 1e5])
def test_who_has_won_everything_has_a_finite_strength(count):
    found = fit(np.array([[0, count, count], [0, 0, count], [0, 0, 0.0]]), np.full((2, 3), PRIOR))
    assert np.isfinite(found).all()
    assert found[0] > found[1] > found[2]


def test_many_samples_are_solved_as_each_by_itself():
    stream = np.random.default_rng(1)
    wins = stream.gamma(2, size=(5, 4, 4)) * (1 - np.eye(4))
    prior = stream.gamma(0.5, size=(5, 2, 4))
    together = fit(wins, prior)
    for number in range(5):
        assert together[number] == pytest.approx(fit(wins[number], prior[number]), abs=1e-8)


def test_strengths_are_elo_points_above_the_mean():
    found = strengths("ab", [block("a", "b", 1, 1), block("a", "b", 1, 0)] * 2000)
    assert found.of["a"].elo.mean == pytest.approx(-found.of["b"].elo.mean)
    assert found.difference("a", "b").mean == pytest.approx(ELO * math.log(3), abs=0.5)


def test_a_tie_is_half_a_win_for_both():
    found = strengths("ab", [block("a", "b", 0.5, 0.5)] * 5)
    assert found.of["a"].elo.mean == pytest.approx(0, abs=1e-6)


def test_a_match_of_several_seats_compares_every_two():
    together = [[Result("abc", (1, 2, 2))], [Result("bca", (3, 1, 2))]]
    apart = [
        [Result("ab", (1, 2)), Result("ac", (1, 2)), Result("bc", (1, 1))],
        [Result("bc", (2, 1)), Result("ba", (2, 1)), Result("ca", (1, 2))],
    ]
    assert strengths("abc", together).elo == pytest.approx(strengths("abc", apart).elo)


def test_the_order_of_blocks_does_not_move_a_strength():
    blocks = [block("a", "b", 1, 0), block("b", "c", 1, 1), block("c", "a", 0.5, 1), block("a", "c", 1, 1)]
    assert strengths("abc", blocks).elo == pytest.approx(strengths("abc", blocks[::-1]).elo)


def test_equal_seeds_give_equal_intervals():
    blocks = everybody("abc", 1, 0)
    assert strengths("abc", blocks, seed=5).of == strengths("abc", blocks, seed=5).of


def test_blocks_whose_legs_cancel_tell_more_than_blocks_whose_legs_agree():
    cancelling = strengths("ab", [block("a", "b", 1, 0)] * 40).of["a"].elo
    agreeing = strengths("ab", [block("a", "b", 1, 1), block("a", "b", 0, 0)] * 20).of["a"].elo
    assert cancelling.high - cancelling.low < (agreeing.high - agreeing.low) / 3


def test_deals_that_favour_somebody_everywhere_make_strengths_less_sure():
    blocks, deals = [], []
    for deal in range(8):
        for rival in "bcd":
            blocks.append(block("a", rival, *((1, 1) if deal % 2 else (0, 0))))
            deals.append(deal)
    apart, together = strengths("abcd", blocks).of["a"].elo, strengths("abcd", blocks, deals).of["a"].elo
    assert together.mean == apart.mean
    assert together.high - together.low > 1.5 * (apart.high - apart.low)


def test_deals_that_play_no_role_change_next_to_nothing():
    blocks = [block(one, other, 1, 0) for _ in range(10) for one, other in combinations("abcd", 2)]
    deals = [deal for deal in range(10) for _ in range(6)]
    apart, together = strengths("abcd", blocks).of["a"].elo, strengths("abcd", blocks, deals).of["a"].elo
    assert together.high - together.low < 1.6 * (apart.high - apart.low)


def test_an_entrant_without_two_blocks_may_have_any_strength_and_any_place():
    found = strengths("abcd", [*everybody("abc", 1, 1), block("a", "d", 1, 1)]).of["d"]
    assert (found.elo.low, found.elo.high) == (-math.inf, math.inf)
    assert (found.first, found.last) == (1, 4)


def test_clear_differences_give_each_a_place_of_its_own():
    found = strengths("abc", everybody("abc", 1, 1, blocks=40)).of
    assert [(found[name].first, found[name].last) for name in "abc"] == [(1, 1), (2, 2), (3, 3)]


def test_equals_may_each_have_any_place():
    found = strengths("abc", everybody("abc", 1, 0)).of
    assert [(found[name].first, found[name].last) for name in "abc"] == [(1, 3)] * 3


def test_nobody_and_nothing_are_no_fault():
    assert strengths("", []).of == {}
    alone = strengths("a", [[Result("a", (1,))]]).of["a"]
    assert (alone.elo.mean, alone.first, alone.last) == (0, 1, 1)
    assert strengths("ab", [[], []]).of["a"].blocks == 0


def test_two_hundred_entrants_are_solved_in_seconds():
    names = range(200)
    found = strengths(names, [block(one, other, 1, 0.5) for one, other in combinations(names, 2)])
    assert found.of[0].elo.mean > found.of[199].elo.mean
