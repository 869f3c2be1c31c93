import io
from collections.abc import Callable
from dataclasses import replace

import pytest

from arena.core import CHANCE, Seat
from arena.core.errors import LogError, UnknownName
from arena.match import Match, MatchEnd, SeatEnd
from arena.match.course import Auto
from arena.match.entries import End, Entry, Forfeit, Header, Ply, Times
from arena.match.log import LogWriter, read_log
from arena.match.verify import Report, Status, verify_log


def check(entries: list[Entry], seed: bytes | None = None) -> Report:
    """Write entries as a log whose hashes all fit, as a forger would, and verify it."""
    writer = LogWriter()
    for entry in entries:
        writer.add(entry)
    return verify_log(io.BytesIO(writer.text().encode()), seed)


def entries_of(match: Match) -> list[Entry]:
    return [line.entry for line in read_log(io.BytesIO(match.log_text().encode()))]


@pytest.fixture
def played(started, finish) -> list[Entry]:
    return entries_of(finish(started(3)))


@pytest.fixture
def timed(started) -> Callable[..., Match]:
    """A started match with a bank of 1 s, no increment, start 5 s and margin 50 ms; every seat has answered once."""

    def make(increment: str = "0s") -> Match:
        match = started(2, clock=f"1s+{increment},start=5s,margin=50ms")
        for _ in range(2):
            match.answer(match.decision.ply, 0, think_ms=40, charged_ms=0)
        return match

    return make


def where(entries: list[Entry], wanted: Callable[[Entry], bool]) -> int:
    return next(number for number, entry in enumerate(entries) if wanted(entry))


def is_asked(entry: Entry) -> bool:
    return isinstance(entry, Ply) and entry.times is not None


def is_chance(entry: Entry) -> bool:
    return isinstance(entry, Ply) and entry.actor is CHANCE


def only_finding(report: Report) -> tuple[int, str]:
    assert report.status is Status.BROKEN
    assert len(report.findings) == 1
    return report.findings[0].line, report.findings[0].why


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_a_played_match_is_true(started, finish, seats: int) -> None:
    report = check(entries_of(finish(started(seats))))
    assert report.status is Status.OK
    assert report.findings == ()
    assert report.chance_checked
    assert len(report.digest) == 64


def test_a_match_with_forfeits_is_true(started, finish) -> None:
    match = started(4)
    match.forfeit({Seat(2): SeatEnd.NO_SHOW})
    match.answer(match.decision.ply, 0)
    match.forfeit({Seat(0): SeatEnd.CRASHED, Seat(3): SeatEnd.DISCONNECTED})
    assert check(entries_of(finish(match))).status is Status.OK


@pytest.mark.parametrize("seats", [1, 2, 3])
def test_an_aborted_match_is_true(started, seats: int) -> None:
    match = started(seats)
    match.abort("cap")
    report = check(entries_of(match))
    assert (report.status, report.result.end) == (Status.OK, MatchEnd.ABORTED)


def test_a_void_match_is_true(started) -> None:
    match = started(2)
    match.forfeit({Seat(0): SeatEnd.NO_SHOW, Seat(1): SeatEnd.NO_SHOW})
    assert check(entries_of(match)).status is Status.OK


def test_a_log_without_its_result_is_incomplete_where_it_ends(played) -> None:
    report = check(played[:10])
    assert report.status is Status.INCOMPLETE
    assert [finding.line for finding in report.findings] == [10]


def test_an_action_that_was_not_legal_is_found(played) -> None:
    at = where(played, is_asked)
    why = []
    for card in range(1, 6):
        forged = [*played]
        forged[at] = replace(played[at], action=f"play {card}")
        why += [(finding.line, finding.why) for finding in check(forged).findings if "not legal" in finding.why]
    assert why
    assert {line for line, _ in why} == {at + 1}


def test_an_action_of_no_game_is_found(played) -> None:
    at = where(played, is_asked)
    played[at] = replace(played[at], action="jump")
    line, why = only_finding(check(played))
    assert (line, "'jump'" in why) == (at + 1, True)


def test_luck_that_the_seed_does_not_give_is_found(played) -> None:
    at = where(played, is_chance)
    played[at] = replace(played[at], action="deal 5" if played[at].action != "deal 5" else "deal 4")
    line, why = only_finding(check(played))
    assert (line, "the seed gives" in why) == (at + 1, True)


