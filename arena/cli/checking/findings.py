"""What is concluded from the matches of a checked bot: one finding a check, with what to do about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from arena.cli.checking.relay import Break
from arena.cli.checking.trial import Trial
from arena.core.protocol import PROTOCOL_VERSION
from arena.hosting.capture import HALF_BYTES
from arena.hosting.matches import FAREWELL_S
from arena.hosting.sandbox import Limits
from arena.match.clock import Bank, Clock
from arena.match.result import MatchEnd, SeatEnd

_MB: Final = 1024 * 1024
_SPARE: Final = 0.8
"""The share of a limit from which on it is called close."""
_LAST_LINES: Final = 3
_LONGEST_LINE: Final = 200


class Verdict(StrEnum):
    """How a check came out; NOT_RUN: something before it failed."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "FAILED"
    NOT_RUN = "not run"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the result. what: what was seen; mend: the way out, "" where nothing is to be done."""

    check: str
    verdict: Verdict
    what: str
    mend: str = ""


_ENDS: Final = {
    SeatEnd.NO_SHOW: "connect to WHITEOUT_ADDRESS and send Hello before anything that takes long, such as slow imports "
    "or a large model",
    SeatEnd.CRASHED: "look at what it printed; status -9 means that it was killed, mostly for memory",
    SeatEnd.TIMEOUT: "think less while bank_ms is small, and flush what you send",
    SeatEnd.ILLEGAL_ACTION: "answer with an index into legal_actions of the very turn that is asked, from 0 on",
    SeatEnd.MALFORMED: "send nothing but Answer or Resign after Hello, as PlayRequest, one answer a turn",
    SeatEnd.DISCONNECTED: "stay on the stream until GameOver, and open it again with the same ticket if it breaks",
    SeatEnd.RESIGNED: "do not resign where the game goes on; the check wants to see whole matches",
}


def plays(trial: Trial) -> Finding:
    """Say whether the bot played this match to its end."""
    case, result = trial.case, trial.match.result
    end = result.seat_ends[case.seat]
    check = f"plays {case.game} {case.variant}"
    if end is SeatEnd.PLAYED and result.end is MatchEnd.COMPLETED:
        return Finding(check, Verdict.OK, f"seat {case.seat} of {case.seats}, {result.plies} plies, {result.end}")
    if end is SeatEnd.PLAYED:
        return Finding(
            check,
            Verdict.FAILED,
            f"the arena could not finish it: {result.reason}",
            "run it again; not the bot's fault",
        )
    note = trial.match.seats[case.seat].note
    return Finding(check, Verdict.FAILED, f"{end}: {note}{_last_words(trial)}", _ENDS.get(end, ""))


def of_first(trial: Trial) -> Iterator[Finding]:
    """Yield what the first match shows of the beginning: handshake and first answer."""
    yield _handshake(trial)
    yield _first_answer(trial)


def of_all(trials: Sequence[Trial]) -> Iterator[Finding]:
    """Yield what all whole matches show together."""
    yield _clock(trials)
    yield _stale(trials)
    whole = [trial for trial in trials if trial.match.result.seat_ends[trial.case.seat] is SeatEnd.PLAYED]
    if whole:
        yield _game_over(whole)
        yield _exit(whole)
    else:
        nothing = "no match was played to its end"
        yield Finding("game over", Verdict.NOT_RUN, nothing)
        yield Finding("exit", Verdict.NOT_RUN, nothing)
    yield _output(trials)
    yield from _use(trials)


def of_breaks(trial: Trial) -> Iterator[Finding]:
    """Yield how the bot came back from broken streams."""
    yield _came_back(
        trial,
        Break.THINKING,
        "reconnect",
        "broken while it was thinking",
        "when the stream ends with a status that has no `reason`, open a new one with the same ticket, say Hello, and "
        "answer the turn that comes; the SDK does so",
    )
    yield _came_back(
        trial,
        Break.ANSWERED,
        "repeated turn",
        "broken before its answer had arrived",
        "a turn that comes again after a reconnect wants its answer again: keep the last ply and its answer",
    )


def _handshake(trial: Trial) -> Finding:
    seen = trial.seen
    if seen.hello_ms is None:
        what = f"it never connected{_last_words(trial)}"
        return Finding("handshake", Verdict.FAILED, what, _ENDS[SeatEnd.NO_SHOW])
    if seen.hello is None:
        return Finding(
            "handshake",
            Verdict.FAILED,
            "its first message was no Hello",
            "send PlayRequest{hello} first: ticket, protocol_version and sdk",
        )
    if trial.match.result.seat_ends[trial.case.seat] is SeatEnd.NO_SHOW:
        allowed = "" if trial.case.clock is None else f", {trial.case.clock.start_ms} ms are allowed"
        what = f"Hello {seen.hello_ms} ms after its start{allowed}"
        return Finding("handshake", Verdict.FAILED, what, _ENDS[SeatEnd.NO_SHOW])
    if seen.hello.protocol_version != PROTOCOL_VERSION or seen.first_turn_ms is None:
        why = f": {seen.refused[0]}" if seen.refused else ""
        return Finding(
            "handshake",
            Verdict.FAILED,
            f"its Hello was not taken{why}",
            f"send protocol_version {PROTOCOL_VERSION} and the text of WHITEOUT_TICKET, unchanged, as ticket",
        )
    sdk = f"as {seen.hello.sdk!r}" if seen.hello.sdk else "without naming an SDK"
    return Finding("handshake", Verdict.OK, f"Hello {seen.hello_ms} ms after its start, {sdk}")


def _first_answer(trial: Trial) -> Finding:
    seen, clock = trial.seen, trial.case.clock
    check = "first answer"
    if seen.first_turn_ms is None or seen.hello_ms is None:
        return Finding(check, Verdict.NOT_RUN, "no turn was asked")
    if seen.first_answer_ms is None:
        return _no_first_answer(check, trial)
    took = seen.first_answer_ms - seen.first_turn_ms
    what = f"{took} ms after the first turn"
    slowest = max(took, seen.hello_ms)
    if clock is not None and slowest > clock.start_ms:
        return Finding(check, Verdict.FAILED, f"{what}, {clock.start_ms} ms are allowed", _ENDS[SeatEnd.NO_SHOW])
    if clock is not None and slowest > clock.start_ms / 2:
        mend = (
            f"{clock.start_ms} ms are allowed to connect, and for the first answer; a busy machine is slower than this"
        )
        return Finding(check, Verdict.WARNING, f"{what}, connected after {seen.hello_ms} ms", mend)
    return Finding(check, Verdict.OK, what)


def _no_first_answer(check: str, trial: Trial) -> Finding:
    end, clock = trial.match.result.seat_ends[trial.case.seat], trial.case.clock
    if end is SeatEnd.TIMEOUT and clock is not None:
        what = f"the first turn got no answer within {clock.start_ms} ms"
        return Finding(check, Verdict.FAILED, what, "answer the first turn sooner, and flush what you send")
    return Finding(check, Verdict.FAILED, f"the first turn got no answer: {end}", _ENDS.get(end, ""))


def _clock(trials: Sequence[Trial]) -> Finding:
    timed = [trial for trial in trials if trial.case.clock is not None]
    if not timed:
        return Finding("clock", Verdict.NOT_RUN, "it was switched off")
    if not any(trial.seen.turns for trial in timed):
        return Finding("clock", Verdict.NOT_RUN, "no turn was asked")
    late = [trial for trial in timed if trial.match.result.seat_ends[trial.case.seat] is SeatEnd.TIMEOUT]
    if late:
        note = late[0].match.seats[late[0].case.seat].note
        what = f"{note}, by {late[0].case.clock}, at {late[0].case.game}"
        return Finding("clock", Verdict.FAILED, what, _ENDS[SeatEnd.TIMEOUT])
    left, bank = min(
        ((_least_left(trial), _bank_ms(trial)) for trial in timed), key=lambda pair: pair[0] / max(1, pair[1])
    )
    longest = max((ms for trial in timed for ms in trial.match.seats[trial.case.seat].think_ms), default=0)
    what = f"{longest} ms at most for a turn, {left} of {bank} ms left in its bank at least"
    if left < (1 - _SPARE) * bank:
        return Finding("clock", Verdict.WARNING, what, "keep more in the bank: hosted machines may be slower than this")
    return Finding("clock", Verdict.OK, what)


def _least_left(trial: Trial) -> int:
    clock = trial.case.clock
    if clock is None:
        return 0
    bank, least = Bank(clock), clock.bank_ms
    for charged in trial.match.seats[trial.case.seat].charged_ms:
        before = bank.remaining_ms
        bank.spend(charged)
        least = min(least, before - charged)
    return max(0, least)


def _bank_ms(trial: Trial) -> int:
    clock: Clock | None = trial.case.clock
    return clock.bank_ms if clock is not None else 0


def _stale(trials: Sequence[Trial]) -> Finding:
    unasked = [what for trial in trials for what in trial.seen.unasked]
    asked = sum(trial.seen.turns for trial in trials)
    if not asked:
        return Finding("ply", Verdict.NOT_RUN, "no turn was asked")
    if not unasked and all(trial.seen.first_answer_ms is None for trial in trials):
        return Finding("ply", Verdict.NOT_RUN, "no turn was answered")
    if not unasked:
        turns = "1 turn" if asked == 1 else f"{asked} turns"
        return Finding("ply", Verdict.OK, f"{turns}, no answer to any other ply")
    return Finding(
        "ply",
        Verdict.FAILED,
        f"{len(unasked)} of its answers had no effect; the first was to {unasked[0]}",
        "answer each turn once, with the ply of that turn: plies of the other seats and of chance count, too",
    )


def _game_over(whole: Sequence[Trial]) -> Finding:
    for trial in whole:
        if trial.seen.after_over:
            return Finding(
                "game over",
                Verdict.FAILED,
                f"after the end of {trial.case.game} it {trial.seen.after_over[0]}",
                "GameOver is the last message: read it, end the stream, and do not open another one",
            )
    return Finding("game over", Verdict.OK, f"the last message in {len(whole)} of {len(whole)}")


def _exit(whole: Sequence[Trial]) -> Finding:
    within = f"end with status 0 within {FAREWELL_S:g} s of GameOver"
    for trial in whole:
        if trial.ran.status is None:
            return Finding("exit", Verdict.FAILED, "it went on after the end of its match and had to be ended", within)
        if trial.ran.status != 0:
            what = f"it ended with status {trial.ran.status} after its match{_last_words(trial)}"
            return Finding("exit", Verdict.FAILED, what, within)
    slowest = max(trial.ran.ended_ms or 0 for trial in whole)
    what = f"status 0, {slowest} ms after the end of the match at most"
    if slowest > 1000 * FAREWELL_S:
        return Finding("exit", Verdict.WARNING, what, within)
    return Finding("exit", Verdict.OK, what)


def _output(trials: Sequence[Trial]) -> Finding:
    most = max((trial.ran.printed_bytes for trial in trials), default=0)
    what = f"{most} bytes on standard output and error in one match at most"
    if most > 2 * HALF_BYTES:
        mend = f"print less: the first and last {HALF_BYTES // 1024} KB are kept, and printing costs time of the clock"
        return Finding("output", Verdict.WARNING, what, mend)
    return Finding("output", Verdict.OK, what)


def _use(trials: Sequence[Trial]) -> Iterator[Finding]:
    limits = Limits()
    memory = max((trial.ran.memory_bytes for trial in trials), default=0) / _MB
    processes = max((trial.ran.processes for trial in trials), default=0)
    for check, used, limit, unit in (
        ("memory", memory, limits.memory_mb, " MB"),
        ("processes", processes, limits.processes, " processes and threads"),
    ):
        if not used:
            yield Finding(check, Verdict.NOT_RUN, "can be seen in a sandbox only")
            continue
        what = f"{used:.0f} of {limit}{unit}, seen every 50 ms"
        if used > _SPARE * limit:
            yield Finding(
                check, Verdict.WARNING, what, f"stay well below {limit}{unit}: more is refused or ends the bot"
            )
        else:
            yield Finding(check, Verdict.OK, what)


def _came_back(trial: Trial, kind: Break, check: str, how: str, mend: str) -> Finding:
    seen = trial.seen
    if kind not in seen.broken_ms:
        return Finding(check, Verdict.NOT_RUN, "the match had too few turns for it")
    if kind in seen.back_ms:
        took = seen.back_ms[kind] - seen.broken_ms[kind]
        return Finding(check, Verdict.OK, f"{how}, the turn was answered on a new stream after {took} ms")
    end = trial.match.result.seat_ends[trial.case.seat]
    note = trial.match.seats[trial.case.seat].note
    return Finding(check, Verdict.FAILED, f"{how}, the turn got no answer: {end}, {note}{_last_words(trial)}", mend)


def _last_words(trial: Trial) -> str:
    """Return the last lines the bot printed, to be put behind a sentence; they are a stranger's text."""
    lines = [line.strip()[:_LONGEST_LINE] for line in trial.ran.output.splitlines() if line.strip()]
    return f"; it printed: {' | '.join(lines[-_LAST_LINES:])}" if lines else ""
