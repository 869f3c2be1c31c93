"""Designs for three to five seats: level pair counts, proved for every number of entrants up to 40."""

from collections import Counter
from itertools import combinations, islice

import pytest

from arena.ladder.designs import deals_of_groups

SEATS = (3, 4, 5)
EXACT = {
    3: (3, 4, 7, 9, 13, 15, 19, 21, 25, 27, 31, 33, 37, 39),
    4: (4, 5, 13, 16, 25, 28, 37, 40),
    5: (5, 6, 21, 25, 41),
}


def met_after(entrants, seats, deals):
    """How often each pair has met after each of the first deals."""
    met = Counter(dict.fromkeys(combinations(range(entrants), 2), 0))
    for groups in islice(deals_of_groups(entrants, seats), deals):
        met.update(pair for group in groups for pair in combinations(sorted(group), 2))
        yield groups, Counter(met)


@pytest.mark.parametrize(("seats", "entrants"), [(seats, n) for seats in SEATS for n in range(seats, 41)])
def test_after_every_deal_pairs_have_met_at_most_once_more_than_others_and_all_play_equally_often(entrants, seats):
    for groups, met in met_after(entrants, seats, 4):
        assert max(met.values()) - min(met.values()) <= 1
        assert min(met.values()) > 0
        played = Counter(one for group in groups for one in group)
        assert set(played) == set(range(entrants))
        assert len(set(played.values())) == 1
        assert all(len(set(group)) == seats for group in groups)


@pytest.mark.parametrize(("seats", "entrants"), [(seats, entrants) for seats in SEATS for entrants in EXACT[seats]])
def test_where_a_design_exists_every_pair_meets_equally_often_in_every_deal(seats, entrants):
    for groups, met in met_after(entrants, seats, 2):
        assert len(set(met.values())) == 1
        assert len(groups) == len(set(map(frozenset, groups)))
    if entrants != seats + 1:
        assert set(met.values()) == {2}


def test_many_deals_stay_level():
    *_, (_, met) = met_after(11, 4, 200)
    assert max(met.values()) - min(met.values()) <= 1


def test_the_groups_are_the_same_every_time():
    first, again = (list(islice(deals_of_groups(17, 5), 3)) for _ in range(2))
    assert first == again
