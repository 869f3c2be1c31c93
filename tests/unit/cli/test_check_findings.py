"""What `arena check` concludes from matches, as far as no real one is needed to see it."""

from __future__ import annotations

import pytest

from arena.cli.check import table
from arena.cli.checking.findings import Finding, Verdict, of_all, of_breaks, of_first, plays
from arena.cli.checking.relay import Break, Seen
from arena.cli.checking.trial import Case, Ran, Trial
from arena.hosting.capture import CappedOutput
from arena.hosting.matches import HostedMatch, SeatPlay
from arena.match.clock import Clock
from arena.match.result import MatchEnd, MatchResult, SeatEnd
from arena.v1 import play_pb2

MB = 1024 * 1024
CLOCK = Clock(bank_ms=1000, increment_ms=100, start_ms=2000, margin_ms=50)


def trial(
    *,
    end: SeatEnd = SeatEnd.PLAYED,
    match_end: MatchEnd = MatchEnd.COMPLETED,
    note: str = "",
    charged: tuple[int, ...] = (0, 10),
    clock: Clock | None = CLOCK,
    seen: Seen | None = None,
    ran: Ran | None = None,
) -> Trial:
    """A match of the checked bot at seat 0 of 2."""
    result = MatchResult(match_end, (end, SeatEnd.PLAYED), (1, 2), (None, None), "why", 20)
    seats = tuple(SeatPlay(note if seat == 0 else "", charged, charged, CappedOutput()) for seat in range(2))
    usual = Seen(
        hello=play_pb2.Hello(protocol_version=1, sdk="x/1.0.0"), hello_ms=100, first_turn_ms=110, first_answer_ms=120,
        turns=2, over_ms=900,
    )  # fmt: skip
    ended = Ran(status=0, ended_ms=20, memory_bytes=60 * MB, processes=9)
    return Trial(Case("icefall", "race", 2, 0, clock), HostedMatch(result, "", seats), seen or usual, ran or ended)


def named(found: object, check: str) -> Finding:
    return next(each for each in found if each.check == check)


def test_a_bot_that_does_everything_right_has_nothing_to_mend() -> None:
    good = trial()
    found = [*of_first(good), plays(good), *of_all([good])]
    assert {each.verdict for each in found} == {Verdict.OK}
    assert not any(each.mend for each in found)


@pytest.mark.parametrize("end", [end for end in SeatEnd if end not in {SeatEnd.PLAYED, SeatEnd.REPLACED}])
def test_every_way_a_seat_can_fail_has_a_way_out(end: SeatEnd) -> None:
    finding = plays(trial(end=end, match_end=MatchEnd.FORFEIT, note="did something"))
    assert (finding.verdict, finding.what) == (Verdict.FAILED, f"{end}: did something")
    assert finding.mend


def test_a_match_that_the_arena_could_not_finish_is_not_the_bots_fault() -> None:
    finding = plays(trial(match_end=MatchEnd.ABORTED))
    assert finding.verdict is Verdict.FAILED
    assert "not the bot's fault" in finding.mend


def test_a_bank_that_was_nearly_empty_is_a_warning() -> None:
    finding = named(of_all([trial(charged=(0, 850, 0))]), "clock")
    assert (finding.verdict, "150 of 1000 ms left" in finding.what) == (Verdict.WARNING, True)
    assert named(of_all([trial(charged=(0, 700, 0))]), "clock").verdict is Verdict.OK


def test_the_first_answer_is_free_but_its_slowness_is_seen() -> None:
    slow = Seen(hello=play_pb2.Hello(protocol_version=1), hello_ms=1200, first_turn_ms=1300, first_answer_ms=1400)
    assert named(of_first(trial(seen=slow)), "first answer").verdict is Verdict.WARNING
    assert named(of_first(trial(seen=slow, clock=None)), "first answer").verdict is Verdict.OK


@pytest.mark.parametrize("end", [end for end in SeatEnd if end not in {SeatEnd.PLAYED, SeatEnd.REPLACED}])
def test_a_first_turn_without_an_answer_has_the_way_out_of_how_the_seat_ended(end: SeatEnd) -> None:
    silent = Seen(hello=play_pb2.Hello(protocol_version=1), hello_ms=100, first_turn_ms=110, turns=1)
    failed = trial(end=end, match_end=MatchEnd.FORFEIT, note="did something", seen=silent)
    finding = named(of_first(failed), "first answer")
    late = end is SeatEnd.TIMEOUT
    assert finding.what == f"the first turn got no answer{' within 2000 ms' if late else f': {end}'}"
    assert finding.mend
    assert "bank" not in finding.mend  # the first answer costs it nothing
    assert late or finding.mend == plays(failed).mend
    assert named(of_all([failed]), "ply").what == "no turn was answered"


def test_a_hello_that_came_too_late_is_not_taken_for_a_refused_one() -> None:
    late = Seen(hello=play_pb2.Hello(protocol_version=1), hello_ms=2500, refused=["SEAT_OUT: this seat is out"])
    finding = named(of_first(trial(end=SeatEnd.NO_SHOW, match_end=MatchEnd.FORFEIT, seen=late)), "handshake")
    assert finding.what == "Hello 2500 ms after its start, 2000 ms are allowed"


@pytest.mark.parametrize(("used", "verdict"), [(60, Verdict.OK), (900, Verdict.WARNING), (0, Verdict.NOT_RUN)])
def test_memory_close_to_the_limit_is_a_warning_and_unseen_memory_is_said(used: int, verdict: Verdict) -> None:
    ran = Ran(status=0, ended_ms=1, memory_bytes=used * MB, processes=used // 10)
    assert named(of_all([trial(ran=ran)]), "memory").verdict is verdict


def test_an_end_that_takes_longer_than_a_second_is_a_warning() -> None:
    assert named(of_all([trial(ran=Ran(status=0, ended_ms=1500))]), "exit").verdict is Verdict.WARNING


def test_a_match_too_short_for_a_broken_stream_is_said() -> None:
    assert [each.verdict for each in of_breaks(trial())] == [Verdict.NOT_RUN] * 2
    seen = Seen(broken_ms={Break.THINKING: 100, Break.ANSWERED: 300}, back_ms={Break.THINKING: 170})
    back, again = of_breaks(trial(end=SeatEnd.TIMEOUT, match_end=MatchEnd.FORFEIT, note="no answer", seen=seen))
    assert (back.verdict, again.verdict) == (Verdict.OK, Verdict.FAILED)
    assert "after 70 ms" in back.what


@pytest.mark.parametrize("columns", [60, 80, 140])
def test_on_a_terminal_what_was_seen_stays_in_its_own_column(columns: int) -> None:
    found = [plays(trial(end=SeatEnd.CRASHED, match_end=MatchEnd.FORFEIT, note="words " * 30)), *of_all([trial()])]
    lines = list(table(found, columns))
    assert max(map(len, lines)) <= columns
    edge = len("not run  plays icefall race  ")
    assert {line[edge - 1] for line in lines} == {" "}
    assert " " not in {line[edge] for line in lines}
    whole = list(table(found, None))
    assert len(whole) == len(found) + 1
    assert " ".join(" ".join(lines).split()) == " ".join(" ".join(whole).split())
