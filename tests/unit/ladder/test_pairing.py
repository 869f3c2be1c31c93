from collections import Counter
from itertools import combinations

import pytest

from arena.core.errors import LimitReached, UsageError
from arena.ladder.pairing import (
    MANY,
    MAX_GROUP_ENTRANTS,
    circle_pairs,
    count_gauntlet_matches,
    count_matches,
    cyclic_orders,
    gauntlet,
    round_robin,
)

SIZES = [(n, seats) for seats in (1, 2, 3, 4, 5) for n in range(seats, 14)]


def pair_counts(blocks, entrants):
    found = Counter(pair for block in blocks for pair in combinations(sorted(block.legs[0]), 2))
    return [found[pair] for pair in combinations(range(entrants), 2)]


@pytest.mark.parametrize("entrants", range(2, 20))
def test_the_circle_method_pairs_everybody_once_and_nobody_twice_in_a_round(entrants):
    pairs = list(circle_pairs(entrants))
    assert sorted(tuple(sorted(pair)) for pair in pairs) == list(combinations(range(entrants), 2))
    a_round = entrants // 2
    for start in range(0, len(pairs), a_round):
        playing = [one for pair in pairs[start : start + a_round] for one in pair]
        assert len(playing) == len(set(playing))


@pytest.mark.parametrize(("entrants", "seats"), SIZES)
def test_everybody_plays_equally_often_and_sits_in_every_seat_equally_often(entrants, seats):
    blocks = list(round_robin(entrants, seats, deals=2))
    sat = Counter((one, seat) for block in blocks for leg in block.legs for seat, one in enumerate(leg))
    assert len(sat) == entrants * seats
    assert len(set(sat.values())) == 1


@pytest.mark.parametrize(("entrants", "seats"), SIZES)
def test_the_number_of_matches_is_known_beforehand(entrants, seats):
    blocks = list(round_robin(entrants, seats, deals=3))
    assert sum(len(block.legs) for block in blocks) == count_matches(entrants, seats, 3)


@pytest.mark.parametrize(("entrants", "seats"), SIZES)
def test_all_groups_play_a_deal_before_any_plays_the_next(entrants, seats):
    deals = [block.deal for block in round_robin(entrants, seats, deals=3)]
    assert deals == sorted(deals)
    assert set(deals) == {1, 2, 3}


def test_two_seats_meet_once_a_deal_in_both_orders():
    blocks = list(round_robin(5, 2, deals=2))
    assert pair_counts(blocks, 5) == [2] * 10
    assert all(block.legs[0] == block.legs[1][::-1] for block in blocks)


def test_far_too_many_matches_are_counted_without_searching_for_them():
    assert count_matches(40, 5, 10_000) > MANY
    assert count_gauntlet_matches(1, 39, 5, 10_000) > MANY


def test_alone_everybody_plays_every_deal():
    blocks = [(block.deal, block.legs) for block in round_robin(3, 1, deals=2)]
    assert blocks == [(deal, ((one,),)) for deal in (1, 2) for one in (0, 1, 2)]


def test_a_gauntlets_heads_meet_all_the_others_in_every_seat_and_never_each_other():
    blocks = list(gauntlet(2, 5, 2, deals=3))
    met = Counter(pair for block in blocks for leg in block.legs for pair in combinations(leg, 2))
    assert met == Counter({pair: 3 for head in (0, 1) for one in range(2, 7) for pair in ((head, one), (one, head))})
    assert [block.deal for block in blocks] == sorted(block.deal for block in blocks)


@pytest.mark.parametrize(("rest", "seats"), [(rest, seats) for seats in (3, 4, 5) for rest in range(seats - 1, 12)])
def test_a_gauntlet_of_more_seats_levels_how_often_the_others_meet(rest, seats):
    blocks = list(gauntlet(1, rest, seats, deals=3))
    assert all(min(leg) == 0 and len(set(leg)) == seats for block in blocks for leg in block.legs)
    with_head = Counter(one for block in blocks for one in block.legs[0] if one)
    assert len(set(with_head.values())) == 1
    counts = pair_counts(blocks, rest + 1)[rest:]
    assert max(counts) - min(counts) <= 1
    assert sum(len(block.legs) for block in blocks) == count_gauntlet_matches(1, rest, seats, 3)


def test_a_gauntlet_without_heads_or_others_is_refused():
    for heads, rest, seats, code in (
        (0, 3, 2, "TOO_FEW_ENTRANTS"),
        (1, 0, 2, "TOO_FEW_ENTRANTS"),
        (1, 3, 1, "TOO_FEW_SEATS"),
    ):
        with pytest.raises(UsageError) as caught:
            gauntlet(heads, rest, seats, 1)
        assert caught.value.code == code


def test_a_block_holds_every_cyclic_order_and_the_mirror_image_in_odd_ones():
    assert cyclic_orders((1, 2, 3), mirrored=False) == ((1, 2, 3), (2, 3, 1), (3, 1, 2))
    assert cyclic_orders((1, 2, 3), mirrored=True) == ((3, 2, 1), (2, 1, 3), (1, 3, 2))


def test_the_same_group_is_mirrored_on_every_other_deal():
    first, second = round_robin(3, 3, deals=2)
    assert set(first.legs) | set(second.legs) == {
        (0, 1, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0), (1, 0, 2), (0, 2, 1),
    }  # fmt: skip


def test_the_schedule_is_the_same_every_time():
    assert list(round_robin(9, 4, 3)) == list(round_robin(9, 4, 3))


def test_too_few_and_too_many_entrants_are_refused():
    with pytest.raises(UsageError) as few:
        round_robin(2, 3, 1)
    assert few.value.code == "TOO_FEW_ENTRANTS"
    with pytest.raises(LimitReached):
        round_robin(MAX_GROUP_ENTRANTS + 1, 3, 1)
    with pytest.raises(UsageError):
        round_robin(0, 1, 1)