def test_a_changed_seed_is_found_at_the_first_luck_that_differs(played) -> None:
    played[0] = replace(played[0], seed=bytes(16))
    line, why = only_finding(check(played))
    assert line > 1
    assert "the seed gives" in why


def test_a_log_without_seed_is_checked_by_the_one_given(played) -> None:
    seed = played[0].seed
    played[0] = replace(played[0], seed=None)
    assert not check(played).chance_checked
    assert check(played).status is Status.OK
    assert check(played, seed).chance_checked
    assert check(played, seed).status is Status.OK
    assert check(played, bytes(16)).status is Status.BROKEN


def test_a_log_with_another_seed_than_the_one_given_is_found(played) -> None:
    assert only_finding(check(played, bytes(16)))[0] == 1


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("ranks", (1, 1, 1)),
        ("scores", (9, 9, 9)),
        ("end", MatchEnd.FORFEIT),
        ("reason", "luck"),
        ("plies", 3),
        ("seat_ends", (SeatEnd.PLAYED, SeatEnd.PLAYED, SeatEnd.CRASHED)),
    ],
)
def test_a_result_the_rules_do_not_give_is_found(played, field: str, value: object) -> None:
    played[-1] = End(replace(played[-1].result, **{field: value}))
    line, why = only_finding(check(played))
    assert line == len(played)
    assert why.startswith(field)


def test_a_match_that_was_not_over_is_found(played) -> None:
    line, why = only_finding(check([*played[:20], played[-1]]))
    assert (line, "not over" in why) == (21, True)


def test_a_finished_match_called_aborted_is_found(played) -> None:
    played[-1] = End(replace(played[-1].result, end=MatchEnd.ABORTED, ranks=(0, 0, 0), scores=(None, None, None)))
    assert only_finding(check(played))[0] == len(played)


def test_a_ply_of_the_wrong_seat_is_found(played) -> None:
    at = where(played, is_asked)
    played[at] = replace(played[at], actor=Seat((played[at].actor + 1) % 3))
    assert only_finding(check(played))[0] == at + 1


def test_a_ply_with_the_wrong_number_is_found(played) -> None:
    played[4] = replace(played[4], ply=7)
    assert only_finding(check(played))[0] == 5


@pytest.mark.parametrize("auto", ["forced", "default"])
def test_an_asked_ply_called_automatic_is_found(played, auto: str) -> None:
    at = where(played, is_asked)
    played[at] = replace(played[at], auto=Auto(auto), times=None)
    assert only_finding(check(played))[0] == at + 1


def test_an_asked_ply_without_times_is_found(played) -> None:
    at = where(played, is_asked)
    played[at] = replace(played[at], times=None)
    assert only_finding(check(played))[0] == at + 1


def test_a_forfeited_seat_that_does_not_play_its_default_is_found(started, finish) -> None:
    match = started(3)
    match.forfeit({Seat(0): SeatEnd.CRASHED})
    entries = entries_of(finish(match))
    at = where(entries, lambda entry: isinstance(entry, Ply) and entry.auto is not None)
    others = [action for action in match.game.actions.texts if action.startswith("play")]
    for other in others:
        forged = [*entries]
        forged[at] = replace(entries[at], action=other)
        report = check(forged)
        if "that must be" in report.findings[0].why:
            assert report.findings[0].line == at + 1
            return
    raise AssertionError("no other action was legal")


def test_a_forfeit_left_out_is_found(started, finish) -> None:
    match = started(3)
    match.forfeit({Seat(0): SeatEnd.CRASHED})
    entries = entries_of(finish(match))
    del entries[where(entries, lambda entry: isinstance(entry, Forfeit))]
    assert check(entries).status is Status.BROKEN


def test_a_forfeit_that_comes_twice_is_found(started, finish) -> None:
    match = started(3)
    match.forfeit({Seat(0): SeatEnd.CRASHED})
    entries = entries_of(finish(match))
    at = where(entries, lambda entry: isinstance(entry, Forfeit))
    line, _ = only_finding(check([*entries[: at + 1], *entries[at:]]))
    assert line == at + 2


def test_a_forfeit_of_no_seat_is_found(played) -> None:
    at = where(played, is_asked)
    forged = [*played[:at], Forfeit(played[at].ply, {Seat(7): SeatEnd.CRASHED}), *played[at:]]
    assert only_finding(check(forged))[0] == at + 1


# Clocks


def test_a_bank_used_up_exactly_is_true(timed, finish) -> None:
    match = timed()
    match.answer(match.decision.ply, 0, think_ms=1050, charged_ms=1000)
    assert check(entries_of(finish(match))).status is Status.OK


