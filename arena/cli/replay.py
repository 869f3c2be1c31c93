"""`arena replay`: shows a match log as one seat, or the public, saw it."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import typer

from arena.cli.logfile import check_writable, open_log, write_file
from arena.cli.output import note, print_json, say
from arena.cli.replayto import check_options, replay_to
from arena.core.errors import UsageError
from arena.core.seat import CHANCE, Seat
from arena.match.entries import Forfeit, Ply
from arena.match.replay import Replay, Step
from arena.match.result import MatchResult

_LEAST_WIDTH = 80


def replay(
    log: Path = typer.Argument(..., metavar="LOG", help="A match log, plain or .zst."),
    ply: int | None = typer.Option(None, "--ply", min=0, help="Show the position in which this ply is to be made."),
    seat: int | None = typer.Option(None, "--seat", min=0, help="Show what this seat saw."),
    public: bool = typer.Option(False, "--public", help="Show what everybody saw (the default)."),
    svg: Path | None = typer.Option(
        None, "--svg", help="Draw the position into this file (the last one without --ply)."
    ),
    as_seat: int | None = typer.Option(None, "--as-seat", min=0, help="Ask a bot what this seat was asked; with --to."),
    to: str | None = typer.Option(None, "--to", metavar="BOT", help="The bot to ask: a folder, or a built-in name."),
    in_process: bool = typer.Option(False, "--in-process", help="With --to: ask a Python bot in this process."),
    unsafe: bool = typer.Option(False, "--unsafe-no-sandbox", help="With --to: start it as an ordinary program."),
    json: bool = typer.Option(False, "--json", help="Print JSON: the events, or with --ply the game's view message."),
) -> None:
    """Show a match log from one perspective: every event in order, or with --ply one position.

    With --as-seat S --to BOT, ask the bot what that seat was asked, with the same views and the same bot_seed, and list
    the plies where it now decides otherwise. The exit code is 0 however many there are, 1 if the bot fails.
    """
    shows = {"--ply": ply is not None, "--seat": seat is not None, "--public": public, "--svg": svg is not None}
    asks = check_options(as_seat, to, {**shows, "--in-process": in_process, "--unsafe-no-sandbox": unsafe})
    if public and seat is not None:
        raise UsageError("give --seat or --public, not both")
    viewer = None if seat is None else Seat(seat)
    if svg is not None:
        check_writable(svg)
    with open_log(log) as lines:
        match = Replay(lines)
    match.check_seat(viewer)
    if not match.complete:
        note(f"{log} is incomplete: it ends after {match.plies} plies, before the result")
    if asks and as_seat is not None and to is not None:
        replay_to(log, match, Seat(as_seat), to, in_process=in_process, unsafe=unsafe, json=json)
        return
    if ply is None and svg is None:
        _list_events(match, viewer, json=json)
        return
    match.seek(match.plies if ply is None else ply)
    if svg is not None:
        write_file(svg, match.game.render_svg(match.view(viewer), match.components).encode())
        note(f"wrote {svg}")
    else:
        show_position(match, viewer, json=json)


def show_position(match: Replay, viewer: Seat | None, *, json: bool) -> None:
    """Print the position in which a replay stands, as a seat (None: the public) saw it, with its choices."""
    view = match.view(viewer)
    choices = [match.game.describe(action, match.components) for action in match.choices(viewer)]
    if json:
        from google.protobuf.json_format import MessageToDict  # noqa: PLC0415 - 30 ms that only --json needs

        print_json({"ply": match.ply, "seat": viewer, "view": MessageToDict(view), "choices": choices})
        return
    say(_title(match))
    say(f"ply {match.ply} of {match.plies}, as {_viewer(match, viewer)} saw it")
    say()
    width = max(_LEAST_WIDTH, shutil.get_terminal_size().columns if sys.stdout.isatty() else _LEAST_WIDTH)
    say(match.game.render_text(view, match.components, width).rstrip("\n"))
    if choices:
        say()
        say(f"seat {viewer} is to choose:")
        for number, words in enumerate(choices):
            say(f"  {number:3}  {words}")
    if match.ply == match.plies and match.result is not None:
        say()
        _say_result(match, match.result)


def _list_events(match: Replay, viewer: Seat | None, *, json: bool) -> None:
    if json:
        print_json([_step_facts(step) for step in match.steps(viewer)])
        return
    say(_title(match))
    say(f"as {_viewer(match, viewer)} saw it; --ply N shows the position in which ply N is to be made")
    say()
    for step in match.steps(viewer):
        entry = step.line.entry
        if isinstance(entry, Ply):
            who = "chance" if entry.actor is CHANCE else f"seat {entry.actor}"
            how = f" ({entry.auto})" if entry.auto is not None else ""
            first, *more = step.story or ("-",)
            say(f"{entry.ply:5}  {who}{how}: {first.removeprefix(f'{who} ')}")
            for words in more:
                say(f"{'':7}{words}")
        elif isinstance(entry, Forfeit):
            for out, end in entry.ends.items():
                say(f"{entry.ply:5}  seat {out} forfeits: {end}")
    if match.result is not None:
        say()
        _say_result(match, match.result)


def _step_facts(step: Step) -> dict[str, Any]:
    entry = step.line.entry
    facts: dict[str, Any] = {"line": step.line.number, "events": list(step.story)}
    if isinstance(entry, Ply):
        facts |= {"ply": entry.ply, "actor": "chance" if entry.actor is CHANCE else entry.actor, "auto": entry.auto}
    elif isinstance(entry, Forfeit):
        facts |= {"ply": entry.ply, "forfeits": {str(seat): end for seat, end in entry.ends.items()}}
    return facts


def _title(match: Replay) -> str:
    bots = ", ".join(f"{seat} {label.bot}@{label.version}" for seat, label in enumerate(match.header.seats))
    unsafe = ", without sandbox" if match.header.unsafe else ""
    return f"{match.game.spec.title} ({match.header.variant}), seats: {bots}{unsafe}"


def _viewer(match: Replay, viewer: Seat | None) -> str:
    return "the public" if viewer is None else f"seat {viewer} ({match.header.seats[viewer].bot})"


def _say_result(match: Replay, result: MatchResult) -> None:
    say(f"{result.ending} after {result.plies} plies")
    for seat, label in enumerate(match.header.seats):
        score = "-" if result.scores[seat] is None else result.scores[seat]
        say(f"  rank {result.ranks[seat]}  seat {seat} {label.bot}  score {score}  {result.seat_ends[seat]}")
