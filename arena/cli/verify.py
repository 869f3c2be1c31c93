"""`arena verify`: re-executes match logs on the rules, and compares them with what a server keeps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.draws import write_draws
from arena.cli.logfile import open_log
from arena.cli.options import CaOption, DataOption, TokenFileOption
from arena.cli.output import error, note, print_json, say
from arena.core.chance import seed_from_text
from arena.core.errors import ArenaError, UsageError
from arena.match.verify import Finding, Report, Status, verify_log

if TYPE_CHECKING:
    from arena.cli.client import Session


def verify(
    logs: Annotated[list[str], typer.Argument(metavar="LOG...", help="Match logs, plain or .zst; with --server ids.")],
    *,
    seed: Annotated[str | None, typer.Option("--seed", help="The seed of a log that does not carry its own.")] = None,
    draws: Annotated[
        Path | None,
        typer.Option("--draws", metavar="FILE", help="Write what chance drew in a log, for tools/verify_log.py."),
    ] = None,
    server: Annotated[
        bool, typer.Option("--server", help="Compare with the server's digest and the seed it revealed, too.")
    ] = False,
    at: Annotated[
        str | None, typer.Option("--at", metavar="HOST:PORT", help="That server; else $ARENA_SERVER.")
    ] = None,
    token_file: TokenFileOption = None,
    data: DataOption = None,
    ca: CaOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Re-execute match logs on the rules and check everything in them.

    Exit code 1 if one is not true and whole, 2 if one cannot be read.
    """
    if draws is not None and (server or len(logs) != 1):
        raise UsageError(
            f"--draws is for one log in a file, not {'--server' if server else len(logs)}; name one", reason="ONE_LOG"
        )
    given = None if seed is None else seed_from_text(seed)
    outcomes: list[dict[str, Any]] = []
    worst = 0
    with _session(at, token_file, data, ca) if server else _nobody() as session:
        for log in logs:
            try:
                report = _verified(log, given) if session is None else _compared(session, log, given)
            except ArenaError as wrong:  # one bad log does not keep the others from being verified
                error(wrong.message if log in wrong.message else f"{log}: {wrong.message}")
                outcomes.append({"log": log, "status": "UNREADABLE", "error": wrong.code})
                worst = max(worst, wrong.exit_code)
                continue
            if draws is not None and report.status is Status.OK:
                write_draws(Path(log), draws, given)
            outcomes.append({**_facts(log, report), "server": server})
            worst = max(worst, int(report.status is not Status.OK))
            if not json:
                _tell(log, report, compared=server)
    if json:
        print_json(outcomes)
    if worst:
        raise typer.Exit(worst)


def _verified(log: str, seed: bytes | None) -> Report:
    with open_log(Path(log)) as lines:
        return verify_log(lines, seed)


def _compared(session: Session, log: str, seed: bytes | None) -> Report:
    """Verify a log and compare it with what the server keeps; what differs is found in line 0."""
    from arena.cli.serverside import read_named  # noqa: PLC0415 - gRPC takes longer to load than a log to verify

    found = read_named(session, log)
    report = verify_log(found.content.splitlines(keepends=True), seed)
    if report.header is None:
        return report
    differs = tuple(Finding(0, why) for why in found.check(session, report.header))
    if not differs:
        return report
    return replace(report, status=Status.BROKEN, findings=(*report.findings, *differs))


@contextmanager
def _session(at: str | None, token_file: Path | None, data: Path | None, ca: Path | None) -> Iterator[Session | None]:
    from arena.cli.client import connect  # noqa: PLC0415 - as above

    with connect(at, token_file, data, ca) as session:
        yield session


@contextmanager
def _nobody() -> Iterator[Session | None]:
    yield None


def _facts(log: str, report: Report) -> dict[str, Any]:
    return {
        "log": log,
        "status": report.status.value,
        "plies": report.plies,
        "findings": [{"line": finding.line, "why": finding.why} for finding in report.findings],
        "chance_checked": report.chance_checked,
        "digest": report.digest,
    }


def _tell(log: str, report: Report, *, compared: bool) -> None:
    if report.status is Status.OK and report.result is not None and report.header is not None:
        result = report.result
        also = ", as the server keeps it, on the seed it revealed" if compared else ""
        say(f"{log}: OK, {report.header.game}, {report.plies} plies, {result.ending}{also}")
        if not report.chance_checked:
            note(f"{log}: the log carries no seed; chance was checked for legality only (--seed gives one)")
        return
    for finding in report.findings:
        say(f"{log}: line {finding.line}: {finding.why}" if finding.line else f"{log}: {finding.why}")
    say(f"{log}: {report.status}")