def test_a_seat_that_plays_on_with_its_bank_below_zero_is_found(timed, finish) -> None:
    match = timed()
    match.answer(match.decision.ply, 0, think_ms=1051, charged_ms=1001)
    entries = entries_of(finish(match))
    at = where(entries, lambda entry: is_asked(entry) and entry.times.charged_ms == 1001)
    assert any(finding.line == at + 1 for finding in check(entries).findings)


def test_the_increment_is_counted(timed, finish) -> None:
    match = timed("0.5s")
    seat = match.decision.seat
    match.answer(match.decision.ply, 0, think_ms=1050, charged_ms=1000)
    while match.decision.seat != seat:
        match.answer(match.decision.ply, 0, think_ms=0)
    match.answer(match.decision.ply, 0, think_ms=550, charged_ms=500)
    assert check(entries_of(finish(match))).status is Status.OK


@pytest.mark.parametrize(("charged_ms", "status"), [(1000, Status.BROKEN), (1001, Status.OK)])
def test_a_timeout_needs_more_than_the_bank(timed, charged_ms: int, status: Status) -> None:
    match = timed()
    match.forfeit({match.decision.seat: SeatEnd.TIMEOUT}, think_ms=charged_ms + 50, charged_ms=charged_ms)
    assert check(entries_of(match)).status is status


@pytest.mark.parametrize(("charged_ms", "status"), [(5000, Status.BROKEN), (5001, Status.OK)])
def test_a_timeout_of_a_first_answer_needs_more_than_the_start(started, charged_ms: int, status: Status) -> None:
    match = started(2, clock="1s+0s,start=5s,margin=50ms")
    match.forfeit({match.decision.seat: SeatEnd.TIMEOUT}, think_ms=charged_ms + 50, charged_ms=charged_ms)
    assert check(entries_of(match)).status is status


def test_a_timeout_of_a_seat_that_is_not_asked_is_found(timed) -> None:
    match = timed()
    match.forfeit({Seat(1 - match.decision.seat): SeatEnd.TIMEOUT}, think_ms=2000, charged_ms=1950)
    assert "without being asked" in check(entries_of(match)).findings[0].why


def test_a_timeout_without_a_clock_is_found(started) -> None:
    match = started(2)
    match.forfeit({match.decision.seat: SeatEnd.TIMEOUT}, think_ms=2000, charged_ms=1950)
    assert "without a clock" in check(entries_of(match)).findings[0].why


@pytest.mark.parametrize("times", [Times(100, 60), Times(10, 1)])
def test_a_charge_above_what_was_thought_is_found(timed, finish, times: Times) -> None:
    match = timed()
    match.answer(match.decision.ply, 0, think_ms=times.think_ms, charged_ms=times.charged_ms)
    assert "was charged" in check(entries_of(finish(match))).findings[0].why


def test_a_charge_for_a_first_answer_in_time_is_found(started, finish) -> None:
    match = started(2, clock="1s+0s,start=5s,margin=50ms")
    match.answer(match.decision.ply, 0, think_ms=150, charged_ms=100)
    assert "first answer" in check(entries_of(finish(match))).findings[0].why


def test_a_charge_without_a_clock_is_found(started, finish) -> None:
    match = started(2)
    match.answer(match.decision.ply, 0, think_ms=150, charged_ms=100)
    assert "without a clock" in check(entries_of(finish(match))).findings[0].why


# Headers


@pytest.mark.parametrize(
    "change",
    [
        {"variant": "nonsense"},
        {"variant": "solo"},
        {"clock": "soon"},
        {"clock": "10s+0s"},
        {"components": "0" * 64},
        {"components_text": "nonsense = 1"},
    ],
)
def test_a_header_that_does_not_fit_the_game_is_found(played, change: dict) -> None:
    played[0] = replace(played[0], **change)
    assert only_finding(check(played))[0] == 1


def test_a_log_of_other_rules_says_what_to_do(played) -> None:
    played[0] = replace(played[0], rules=99)
    with pytest.raises(LogError, match="rules version 99") as refusal:
        check(played)
    assert refusal.value.code == "OTHER_RULES_VERSION"


def test_a_log_of_an_unknown_game_lists_what_is_installed(played) -> None:
    assert isinstance(played[0], Header)
    played[0] = replace(played[0], game="no-such-game")
    with pytest.raises(UnknownName, match="icefall"):
        check(played)
