"""`arena verify`: re-executes match logs on the rules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from arena.cli.draws import write_draws
from arena.cli.logfile import open_log
from arena.cli.output import error, note, print_json, say
from arena.core.chance import seed_from_text
from arena.core.errors import ArenaError, UsageError
from arena.match.verify import Report, Status, verify_log


def verify(
    logs: list[Path] = typer.Argument(..., metavar="LOG...", help="Match logs, plain or .zst."),
    seed: str | None = typer.Option(None, "--seed", help="The seed of a log that does not carry its own."),
    draws: Path | None = typer.Option(
        None, "--draws", metavar="FILE", help="Write what chance drew in a log, for tools/verify_log.py."
    ),
    json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """Re-execute match logs on the rules and check everything in them.

    Exit code 1 if one is not true and whole, 2 if one cannot be read.
    """
    given = None if seed is None else seed_from_text(seed)
    if draws is not None and len(logs) != 1:
        raise UsageError(f"--draws is for one log, not {len(logs)}; name one", reason="ONE_LOG")
    outcomes = []
    worst = 0
    for path in logs:
        try:
            with open_log(path) as lines:
                report = verify_log(lines, given)
        except ArenaError as wrong:  # one bad file does not keep the others from being verified
            error(wrong.message if str(path) in wrong.message else f"{path}: {wrong.message}")
            outcomes.append({"log": str(path), "status": "UNREADABLE", "error": wrong.code})
            worst = max(worst, wrong.exit_code)
            continue
        if draws is not None and report.status is Status.OK:
            write_draws(path, draws, given)
        outcomes.append(_facts(path, report))
        worst = max(worst, int(report.status is not Status.OK))
        if not json:
            _tell(path, report)
    if json:
        print_json(outcomes)
    if worst:
        raise typer.Exit(worst)


def _facts(path: Path, report: Report) -> dict[str, Any]:
    return {
        "log": str(path),
        "status": report.status.value,
        "plies": report.plies,
        "findings": [{"line": finding.line, "why": finding.why} for finding in report.findings],
        "chance_checked": report.chance_checked,
        "digest": report.digest,
    }


def _tell(path: Path, report: Report) -> None:
    if report.status is Status.OK and report.result is not None and report.header is not None:
        result = report.result
        say(f"{path}: OK, {report.header.game}, {report.plies} plies, {result.end} ({result.reason})")
        if not report.chance_checked:
            note(f"{path}: the log carries no seed; chance was checked for legality only (--seed gives one)")
        return
    for finding in report.findings:
        say(f"{path}: line {finding.line}: {finding.why}")
    say(f"{path}: {report.status}")
