"""`arena check`: plays short matches with a bot and says whether it keeps to the protocol."""

from __future__ import annotations

import asyncio
import secrets
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Final

import typer

from arena.cli.botref import LocalBot, find_bot
from arena.cli.logfile import write_log
from arena.cli.matchoptions import Json, Seed
from arena.cli.output import Interrupted, note, print_json, progress, say
from arena.cli.setting import SEED_BITS
from arena.core.chance import seed_from_text
from arena.core.errors import ArenaError, UsageError
from arena.core.manifest import ANY_GAME
from arena.core.registry import game_ids

if TYPE_CHECKING:
    from arena.cli.checking.findings import Finding

EXIT_FAILED: Final = 1
_LEAST_ROOM: Final = 20
"""Columns below which what was seen is not broken into lines."""


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The options, read. seed: as a number, of the first match; logs: where they go, None for nowhere."""

    bot: LocalBot
    games: tuple[str, ...]
    clock: str | None
    seed: int
    logs: Path | None
    unsafe: bool


def check(
    bot: Annotated[str, typer.Argument(metavar="BOT", help="A folder, or a built-in name.")],
    game: Annotated[
        str | None,
        typer.Option("--game", metavar="G", help="Check this game alone; all that bot.toml names otherwise."),
    ] = None,
    clock: Annotated[
        str | None, typer.Option("--clock", metavar="C", help="Such as 10s+0.1s, or none; each game's own otherwise.")
    ] = None,
    seed: Seed = None,
    logs: Annotated[
        Path | None, typer.Option("--logs", metavar="DIR", help="Write the logs of the matches into this folder.")
    ] = None,
    unsafe: Annotated[bool, typer.Option("--unsafe-no-sandbox", help="Start it as an ordinary program.")] = False,
    json: Json = False,
) -> None:
    """Check that a bot keeps to the protocol, before it is submitted; says what was seen and how to mend it.

    The folder is packed as it would be submitted, and what was packed plays one match at every variant of every game
    that bot.toml names, then one whose stream is broken twice. Exit code 1 if a check failed.
    """
    found = find_bot(bot)
    games = _games(found, game)
    if logs is not None and not logs.is_dir():
        raise UsageError(f"there is no folder {logs} for the logs; make it, or name another", reason="NO_SUCH_FOLDER")
    if seed is None:
        seed = str(secrets.randbits(SEED_BITS))
        note(f"seed {seed} (chosen at random; --seed {seed} plays the same deals again)")
    wanted = _Wanted(found, games, clock, int.from_bytes(seed_from_text(seed), "big"), logs, unsafe)
    try:
        findings = asyncio.run(_check(wanted))
    except KeyboardInterrupt:
        raise Interrupted(f"interrupted; the same again: add --seed {seed}") from None
    failed = any(finding.verdict == "FAILED" for finding in findings)
    if json:
        rows = [
            {"check": each.check, "verdict": each.verdict.lower(), "what": each.what, "mend": each.mend}
            for each in findings
        ]
        print_json({"bot": found.manifest.name, "ok": not failed, "checks": rows})
    else:
        _tell(findings)
        say()
        say(f"{found.manifest.name}: {'a check failed' if failed else 'ready to be submitted'}")
    if failed:
        raise typer.Exit(EXIT_FAILED)


def _games(bot: LocalBot, game: str | None) -> tuple[str, ...]:
    if game is None:
        return game_ids() if ANY_GAME in bot.manifest.games else bot.manifest.games
    if not bot.manifest.plays(game):
        played = ", ".join(bot.manifest.games)
        raise UsageError(f"{bot.manifest.name} does not play {game}; its bot.toml names {played}", reason="WRONG_GAME")
    return (game,)


async def _check(wanted: _Wanted) -> list[Finding]:
    """Pack the bot, play, and return what was found. Raises Unavailable when the arena itself fails."""
    from arena.cli.checking import course  # noqa: PLC0415 - gRPC costs 150 ms that --help need not pay
    from arena.cli.packing import pack  # noqa: PLC0415 - as above
    from arena.hosting.referee import Referee  # noqa: PLC0415 - as above

    bot = wanted.bot
    cases = course.cases_of(wanted.games, wanted.clock)
    with tempfile.TemporaryDirectory(prefix="whiteout-check-") as place:
        folder = bot.folder
        findings: list[Finding] = []
        if not bot.builtin:
            folder = Path(place) / "bot"
            try:
                findings.append(course.unpack(pack(bot.folder).archive, folder))
            except ArenaError as wrong:
                return [course.not_packed(wrong)]
        async with Referee() as referee:
            sandboxed, sandbox = await course.find_sandbox(referee, unsafe=wanted.unsafe)
            plan = course.Plan(folder, bot.manifest.program, cases, wanted.seed, sandboxed)
            checked = await course.check_program(plan, referee, progress("checking", len(cases)))
    if wanted.logs is not None:
        for trial in checked.trials:
            broken = "-broken" if trial.case.breaks else ""
            write_log(wanted.logs / f"{trial.case.game}-{trial.case.variant}{broken}.jsonl", trial.match.log)
    return [*findings, sandbox, *checked.findings]


def _tell(findings: list[Finding]) -> None:
    for line in table(findings, shutil.get_terminal_size().columns if sys.stdout.isatty() else None):
        say(line)


def table(findings: Sequence[Finding], columns: int | None) -> Iterator[str]:
    """Yield the findings as lines; columns: of the terminal, where what was seen keeps its own column; None: no end."""
    width = max(len(each.check) for each in findings)
    indent = " " * (len("not run ") + 1 + width + 2)
    room = None if columns is None or columns < len(indent) + _LEAST_ROOM else columns - len(indent)
    for each in findings:
        seen = f"{each.what}\nmend: {each.mend}" if each.mend else each.what
        parts = [part for line in seen.split("\n") for part in (wrap(line, room) if room else [line])]
        first, *others = parts or [""]
        yield f"{each.verdict:8} {each.check:{width}}  {first}"
        yield from (f"{indent}{part}" for part in others)
