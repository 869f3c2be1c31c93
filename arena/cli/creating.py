"""`arena tournament create`: makes a tournament as options or a TOML file describe it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.client import connect
from arena.cli.description import Description, read_description, read_text
from arena.cli.options import CaOption, DataOption, JsonOption, ServerOption, TokenFileOption, as_plain
from arena.cli.output import counted, note, print_json, say
from arena.core.errors import UsageError
from arena.v1 import tournament_pb2 as pb


def create(
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="Its name; else the one in the file.")] = "",
    *,
    file: Annotated[Path | None, typer.Option("--file", metavar="T.toml", help="Describes all of it.")] = None,
    game: Annotated[str, typer.Option("--game", metavar="GAME", help="Id of the game.")] = "",
    bots: Annotated[str, typer.Option("--bots", metavar="A,B,...", help="NAME or NAME@VERSION, with commas.")] = "",
    form: Annotated[str, typer.Option("--format", metavar="F", help="round-robin, gauntlet or ladder.")] = "",
    heads: Annotated[str, typer.Option("--heads", metavar="A,B,...", help="Those who meet a gauntlet's rest.")] = "",
    deals: Annotated[int | None, typer.Option("--deals", min=0, help="Deals that every pairing plays.")] = None,
    variant: Annotated[str, typer.Option("--variant", metavar="V", help="Else the game's first.")] = "",
    seats: Annotated[int, typer.Option("--seats", min=0, help="Bots in a match; else the fewest.")] = 0,
    clock: Annotated[str, typer.Option("--clock", metavar="C", help="Else the game's own; none: no clock.")] = "",
    components: Annotated[Path | None, typer.Option("--components", metavar="FILE", help="Component numbers.")] = None,
    remote: Annotated[bool, typer.Option("--remote", help="Bots may play from their authors' machines.")] = False,
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    data: DataOption = None,
    ca: CaOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a tournament between submitted bots.

    A round-robin unless --format says otherwise; a ladder goes on without an end unless --deals gives one.
    """
    given = [game, bots, form, heads, deals is not None, variant, seats, clock, components, remote]
    if file is not None:
        if any(given):
            raise UsageError("--file describes a tournament whole; put the other options into it")
        described = read_description(file)
        described = replace(described, name=name or described.name)
    else:
        described = _from_options(name, game, bots, form, heads)
        described = replace(
            described,
            deals=deals or 0,
            variant=variant,
            seats=seats,
            clock=clock,
            remote=remote,
            components=_component_text(components) if components else "",
        )
    with connect(server, token_file, data, ca) as session:
        made = session.call(session.tournaments.CreateTournament, described.request()).tournament
    if as_json:
        print_json(as_plain([made])[0])
        return
    _tell(made, len(described.bots) + len(described.heads))


def _from_options(name: str, game: str, bots: str, form: str, heads: str) -> Description:
    if not name or not game:
        raise UsageError("a tournament needs a NAME and --game, or --file with a TOML file that says all of it")
    listed = {option: _listed(option, text) for option, text in (("--bots", bots), ("--heads", heads))}
    return Description(
        name=name, game=game, format=form or "round-robin", bots=listed["--bots"], heads=listed["--heads"]
    )


def _listed(option: str, text: str) -> tuple[str, ...]:
    found = tuple(each.strip() for each in text.split(",") if each.strip())
    if text and not found:
        raise UsageError(f"{option} {text!r} names no bot; give names with commas, such as greedy,random")
    return found


def _component_text(file: Path) -> str:
    text = read_text(file, "component file")
    if not text:
        # To the server this would mean the game's own numbers.
        raise UsageError(f"component file {file} is empty")
    return text


def _tell(made: pb.Tournament, entered: int) -> None:
    kind = pb.TournamentFormat.Name(made.format).removeprefix("TOURNAMENT_FORMAT_").replace("_", "-").lower()
    each = "round" if made.remote else "deal"
    deals = counted(made.deals, each) if made.deals else "no end"
    say(
        f"{made.name}: {made.game} ({made.variant}), {kind}, {counted(made.seats, 'seat')}, clock {made.clock},"
        f" {counted(entered, 'bot')}, {deals}{', remote' * made.remote}"
    )
    if made.remote:
        note("every match has a deal of its own, and results count among matches with remote bots only")
    if not entered:
        note(f"entry is open; enter bots with `arena tournament enter {made.name} BOT`")
    note(f"start it with `arena tournament start {made.name}`")
