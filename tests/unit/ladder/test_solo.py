import math

import pytest

from arena.ladder.solo import SoloGame, mean_difference, paired, won_difference


def game(deal, player, *, won, score, played=True):
    return SoloGame(deal, player, played, won, score)


def test_two_players_are_compared_deal_by_deal():
    games = [
        game(1, "a", won=True, score=20),
        game(1, "b", won=False, score=15),
        game(2, "a", won=True, score=18),
        game(2, "b", won=True, score=19),
    ]
    pair = paired(["a", "b"], games)["a", "b"]
    assert (pair.deals, pair.left_out) == (2, 0)
    assert pair.won.mean == pytest.approx(0.5)
    assert pair.score.mean == pytest.approx(2.0)


def test_a_deal_only_one_has_played_so_far_says_nothing():
    games = [game(1, "a", won=True, score=9), game(2, "b", won=True, score=9)]
    assert paired(["a", "b"], games) == {}


def test_a_deal_that_one_forfeited_is_left_out_and_counted():
    games = [
        game(1, "a", won=True, score=9),
        game(1, "b", won=False, score=2),
        game(2, "a", won=True, score=9),
        game(2, "b", won=False, score=0, played=False),
    ]
    pair = paired(["a", "b"], games)["a", "b"]
    assert (pair.deals, pair.left_out) == (1, 1)
    assert pair.score.mean == 7


def test_a_player_without_a_score_has_kept_nothing():
    games = [game(1, "a", won=False, score=None), game(1, "b", won=False, score=12)]
    assert paired(["a", "b"], games)["a", "b"].score.mean == -12


def test_every_pair_is_seen_from_the_one_named_first():
    games = [game(1, player, won=player == "c", score=3) for player in "abc"]
    found = paired(["c", "a", "b"], games)
    assert list(found) == [("c", "a"), ("c", "b"), ("a", "b")]
    assert found["c", "a"].won.mean == 1
    assert found["a", "b"].won.mean == 0


def test_the_interval_of_scores_is_that_of_paired_observations():
    found = mean_difference([2, 4, 6])
    # Standard deviation 2 over three deals, t = 4.303 with two degrees of freedom.
    assert found.mean == 4
    assert found.high == pytest.approx(4 + 4.303 * 2 / math.sqrt(3))
    assert found.low == pytest.approx(4 - 4.303 * 2 / math.sqrt(3))


def test_one_deal_gives_no_interval_of_scores():
    assert mean_difference([5]).low is None


def test_the_interval_of_wins_does_not_collapse_when_all_deals_agree():
    found = won_difference([0] * 20)
    assert found.mean == 0
    assert found.low < 0 < found.high
    assert won_difference([1] * 20).high == 1


def test_pairing_takes_the_luck_of_the_deals_out_of_the_difference():
    scores = [5, 25, 10, 30, 2, 18]
    games = [game(deal, "a", won=True, score=score + 1) for deal, score in enumerate(scores)]
    games += [game(deal, "b", won=True, score=score) for deal, score in enumerate(scores)]
    found = paired(["a", "b"], games)["a", "b"].score
    assert (found.low, found.high) == (1, 1)
