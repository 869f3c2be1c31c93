from random import Random

import pytest

from arena.ladder.rating import BETA, HOUSE, MU, SIGMA, Rating, update
from arena.ladder.reliability import Rated, expected, reliability


def test_equals_are_expected_to_share_the_points():
    share, tie = expected(Rating(30, 1), Rating(30, 5), 0.1)
    assert share == pytest.approx(0.5)
    assert 0 < tie < 0.1


def test_players_of_known_equal_strength_tie_as_often_as_the_draw_probability_says():
    assert expected(Rating(25, 1e-9), Rating(25, 1e-9), 0.23)[1] == pytest.approx(0.23)


def test_a_difference_of_beta_is_a_chance_of_76_percent_between_known_strengths():
    share, tie = expected(Rating(MU + BETA, 1e-9), Rating(MU, 1e-9), 1e-12)
    assert share == pytest.approx(0.7602, abs=1e-4)
    assert tie == pytest.approx(0, abs=1e-9)


def test_both_sides_expectations_are_one_together():
    one, other = Rating(31, 2), Rating(20, 4)
    assert expected(one, other, 0.1)[0] + expected(other, one, 0.1)[0] == pytest.approx(1)


def test_pairs_are_seen_from_the_favourite():
    strong, weak = Rating(30, 1), Rating(25, 1)
    for before, ranks in (([strong, weak], (1, 2)), ([weak, strong], (2, 1))):
        found = reliability([Rated(1, before, ranks)], 0.1)
        assert (found.matches, found.pairs, len(found.bins)) == (1, 1, 1)
        assert found.bins[0].observed.mean == 1
        assert found.bins[0].predicted == pytest.approx(expected(strong, weak, 0.1)[0])


def test_three_seats_make_three_pairs_and_one_meets_the_house():
    three = reliability([Rated(1, [Rating()] * 3, (1, 1, 3))], 0.1)
    assert (three.pairs, three.observed_ties) == (3, pytest.approx(1 / 3))
    alone = reliability([Rated(1, [Rating(40, 1)], (1,))], 0.0)
    assert alone.bins[0].predicted == pytest.approx(expected(Rating(40, 1), HOUSE, 0.0)[0])
    assert alone.bins[0].observed.mean == 1


def test_nothing_played_predicts_nothing():
    found = reliability([], 0.1)
    assert (found.matches, found.bins, found.brier) == (0, (), 0)


def test_matches_of_one_block_are_less_sure_than_matches_of_several():
    alike = [((1, 2), 1), ((1, 2), 1), ((2, 1), 2), ((2, 1), 2)] * 5
    together = [Rated(block + 10 * number, [Rating()] * 2, ranks) for number, (ranks, block) in enumerate(alike)]
    clustered = [Rated(number // 2, [Rating()] * 2, ranks) for number, (ranks, _) in enumerate(alike)]
    apart, close = reliability(together, 0.1).bins[0].observed, reliability(clustered, 0.1).bins[0].observed
    assert close.high - close.low > apart.high - apart.low


def test_ratings_of_players_that_play_as_the_model_says_are_reliable():
    stream = Random(5)
    skill = {name: stream.gauss(MU, SIGMA) for name in range(12)}
    ratings, matches = {}, []
    for number in range(1500):
        players = stream.sample(range(12), 2)
        shown = [stream.gauss(skill[player], BETA) for player in players]
        margin = 0.74  # ties of a tenth between equals
        ranks = (1, 1) if abs(shown[0] - shown[1]) < margin else ((1, 2) if shown[0] > shown[1] else (2, 1))
        before = [ratings.get(player, Rating()) for player in players]
        ratings.update(zip(players, update(before, ranks, 0.1), strict=True))
        matches.append(Rated(number, before, ranks))
    found = reliability(matches, 0.1)
    assert found.predicted_ties == pytest.approx(found.observed_ties, abs=0.03)
    held = sum(each.pairs for each in found.bins if each.observed.low <= each.predicted <= each.observed.high)
    assert held / found.pairs > 0.7
    assert found.brier < 0.2
