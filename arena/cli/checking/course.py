"""The course of a check: which matches are played, and which findings they lead to."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from arena.cli.checking.findings import Finding, Verdict, of_all, of_breaks, of_first, plays
from arena.cli.checking.relay import Break
from arena.cli.checking.trial import Case, Trial, play_trial
from arena.cli.output import Progress
from arena.core.errors import ArenaError, Unavailable
from arena.core.registry import load_game
from arena.hosting.referee import Referee
from arena.match.clock import Clock
from arena.match.result import SeatEnd
from arena.services.archives import read_archive, size_text


@dataclass(frozen=True, slots=True)
class Plan:
    """What is played: a program, started in this folder; number: of the first match, makes ids and luck."""

    folder: Path
    program: tuple[str, ...]
    cases: tuple[Case, ...]
    number: int
    sandboxed: bool


def cases_of(games: Sequence[str], clock: str | None) -> tuple[Case, ...]:
    """Return one match for every variant of every game, with the bot at changing seats.

    clock: notation, None for each game's own. Raises UnknownName, BadClock.
    """
    cases: list[Case] = []
    for name in games:
        spec = load_game(name).spec
        timed = Clock.parse(spec.clock if clock is None else clock)
        for variant in spec.variants:
            seats = variant.min_seats
            cases.append(Case(name, variant.id, seats, len(cases) % seats, timed))
    return tuple(cases)


def unpack(archive: bytes, folder: Path) -> Finding:
    """Write out what would be submitted, as a server reads it, and say how large it is. Raises as read_archive."""
    files = read_archive(archive)
    for file in files:
        target = folder / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.content)
        target.chmod(0o755 if file.executable else 0o644)
    counted = f"{len(files)} files" if len(files) != 1 else "1 file"
    return Finding("archive", Verdict.OK, f"{counted}, {size_text(len(archive))} packed")


def not_packed(wrong: ArenaError) -> Finding:
    """Return the finding that tells why nothing could be submitted."""
    what, _, mend = wrong.message.partition("; ")
    return Finding("archive", Verdict.FAILED, what, mend or "see the limits in docs/bot-author.md")


async def find_sandbox(referee: Referee, *, unsafe: bool) -> tuple[bool, Finding]:
    """Say whether the bot can run as in the arena. One's own bot may also run without."""
    if unsafe:
        return False, Finding("sandbox", Verdict.WARNING, "switched off", "leave --unsafe-no-sandbox out")
    try:
        await referee.sandbox.require()
    except Unavailable as missing:
        what = f"not to be had here, so it ran as an ordinary program: {missing.message.partition(';')[0]}"
        return False, Finding("sandbox", Verdict.WARNING, what, "`arena doctor` tells what is missing")
    return True, Finding("sandbox", Verdict.OK, "it ran in the one the arena plays in")


@dataclass(frozen=True, slots=True)
class Checked:
    """What all matches show, and the matches."""

    findings: tuple[Finding, ...]
    trials: tuple[Trial, ...]


async def check_program(plan: Plan, referee: Referee, bar: AbstractContextManager[Progress]) -> Checked:
    """Play all matches and say what they show. Raises Unavailable when the arena itself fails."""
    with bar as counted:
        trials = await _whole(plan, referee, counted)
        broken = await _broken(plan, referee, trials)
    together = list(of_all(trials))
    # What a broken stream shows belongs beside what whole ones show of plies.
    after = next(number for number, each in enumerate(together, 1) if each.check == "ply")
    back = list(of_breaks(broken) if broken is not None else _not_broken())
    findings = (*of_first(trials[0]), *map(plays, trials), *together[:after], *back, *together[after:])
    return Checked(findings, (*trials, broken) if broken is not None else tuple(trials))


async def _whole(plan: Plan, referee: Referee, bar: Progress) -> list[Trial]:
    """Play the cases; a bot that never gets as far as a first answer is not tried again and again."""
    trials: list[Trial] = []
    for case in plan.cases:
        bar.advance(f"{case.game} {case.variant}")
        trials.append(await _trial(plan, case, referee, len(trials)))
        if trials[0].seen.first_answer_ms is None:
            break
    return trials


async def _broken(plan: Plan, referee: Referee, trials: Sequence[Trial]) -> Trial | None:
    """Play a match with broken streams at the first case that was played to its end; None if none was."""
    played = (trial.case for trial in trials if trial.match.result.seat_ends[trial.case.seat] is SeatEnd.PLAYED)
    case = next(played, None)
    if case is None:
        return None
    breaking = replace(case, breaks=(Break.THINKING, Break.ANSWERED))
    return await _trial(plan, breaking, referee, len(plan.cases))


async def _trial(plan: Plan, case: Case, referee: Referee, step: int) -> Trial:
    return await play_trial(
        plan.folder, plan.program, case, referee, number=plan.number + step, sandboxed=plan.sandboxed
    )


def _not_broken() -> list[Finding]:
    why = "no match was played to its end"
    return [Finding(check, Verdict.NOT_RUN, why) for check in ("reconnect", "repeated turn")]
