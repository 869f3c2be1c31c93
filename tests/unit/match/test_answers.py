from arena.core import Seat
from arena.match import Match, SeatEnd
from arena.match.answers import count_answers


def play(match: Match, choices: int) -> list[int]:
    """Answer so many decisions; return how many were each seat's."""
    asked = [0, 0]
    for _ in range(choices):
        asked[match.decision.seat] += 1
        match.answer(match.decision.ply, 0)
    return asked


def test_every_choice_counts_for_the_seat_that_made_it(started) -> None:
    match = started(2)
    asked = play(match, 7)
    assert count_answers(match.log_text(), 2) == tuple(asked)


def test_plies_made_without_asking_are_no_choices(started, finish) -> None:
    match = started(3)
    match.forfeit({Seat(1): SeatEnd.CRASHED})
    finish(match)
    assert count_answers(match.log_text(), 3)[1] == 0


def test_the_turn_at_which_a_seat_fails_is_no_choice(started) -> None:
    match = started(2)
    match.forfeit({match.decision.seat: SeatEnd.TIMEOUT}, think_ms=900, charged_ms=900)
    assert count_answers(match.log_text(), 2) == (0, 0)
