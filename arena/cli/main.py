"""The command `arena`: finds the command asked for, runs it, and turns every error into one line and an exit code.

Exit codes: 0 success, 1 failure, 2 usage, 70 a fault of the arena itself, 130 interrupted, 143 terminated.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

import typer
from typer.exceptions import TyperException

from arena.cli.output import Interrupted, error, note
from arena.core.errors import ArenaError, Terminated

EXIT_FAILURE: Final = 1
EXIT_INTERNAL: Final = 70
EXIT_INTERRUPTED: Final = 130


@dataclass(frozen=True, slots=True)
class Command:
    """One entry of the command table.

    target: "module:attribute" naming a function (one command) or a typer.Typer (a group of commands); the module
    is imported only when the command is asked for. help: the line shown by `arena --help`.
    """

    name: str
    target: str
    help: str


COMMANDS: Final = (
    Command("up", "arena.cli.up:up", "Run a whole arena on this machine."),
    Command("demo", "arena.cli.demo:demo", "Run an arena with the bundled bots and play a tournament."),
    Command("games", "arena.cli.games:games", "List the installed games, or show one."),
    Command("new", "arena.cli.new:new", "Make a bot folder to start from."),
    Command("check", "arena.cli.check:check", "Check that a bot keeps to the protocol."),
    Command("play", "arena.cli.play:play", "Play one match on this machine."),
    Command("match", "arena.cli.match:match", "Play blocks of matches on this machine, with statistics."),
    Command("verify", "arena.cli.verify:verify", "Re-execute match logs on the rules and check everything in them."),
    Command("replay", "arena.cli.replay:replay", "Step through a match log from one seat's or the public's view."),
    Command("submit", "arena.cli.submit:submit", "Submit a bot's folder to a server."),
    Command("connect", "arena.cli.connect:connect", "Play a bot on a server from this machine."),
    Command("bots", "arena.cli.bots:bots", "List the bots on a server."),
    Command("versions", "arena.cli.bots:versions", "List a bot's versions."),
    Command("retire", "arena.cli.bots:retire", "Take a version of a bot out of what is not yet scheduled."),
    Command("restore", "arena.cli.bots:restore", "Bring a version back that was set aside or retired."),
    Command("output", "arena.cli.bots:output", "Show what your bots printed in a match."),
    Command("tournament", "arena.cli.tournament:app", "Make, run and watch tournaments."),
    Command("challenge", "arena.cli.challenge:challenge", "Let bots of a server play each other, unrated."),
    Command("reproduce", "arena.cli.challenge:reproduce", "Play a match of a server again and compare."),
    Command("ratings", "arena.cli.ratings:ratings", "Show the leaderboards of a server."),
    Command("history", "arena.cli.ratings:history", "Show what each match changed for a bot."),
    Command("versus", "arena.cli.versus:versus", "Compare two bots by the blocks they have in common."),
    Command("reliability", "arena.cli.reliability:reliability", "Show how well ratings predicted results."),
    Command("matches", "arena.cli.matches:matches", "List the matches of a server."),
    Command("log", "arena.cli.matches:log", "Fetch a match's log."),
    Command("doctor", "arena.cli.doctor:doctor", "Show what protects this machine from bots."),
    Command("backup", "arena.cli.backup:backup", "Copy the database of an arena on this machine."),
    Command("prune", "arena.cli.prune:prune", "Throw away logs and outputs of matches long over."),
    Command("account", "arena.cli.account:app", "Accounts and their tokens."),
    Command("bench", "arena.cli.bench:app", "Measure how fast the arena is."),
)


def main() -> None:
    """Run the command line of this process and exit with its code."""
    signal.signal(signal.SIGTERM, _leave)
    # gRPC's core tells of every stream that is reset, on the page a person is reading; it reads this when imported.
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return the exit code; what goes wrong becomes one line on stderr."""
    debug = bool(os.environ.get("ARENA_DEBUG"))  # the one switch that shows a traceback
    try:
        code = _build(arguments)(list(arguments) or ["--help"], prog_name="arena", standalone_mode=False)
        sys.stdout.flush()
    except ArenaError as failure:
        if debug:
            raise
        error(failure.message)
        return failure.exit_code
    except TyperException as failure:
        if message := failure.format_message():  # none: a group without a command, whose help has just been shown
            error(message)
        return failure.exit_code
    except (Interrupted, KeyboardInterrupt, typer.Abort) as stop:
        note("interrupted" if not isinstance(stop, Interrupted) else str(stop))
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # Whoever read stdout has gone, as in `arena replay LOG | head`; keep the interpreter from complaining at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_FAILURE
    except Exception as fault:  # the last resort: no traceback ever reaches a user
        if debug:
            raise
        error(f"internal error: {type(fault).__name__}: {_one_line(fault)}; run with ARENA_DEBUG=1 for the traceback")
        return EXIT_INTERNAL
    if code == EXIT_INTERRUPTED:
        note("interrupted")
    return code if isinstance(code, int) else 0


def _leave(number: int, _frame: object) -> None:
    """Unwind, so that whatever a command started is stopped on the way out."""
    raise Terminated(128 + number)


def _one_line(fault: Exception) -> str:
    return " ".join(str(fault).split()) or "no message"


def _build(arguments: Sequence[str]) -> Callable[..., Any]:
    """Return the application with the one command loaded that the arguments name; the others are names only."""
    app = typer.Typer(
        help="Whiteout: a tournament arena for bots that play winter board games.",
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    wanted = next((word for word in arguments if not word.startswith("-")), None)
    for command in COMMANDS:
        if command.name != wanted:
            app.command(command.name, help=command.help)(_unloaded)
            continue
        module, _, attribute = command.target.partition(":")
        target = getattr(import_module(module), attribute)
        if isinstance(target, typer.Typer):
            app.add_typer(target, name=command.name, help=command.help)
        else:
            app.command(command.name)(target)
    return typer.main.get_command(app)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # noqa: PLC0415 - costs 20 ms that only this option needs

        typer.echo(f"arena {version('whiteout-arena')}")
        raise typer.Exit


def _options(
    version: bool = typer.Option(False, "--version", callback=_show_version, is_eager=True, help="Print the version."),
) -> None:
    """Give the application its own options; the work is in their callbacks."""


def _unloaded() -> None:
    raise AssertionError("only the command asked for is ever called")
