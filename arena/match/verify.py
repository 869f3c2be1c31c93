"""Re-executes a match log on the rules and says whether everything in it is true."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NoReturn

from arena.core.chance import KeyedStream
from arena.core.errors import GameError, LogError, UsageError
from arena.core.registry import check_seats, find_variant, load_game
from arena.core.seat import CHANCE, Actor, Seat
from arena.match.clock import Bank, Clock, clock_text
from arena.match.course import Course
from arena.match.entries import End, Forfeit, Header, Ply, Times
from arena.match.log import BrokenLog, IncompleteLog, Line, read_log
from arena.match.result import MatchEnd, MatchResult, SeatEnd


class Status(StrEnum):
    """What verification found: a true log, a false one, or one that stops before its result."""

    OK = "OK"
    BROKEN = "BROKEN"
    INCOMPLETE = "INCOMPLETE"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong with one line, counted from 1."""

    line: int
    why: str


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of a verification; findings in the order of lines, none if the status is OK.

    chance_checked: whether a seed was there to check chance against. digest: the file's own, "" unless OK.
    """

    status: Status
    findings: tuple[Finding, ...]
    header: Header | None
    result: MatchResult | None
    plies: int
    chance_checked: bool
    digest: str


def verify_log(lines: Iterable[bytes], seed: bytes | None = None) -> Report:
    """Check a log line by line: form, hashes, legality, chance, clocks, forfeits, result and digest.

    lines: as a file opened for reading bytes gives them. seed: for a log that does not carry its own. Time faults are
    collected; at the first line that is wrong otherwise the check stops, for nothing after it can be judged. Raises
    LogError for another log or rules version and UnknownName for a game that is not installed.
    """
    run = _Rerun(seed)
    status = Status.OK
    try:
        for line in read_log(lines):
            run.take(line)
    except BrokenLog as broken:
        run.findings.append(Finding(broken.line, broken.why))
    except IncompleteLog as end:
        status = Status.INCOMPLETE
        if not run.findings:
            return run.report(status, (Finding(end.line, "the log ends here, before the result"),))
    if run.findings:
        status = Status.BROKEN
    return run.report(status, tuple(run.findings))


class _Rerun:
    """The match of a log, made again beside it."""

    def __init__(self, seed: bytes | None) -> None:
        self.findings: list[Finding] = []
        self._seed = seed
        self._header: Header | None = None
        self._course: Course
        self._stream: KeyedStream | None = None
        self._clock: Clock | None = None
        self._banks: list[Bank] = []
        self._digest = ""
        self._line = 0

    def report(self, status: Status, findings: tuple[Finding, ...]) -> Report:
        """Sum up."""
        started = self._header is not None
        return Report(
            status=status,
            findings=findings,
            header=self._header,
            result=self._course.result if started else None,
            plies=self._course.plies if started else 0,
            chance_checked=self._stream is not None,
            digest=self._digest if status is Status.OK else "",
        )

    def take(self, line: Line) -> None:
        """Make one line again. Raises BrokenLog if the rules do not give it."""
        self._line = line.number
        match line.entry:
            case Header() as header:
                self._take_header(header)
            case Ply() as ply:
                self._take_ply(ply)
            case Forfeit() as forfeit:
                self._take_forfeit(forfeit)
            case End() as end:
                self._take_end(end)

    def _take_header(self, header: Header) -> None:
        game = load_game(header.game)
        if header.rules != game.spec.rules_version:
            raise LogError(
                f"the log was played by rules version {header.rules} of {header.game}, installed is"
                f" {game.spec.rules_version}; verify it with the release that wrote it",
                reason="OTHER_RULES_VERSION",
            )
        try:
            variant = find_variant(game, header.variant)
            check_seats(game, variant, len(header.seats))
            components = game.components(header.components_text or None, "components_text")
            self._clock = Clock.parse(header.clock)
        except UsageError as wrong:
            self._broken(wrong.message)
        if components.digest != header.components:
            self._broken("the digest of the components is not that of the numbers the match is played with")
        if clock_text(self._clock) != header.clock:
            self._broken(f"clock {header.clock!r} is written {clock_text(self._clock)!r}")
        if self._seed is not None and header.seed is not None and self._seed != header.seed:
            self._broken("the seed is not the one given")
        seed = header.seed or self._seed
        self._stream = None if seed is None else KeyedStream(seed)
        self._banks = [] if self._clock is None else [Bank(self._clock) for _ in header.seats]
        self._course = Course(game, variant.id, len(header.seats), components)
        self._header = header

    def _take_ply(self, ply: Ply) -> None:
        course = self._course
        self._check_number(ply.ply)
        if course.to_act != ply.actor:
            self._broken(f"{_actor(ply.actor)} acts, but it is up to {_actor(course.to_act)}")
        try:
            action = course.game.actions.parse(ply.action)
        except GameError as wrong:
            self._broken(wrong.message)
        if isinstance(ply.actor, int):
            self._check_choice(ply, ply.actor, action)
        else:
            self._check_chance(ply, action)
        try:
            course.apply(action, asked=ply.actor is not CHANCE and ply.auto is None)
        except GameError as wrong:
            self._broken(wrong.message)

    def _check_number(self, number: int) -> None:
        if self._course.result is not None:
            self._broken(f"the match was over after {self._course.plies} plies")
        if number != self._course.plies:
            self._broken(f"ply {number} stands where ply {self._course.plies} belongs")

    def _check_chance(self, ply: Ply, action: Any) -> None:
        if ply.auto is not None or ply.times is not None:
            self._broken("chance is not asked")
        if self._stream is None:
            return
        drawn = self._course.draw(self._stream)
        if drawn != action:
            self._broken(f"chance made {ply.action!r}, the seed gives {self._notation(drawn)!r}")

    def _check_choice(self, ply: Ply, seat: Seat, action: Any) -> None:
        course = self._course
        legal = tuple(course.state.legal_actions())
        if action not in legal:
            self._broken(f"{ply.action!r} is not legal for seat {seat} now")
        auto = course.automatic(seat, legal)
        if ply.auto is not auto:
            self._broken(f"the ply is marked {ply.auto or 'as asked'}, it was {auto or 'to be asked'}")
        if auto is not None:
            applied = course.automatic_action(auto, legal)
            if action != applied:
                self._broken(f"{ply.action!r} was made without asking, that must be {self._notation(applied)!r}")
            if ply.times is not None:
                self._broken("a ply made without asking takes no time")
        elif ply.times is None:
            self._broken("an asked ply has its times under meta")
        else:
            self._check_times(seat, ply.times)

    def _check_times(self, seat: Seat, times: Times) -> None:
        if self._clock is None:
            if times.charged_ms:
                self._find(f"seat {seat} was charged {times.charged_ms} ms without a clock")
            return
        if times.charged_ms > max(0, times.think_ms - self._clock.margin_ms):
            self._find(f"seat {seat} thought {times.think_ms} ms and was charged {times.charged_ms} ms")
        bank = self._banks[seat]
        counted = bank.spend(times.charged_ms)
        if bank.flagged:
            self._find(f"seat {seat} had used up its time but played on")
        elif counted != times.charged_ms:
            self._find(f"seat {seat} was charged {times.charged_ms} ms for its first answer")

    def _take_forfeit(self, forfeit: Forfeit) -> None:
        course = self._course
        self._check_number(forfeit.ply)
        asked = course.to_act
        try:
            new = course.forfeit(forfeit.ends)
        except ValueError as wrong:
            self._broken(str(wrong))
        if list(new.items()) != list(forfeit.ends.items()) or not new:
            self._broken("a seat forfeits once, and seats of one moment stand in order")
        if forfeit.times is not None and asked not in forfeit.ends:
            self._broken("only the seat that is asked takes time")
        for seat, end in forfeit.ends.items():
            if end is SeatEnd.TIMEOUT:
                self._check_timeout(seat, forfeit.times if seat == asked else None)

    def _check_timeout(self, seat: Seat, times: Times | None) -> None:
        if self._clock is None:
            self._find(f"seat {seat} is called too late without a clock")
        elif times is None:
            self._find(f"seat {seat} is called too late without being asked")
        else:
            bank = self._banks[seat]
            bank.spend(times.charged_ms)
            if not bank.flagged or times.charged_ms > times.think_ms:
                self._find(f"seat {seat} is called too late, yet {times.charged_ms} ms were not above what it had")

    def _take_end(self, end: End) -> None:
        course = self._course
        if end.result.end is MatchEnd.ABORTED and course.result is None:
            course.abort(end.result.reason)
        if course.result is None:
            self._broken(f"the match is not over: it is up to {_actor(course.to_act)}")
        for name in ("plies", "end", "seat_ends", "ranks", "scores", "reason"):
            stated, true = getattr(end.result, name), getattr(course.result, name)
            if stated != true:
                self._broken(f"{name}: the log says {_shown(stated)}, the rules give {_shown(true)}")
        self._digest = end.digest

    def _notation(self, action: Any) -> str:
        return self._course.game.actions.text_of(action)

    def _find(self, why: str) -> None:
        self.findings.append(Finding(self._line, why))

    def _broken(self, why: str) -> NoReturn:
        raise BrokenLog(self._line, why)


def _actor(actor: Actor | None) -> str:
    if actor is None:
        return "nobody"
    return "chance" if actor is CHANCE else f"seat {actor}"


def _shown(value: object) -> str:
    return ", ".join(str(part) for part in value) if isinstance(value, tuple) else str(value)
