"""What is said and drawn around a game's own drawing."""

import pytest
from rich.console import Console

from arena.cli.human.screen import Cast, story, verdict
from arena.core.seat import Seat
from arena.match.result import MatchEnd, MatchResult, SeatEnd

PLAYED, RESIGNED, TIMEOUT = SeatEnd.PLAYED, SeatEnd.RESIGNED, SeatEnd.TIMEOUT


def result(ranks: tuple[int, ...], *ends: SeatEnd) -> MatchResult:
    return MatchResult(MatchEnd.COMPLETED, ends or (PLAYED,) * len(ranks), ranks, (None,) * len(ranks), "points", 9)


@pytest.mark.parametrize(
    ("out", "words"),
    [
        (result((1, 2)), "You won."),
        (result((2, 1)), "You lost."),
        (result((1, 1)), "You share the victory."),
        (result((2, 1, 3)), "You have rank 2 of 3."),
        (result((2, 1, 2)), "You share rank 2 of 3."),
        (result((1,)), "You won."),
        (result((2,)), "You lost."),
        (result((2, 1), RESIGNED, PLAYED), "You resigned. You lost."),
        (result((3, 1, 2), TIMEOUT, PLAYED, PLAYED), "Your time ran out. You have rank 3 of 3."),
        (result((0, 0)), "The match does not count: points."),
    ],
)
def test_a_person_is_told_how_it_came_out(out: MatchResult, words: str) -> None:
    assert verdict(out, Seat(0)) == words


def told(lines: list[str], **limits: object) -> list[str]:
    console = Console(width=60, no_color=True, highlight=False)
    with console.capture() as capture:
        console.print(story(lines, Cast(("human", "greedy"), Seat(0)), 60, **limits))
    return [line.rstrip() for line in capture.get().splitlines()]


def test_the_actor_of_each_line_stands_apart() -> None:
    lines = ["winter comes", "seat 1 attacks seat 0", "seat 0 flees"]
    assert told(lines) == ["          winter comes", "1 greedy  attacks seat 0", "0 you     flees"]


def test_the_last_of_many_lines_are_kept() -> None:
    kept = told([f"seat 1 plays {number}" for number in range(9)], most=3, more="type log")
    assert kept[0] == "          (6 earlier lines: type log)"
    assert kept[1:] == ["1 greedy  plays 6", "1 greedy  plays 7", "1 greedy  plays 8"]


def test_a_line_too_long_for_the_limit_is_kept_all_the_same() -> None:
    assert "word" in told(["seat 1 " + "word " * 60], most=3, more="type log")[0]


def test_nothing_told_says_so() -> None:
    assert told([]) == ["          nothing yet"]
