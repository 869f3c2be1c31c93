import pytest

from arena.core.errors import Terminated
from arena.match import MatchEnd, SeatEnd, play_local


def first(match, decision) -> int:
    return 0


def raising(match, decision) -> int:
    raise RuntimeError("out of ideas")


def leaving(match, decision) -> int:
    raise SystemExit(3)


def test_choosers_play_a_match_to_its_end(setup_of) -> None:
    assert play_local(setup_of(3), [first] * 3).result.end is MatchEnd.COMPLETED


@pytest.mark.parametrize("broken", [raising, leaving])
def test_a_chooser_that_raises_has_crashed_and_is_reported(setup_of, broken) -> None:
    told = []
    match = play_local(
        setup_of(2), [first, broken], crashed=lambda decision, fault: told.append((decision.seat, fault))
    )
    assert match.result.seat_ends == (SeatEnd.PLAYED, SeatEnd.CRASHED)
    assert [seat for seat, _ in told] == [1]


def test_a_chooser_outside_the_list_forfeits_as_illegal(setup_of) -> None:
    match = play_local(setup_of(2), [first, lambda match, decision: 99])
    assert match.result.seat_ends[1] is SeatEnd.ILLEGAL_ACTION


def test_an_interrupt_passes_through(setup_of) -> None:
    def stop(match, decision) -> int:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_local(setup_of(2), [stop, stop])


def test_think_times_come_from_the_clock_that_is_given(setup_of, lines_of) -> None:
    ticks = iter(range(0, 10_000, 7))
    match = play_local(setup_of(2), [first] * 2, now_ms=lambda: next(ticks))
    times = [line["meta"]["think_ms"] for line in lines_of(match) if "think_ms" in line.get("meta", {})]
    assert set(times) == {7}


def test_every_seat_needs_a_chooser(setup_of) -> None:
    with pytest.raises(ValueError, match="2 seats"):
        play_local(setup_of(2), [first])


def test_a_program_told_to_end_while_a_bot_thinks_ends_and_forfeits_nobody(setup_of) -> None:
    def told_to_end(match, decision) -> int:
        raise Terminated(143)

    told = []
    with pytest.raises(Terminated):
        play_local(setup_of(2), [first, told_to_end], crashed=lambda *crash: told.append(crash))
    assert told == []
