import pytest

from arena.core import Seat
from arena.match import final_ranks
from arena.match.result import MatchEnd, MatchResult, SeatEnd


@pytest.mark.parametrize(
    ("seats", "ranks", "moments", "expected"),
    [
        (2, (1, 2), {}, (1, 2)),
        (2, (1, 1), {}, (1, 1)),
        (2, None, {0: 0}, (2, 1)),
        (2, None, {0: 0, 1: 0}, (1, 1)),
        (3, (1, 1, 3), {}, (1, 1, 3)),
        (3, (1, 2, 3), {0: 0}, (3, 1, 2)),
        (3, (1, 2, 2), {0: 0}, (3, 1, 1)),
        (4, (1, 2, 3, 4), {0: 0, 1: 1}, (4, 3, 1, 2)),
        (4, (1, 2, 3, 4), {0: 0, 1: 0}, (3, 3, 1, 2)),
        (5, (3, 1, 3, 1, 5), {1: 1, 3: 0}, (1, 4, 1, 5, 3)),
        (5, (3, 1, 3, 1, 5), {1: 0, 3: 0, 4: 1}, (1, 4, 1, 4, 3)),
        (3, None, {0: 0, 1: 1, 2: 1}, (3, 1, 1)),
        (1, (1,), {}, (1,)),
        (1, (2,), {}, (2,)),
        (1, (1,), {0: 0}, (2,)),
        (1, None, {0: 0}, (2,)),
    ],
)
def test_forfeits_rank_below_play_and_the_earlier_lower(
    seats: int, ranks: tuple[int, ...] | None, moments: dict[int, int], expected: tuple[int, ...]
) -> None:
    assert final_ranks(seats, ranks, {Seat(seat): at for seat, at in moments.items()}) == expected


@pytest.mark.parametrize(
    ("end", "reason", "words"),
    [
        (MatchEnd.COMPLETED, "most_points", "COMPLETED (most_points)"),
        (MatchEnd.FORFEIT, "forfeit", "FORFEIT"),
        (MatchEnd.ABORTED, "fault of the arena: OSError", "ABORTED (fault of the arena: OSError)"),
    ],
)
def test_an_ending_says_no_word_twice(end: MatchEnd, reason: str, words: str) -> None:
    assert MatchResult(end, (SeatEnd.PLAYED,), (1,), (None,), reason, 3).ending == words
