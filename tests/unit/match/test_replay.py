from collections.abc import Callable

import pytest

from arena.core import Seat
from arena.core.errors import UsageError
from arena.match import Match, SeatEnd
from arena.match.entries import Ply
from arena.match.log import BrokenLog
from arena.match.replay import Replay


@pytest.fixture
def watched(started) -> tuple[Match, dict[int, tuple[Seat, bytes]]]:
    """A finished match, and for every asked ply who was asked and the bytes of the turn."""
    match = started(3)
    turns = {}
    while match.decision is not None:
        ask = match.decision
        turns[ask.ply] = (ask.seat, match.turn(ask.seat))
        match.answer(ask.ply, len(ask.legal) // 2)
    return match, turns


@pytest.fixture
def replay_of(opened) -> Callable[[Match], Replay]:
    return lambda match: Replay(opened(match.log_text()))


def test_a_position_shows_a_seat_exactly_what_it_was_sent(watched, replay_of) -> None:
    match, turns = watched
    replay = replay_of(match)
    for ply, (seat, turn) in turns.items():
        replay.seek(ply)
        body = replay.game.turn(replay.view(seat), replay.choices(seat))
        assert body.SerializeToString(deterministic=True) == turn


def test_stepping_back_shows_the_same_again(watched, replay_of) -> None:
    match, _ = watched
    replay = replay_of(match)
    replay.seek(12)
    before = replay.view(Seat(0))
    replay.seek(replay.plies)
    replay.seek(12)
    assert replay.view(Seat(0)) == before


def test_the_last_position_is_the_end(watched, replay_of) -> None:
    match, _ = watched
    replay = replay_of(match)
    replay.seek(replay.plies)
    assert replay.to_act is None
    assert replay.view(Seat(1)) == match.view(Seat(1))
    assert replay.result == match.result


def test_nobody_is_shown_the_choices_of_another_seat(watched, replay_of) -> None:
    match, turns = watched
    replay = replay_of(match)
    ply, (seat, _) = next(iter(turns.items()))
    replay.seek(ply)
    assert replay.choices(seat)
    assert replay.choices(Seat((seat + 1) % 3)) == ()
    assert replay.choices(None) == ()


def test_the_steps_of_a_seat_carry_every_event_it_was_shown(watched, replay_of) -> None:
    match, _ = watched
    seat = Seat(1)
    stepped = [event for step in replay_of(match).steps(seat) for event in step.events]
    shown = match.history(seat) + list(match.view(seat).events)
    # What a turn repeats of the seat's own last choice was told in the step of that choice.
    assert [event for event in shown if event in stepped] == shown


def test_the_public_steps_hide_what_a_seat_chose_in_secret(watched, replay_of) -> None:
    match, _ = watched
    for step in replay_of(match).steps(None):
        if isinstance(step.line.entry, Ply) and step.line.entry.action.startswith(("play", "deal")):
            secret = [event for event in step.events if event.kind in {1, 3}]
            assert all(event.value == 0 for event in secret)


def test_an_incomplete_log_is_shown_as_far_as_it_goes(watched, opened) -> None:
    match, _ = watched
    text = match.log_text()
    replay = Replay(opened(text[: len(text) // 2]))
    assert not replay.complete
    assert replay.result is None
    replay.seek(replay.plies)
    assert 0 < replay.plies < match.result.plies


def test_a_match_with_a_forfeit_is_shown_to_its_end(started, finish, replay_of) -> None:
    match = started(3)
    match.forfeit({Seat(0): SeatEnd.TIMEOUT})
    finish(match)
    replay = replay_of(match)
    replay.seek(replay.plies)
    assert replay.view(None) == match.view(None)


@pytest.mark.parametrize("ply", [-1, 10_000])
def test_a_ply_outside_the_log_is_refused(watched, replay_of, ply: int) -> None:
    with pytest.raises(UsageError, match="the log has 0 to"):
        replay_of(watched[0]).seek(ply)


@pytest.mark.parametrize("seat", [-1, 3])
def test_a_seat_outside_the_match_is_refused(watched, replay_of, seat: int) -> None:
    with pytest.raises(UsageError, match="the match has 0 to 2"):
        replay_of(watched[0]).view(Seat(seat))


def test_a_changed_log_is_not_shown(watched, opened) -> None:
    text = watched[0].log_text().replace('"action":"deal', '"action":"peel', 1)
    with pytest.raises(BrokenLog):
        Replay(opened(text))


def test_an_empty_log_is_called_broken(opened) -> None:
    with pytest.raises(BrokenLog, match="header"):
        Replay(opened(b""))
