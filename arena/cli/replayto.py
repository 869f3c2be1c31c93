"""`arena replay LOG --as-seat S --to BOT`: shows where a bot now decides otherwise than a log has it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from arena.cli.botref import LocalBot, find_bots
from arena.cli.output import counted, note, print_json, print_table, say
from arena.core.errors import LogError, UsageError
from arena.core.seat import Seat
from arena.match.replay import Replay

if TYPE_CHECKING:
    from arena.cli.asking import Asked, Decision


def replay_to(log: Path, match: Replay, seat: Seat, name: str, *, in_process: bool, unsafe: bool, json: bool) -> None:
    """Ask the bot what the seat was asked, and list the plies where it decides otherwise.

    Raises UsageError for a bot or a seat that is not there, LogError for a match of other rules or numbers than those
    installed, GameError if the bot fails.
    """
    bot = find_bots([name], match.header.game)[0]
    match.check_seat(seat)
    _check_fits(log, match)
    if match.header.seed is None:
        note("the log does not tell its seed, so the bot gets 0 as its bot_seed")
    if in_process:
        from arena.cli.askinginprocess import ask_class  # noqa: PLC0415 - needed for this way only

        asked = ask_class(bot, match, seat)
    else:
        from arena.cli.asking import ask_program  # noqa: PLC0415 - gRPC costs 150 ms that the others need not pay

        asked = asyncio.run(ask_program(bot, match, seat, unsafe=unsafe))
    if json:
        print_json(_facts(match, seat, bot, asked))
    else:
        _tell(match, seat, bot, asked)


def _check_fits(log: Path, match: Replay) -> None:
    header, spec = match.header, match.game.spec
    if header.rules != spec.rules_version:
        raise LogError(
            f"{log} was played by rules version {header.rules} of {header.game}, installed is {spec.rules_version}; "
            "use the release that wrote it",
            reason="RULES_VERSION",
        )
    if header.components != match.components.digest:
        raise LogError(
            f"{log} was played with other component numbers of {header.game} than those installed; use the release "
            "that wrote it",
            reason="OTHER_COMPONENTS",
        )


def _tell(match: Replay, seat: Seat, bot: LocalBot, asked: Asked) -> None:
    if asked.output:
        note(f"--- {bot.manifest.name} printed:")
        note(asked.output.removesuffix("\n"))
    other = [decision for decision in asked.decisions if decision.differs]
    then = match.header.seats[seat]
    say(
        f"seat {seat} ({then.bot}@{then.version}) was asked {counted(len(asked.decisions), 'turn')}; "
        f"{bot.manifest.name} now decides otherwise in {len(other)}"
    )
    if other:
        say()
        rows = [(each.question.ply, _recorded(match, each), _now(match, each)) for each in other]
        print_table(("ply", "in the log", "now"), rows)


def _facts(match: Replay, seat: Seat, bot: LocalBot, asked: Asked) -> dict[str, object]:
    differences = [
        {"ply": each.question.ply, "recorded": _recorded(match, each), "now": _now(match, each)}
        for each in asked.decisions
        if each.differs
    ]
    return {
        "seat": seat,
        "bot": bot.manifest.name,
        "asked": len(asked.decisions),
        "differences": differences,
        "complete": match.complete,
    }


def _recorded(match: Replay, decision: Decision) -> str:
    question = decision.question
    if question.answer is None:
        return f"forfeits: {question.end}"
    return match.game.describe(question.answer, match.components)


def _now(match: Replay, decision: Decision) -> str:
    if decision.index is None:
        return "resigns"
    if decision.action is None:
        return f"answers {decision.index}, which is no index of {len(decision.question.legal)} actions"
    return match.game.describe(decision.action, match.components)


def check_options(seat: int | None, bot: str | None, others: dict[str, bool]) -> bool:
    """Say whether a bot is to be asked. Raises UsageError for options that do not go together."""
    if seat is None and bot is None:
        wrong = [name for name in ("--in-process", "--unsafe-no-sandbox") if others.pop(name)]
        if wrong:
            raise UsageError(f"{wrong[0]} belongs to --as-seat S --to BOT")
        return False
    if seat is None or bot is None:
        raise UsageError("--as-seat S and --to BOT belong together: the seat that was asked, and the bot to ask now")
    wrong = [name for name, given in others.items() if given and name not in {"--in-process", "--unsafe-no-sandbox"}]
    if wrong:
        raise UsageError(f"{wrong[0]} shows a log, --to asks a bot; leave one of them out")
    return True
