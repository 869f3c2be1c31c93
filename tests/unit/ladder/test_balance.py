import pytest

from arena.ladder.balance import Planned, Share, Spread, balance
from arena.ladder.pairing import round_robin


def planned(entrants, seats, deals):
    return [Planned(block.deal, leg) for block in round_robin(entrants, seats, deals) for leg in block.legs]


def test_seats_deals_and_meetings_are_counted_per_entrant():
    found = balance("abc", 2, [Planned(1, "ab"), Planned(1, "ba"), Planned(2, "ac")])
    assert found.shares["a"] == Share(seats=(2, 1), deals=2, fewest=1, most=2)
    assert found.shares["c"] == Share(seats=(0, 1), deals=1, fewest=0, most=1)
    assert found.shares["a"].matches == 3


def test_the_spreads_tell_the_least_and_the_most():
    found = balance("abc", 2, [Planned(1, "ab"), Planned(1, "ba"), Planned(2, "ac")])
    assert (found.matches, found.seats) == (Spread(1, 3), Spread(0, 2))
    assert (found.pairs, found.deals) == (Spread(0, 2), Spread(1, 2))


@pytest.mark.parametrize("entrants", [2, 3, 5, 8])
def test_a_round_robin_of_pairs_is_even_in_everything(entrants):
    found = balance(range(entrants), 2, planned(entrants, 2, 3))
    assert found.pairs == Spread(6, 6)
    for spread in (found.matches, found.seats, found.deals):
        assert spread.fewest == spread.most


def test_nothing_planned_is_even():
    assert balance("ab", 2, []).matches == Spread(0, 0)
    assert balance("", 2, []).pairs == Spread(0, 0)
