import pytest

from arena.ladder.standings import (
    HeadToHead,
    Played,
    Thinking,
    head_to_head,
    places,
    points_of,
    share_intervals,
    standings,
)
from arena.ladder.stats import interval
from arena.match.result import MatchEnd, SeatEnd

PLAYED = SeatEnd.PLAYED


def match(*ranks, players="abcde", end=MatchEnd.COMPLETED, ends=None):
    return Played(end, players[: len(ranks)], ranks, ends or (PLAYED,) * len(ranks))


@pytest.mark.parametrize(
    ("ranks", "points"),
    [
        ((1, 2), (1, 0)),
        ((1, 1), (0.5, 0.5)),
        ((3, 1, 2), (0, 1, 0.5)),
        ((1, 1, 3), (0.75, 0.75, 0)),
        ((1, 2, 2, 4), (1, 0.5, 0.5, 0)),
        ((1, 1, 1, 1, 1), (0.5,) * 5),
        ((1,), (1,)),
        ((2,), (0,)),
    ],
)
def test_points_are_the_share_of_opponents_left_behind(ranks, points):
    assert points_of(ranks) == points


def test_points_and_mean_rank_add_up():
    table = standings("ab", [match(1, 2), match(2, 1), match(1, 1)])
    assert (table["a"].points, table["a"].share, table["a"].matches) == (1.5, 0.5, 3)
    assert table["a"].mean_rank == pytest.approx(4 / 3)


def test_unrated_matches_give_no_points_but_their_seat_ends_are_shown():
    void = match(0, 0, end=MatchEnd.VOID, ends=(SeatEnd.NO_SHOW, SeatEnd.NO_SHOW))
    aborted = match(0, 0, end=MatchEnd.ABORTED, ends=(None, None))
    standing = standings("ab", [void, aborted])["a"]
    assert (standing.points, standing.matches, standing.unrated, standing.forfeits) == (0, 0, 2, 0)
    assert standing.ends == {SeatEnd.NO_SHOW: 1}


def test_a_forfeit_is_counted_whatever_its_rank():
    ends = (PLAYED, SeatEnd.TIMEOUT)
    table = standings("ab", [match(1, 2, end=MatchEnd.FORFEIT, ends=ends)])
    assert (table["a"].forfeits, table["b"].forfeits) == (0, 1)
    assert table["b"].ends == {SeatEnd.TIMEOUT: 1}


def test_who_has_played_less_does_not_stand_behind_for_it():
    table = standings("abc", [match(1, 2, players="ab"), match(1, 2, players="cb"), match(2, 1, players="cb")])
    assert places(table) == [(1, "a"), (2, "c"), (3, "b")]


def test_equal_standings_share_a_place_and_the_next_is_skipped():
    table = standings("abc", [match(1, 1), match(1, 2, players="ac"), match(1, 2, players="bc")])
    assert places(table) == [(1, "a"), (1, "b"), (3, "c")]


def test_who_has_not_played_comes_last():
    assert places(standings("abc", [match(1, 2, players="cb")])) == [(1, "c"), (2, "b"), (3, "a")]


def test_head_to_head_is_seen_from_both_sides():
    found = head_to_head([match(1, 2), match(1, 1), match(1, 2, 3), match(0, 0, end=MatchEnd.VOID)])
    assert found["a", "b"] == HeadToHead(wins=2, ties=1, losses=0)
    assert found["b", "a"] == HeadToHead(wins=0, ties=1, losses=2)
    assert found["c", "a"] == HeadToHead(wins=0, ties=0, losses=1)
    assert len(found) == 6


def test_think_times_are_summed_over_an_entrants_seats():
    first = Played(MatchEnd.COMPLETED, "ab", (1, 2), (PLAYED,) * 2, thinking=(Thinking(3, 30, 20), Thinking(2, 2, 1)))
    second = Played(MatchEnd.COMPLETED, "ba", (1, 2), (PLAYED,) * 2, thinking=(Thinking(), Thinking(1, 50, 50)))
    found = standings("ab", [first, second])
    assert found["a"].thinking == Thinking(4, 80, 50)
    assert found["a"].thinking.mean_ms == 20
    assert Thinking().mean_ms == 0


def test_a_share_has_the_interval_of_its_blocks():
    blocks = [match(1, 2), match(2, 1)] * 4 + [match(1, 2)] * 2
    numbered = [
        Played(one.end, one.players, one.ranks, one.seat_ends, number // 2) for number, one in enumerate(blocks)
    ]
    found = share_intervals(numbered)
    assert found["a"] == interval([0.5] * 4 + [1.0])
    assert found["a"].low == pytest.approx(1 - found["b"].high)


def test_differences_between_opponents_do_not_make_a_share_less_sure():
    against = {"b": (1, 2), "c": (2, 1)}  # always won against one, always lost to the other
    matches = [
        Played(MatchEnd.COMPLETED, f"a{other}", ranks, (PLAYED,) * 2, block)
        for block, (other, ranks) in enumerate(list(against.items()) * 20)
    ]
    mixed = interval([1.0, 0.0] * 20)
    found = share_intervals(matches)["a"]
    assert found.mean == 0.5
    assert found.high - found.low <= mixed.high - mixed.low


def test_unrated_matches_have_no_part_in_a_share():
    assert share_intervals([match(0, 0, end=MatchEnd.VOID)]) == {}
