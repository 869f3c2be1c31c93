import pytest

from arena.core.errors import BadClock
from arena.match import Bank, Clock, clock_text


def test_a_clock_reads_its_four_durations() -> None:
    clock = Clock.parse("10s+0.1s,start=2m,margin=50ms")
    assert clock == Clock(bank_ms=10_000, increment_ms=100, start_ms=120_000, margin_ms=50)


def test_start_and_margin_have_defaults() -> None:
    assert Clock.parse("1s+0s") == Clock(bank_ms=1000, increment_ms=0, start_ms=10_000, margin_ms=50)


def test_none_is_no_clock() -> None:
    assert Clock.parse("none") is None
    assert clock_text(None) == "none"


@pytest.mark.parametrize(
    "text", ["10s+0.1s,start=10s,margin=50ms", "0s+0s,start=1ms,margin=0s", "123ms+4.5s,start=1s,margin=2s"]
)
def test_a_clock_is_written_as_it_is_read(text: str) -> None:
    assert str(Clock.parse(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "10s",
        "10+0.1",
        "10s+0.1s,begin=1s",
        "10s+0.1s,start=1s,start=2s",
        "-1s+0s",
        "0.0001s+0s",
        "99999999s+0s",
        "10s+1s,",
        "None",
        f"{'9' * 5000}s+0s",
        f"1.{'9' * 5000}s+0s",
        f"10s+0s,{'x' * 5000}",
        "\u0661s+0s",
        "10s\x1b[2J+0s",
    ],
)
def test_another_notation_is_refused_with_the_way_out(text: str) -> None:
    with pytest.raises(BadClock) as refusal:
        Clock.parse(text)
    assert repr(text)[:50] in refusal.value.message
    assert refusal.value.message.isprintable()
    assert len(refusal.value.message) < 300


def bank(text: str) -> Bank:
    clock = Clock.parse(text)
    assert clock is not None
    return Bank(clock)


def started_bank(text: str = "1s+0s,start=5s,margin=50ms") -> Bank:
    seat = bank(text)
    seat.charge(0)
    return seat


def test_the_first_answer_costs_the_bank_nothing() -> None:
    seat = bank("1s+0.1s,start=5s,margin=50ms")
    assert seat.charge(4000) == 0
    assert seat.remaining_ms == 1000


def test_a_first_answer_just_under_its_limit_is_in_time() -> None:
    seat = bank("1s+0s,start=5s,margin=50ms")
    seat.charge(5050)
    assert not seat.flagged


def test_a_first_answer_just_over_its_limit_is_late() -> None:
    seat = bank("1s+0s,start=5s,margin=50ms")
    assert seat.charge(5051) == 5001
    assert seat.flagged


def test_the_margin_is_free_in_every_move() -> None:
    seat = started_bank()
    assert [seat.charge(50), seat.charge(51), seat.charge(50)] == [0, 1, 0]
    assert seat.remaining_ms == 999


def test_the_measurers_own_delay_is_free() -> None:
    assert started_bank().charge(500, lag_ms=300) == 150


def test_a_bank_may_reach_zero() -> None:
    seat = started_bank()
    seat.charge(1050)
    assert (seat.remaining_ms, seat.flagged) == (0, False)


def test_a_bank_below_zero_is_flagged() -> None:
    seat = started_bank()
    seat.charge(1051)
    assert (seat.remaining_ms, seat.flagged) == (-1, True)


def test_the_increment_comes_after_the_move_and_saves_nobody() -> None:
    seat = started_bank("1s+0.5s,start=5s,margin=0s")
    seat.charge(1000)
    assert seat.remaining_ms == 500
    seat.charge(501)
    assert seat.flagged


def test_the_deadline_is_the_first_millisecond_that_is_late() -> None:
    seat = bank("1s+0s,start=5s,margin=50ms")
    assert seat.deadline_ms == 5051
    seat.charge(0)
    assert seat.deadline_ms == 1051
    seat.charge(seat.deadline_ms - 1)
    assert not seat.flagged
    seat.charge(seat.deadline_ms)
    assert seat.flagged
