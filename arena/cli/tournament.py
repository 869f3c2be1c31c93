"""`arena tournament ...`: makes, starts, watches and lists tournaments, and shows how they stand."""

from __future__ import annotations

from typing import Annotated

import typer

from arena.cli.client import connect, start_tournament
from arena.cli.creating import create
from arena.cli.export import export
from arena.cli.options import (
    CaOption,
    DataOption,
    JsonOption,
    ServerOption,
    TokenFileOption,
    as_plain,
    clock_time,
    is_wide,
    word,
)
from arena.cli.organising import cancel, enter, pause, resume, withdraw
from arena.cli.output import counted, note, print_json, print_table, say
from arena.cli.standings import standings
from arena.cli.watching import watch
from arena.v1 import tournament_pb2 as pb

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Make, run and watch tournaments.")

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The tournament's name.")]


def start(
    name: NameArgument,
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    data: DataOption = None,
    ca: CaOption = None,
    as_json: JsonOption = False,
) -> None:
    """Close entry and queue every match."""
    with connect(server, token_file, data, ca) as session:
        start_tournament(session, name)
        request = pb.GetTournamentRequest(name=name)
        found = session.call(session.tournaments.GetTournament, request)
    if as_json:
        print_json(as_plain([found])[0])
        return
    say(f"{name}: {_state(found.tournament.state)}, {counted(found.progress.total, 'match')}")
    note(f"watch it with `arena tournament watch {name}`")


def list_(
    *,
    requests: Annotated[bool, typer.Option("--requests", help="Also challenges, repeats and qualifications.")] = False,
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    data: DataOption = None,
    ca: CaOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the tournaments of a server, newest first."""
    with connect(server, token_file, data, ca) as session:
        found = [
            each
            for page in session.pages(session.tournaments.ListTournaments, pb.ListTournamentsRequest(requests=requests))
            for each in page.tournaments
        ]
    if as_json:
        print_json(as_plain(found))
        return
    if not found:
        note("no tournaments yet; make one with `arena tournament create`")
        return
    rows = [
        (
            each.name,
            each.game,
            each.variant + ", remote" * each.remote,
            each.seats,
            each.deals or None,  # a ladder without an end
            _state(each.state),
            clock_time(each.created_at),
        )
        for each in found
    ]
    columns = ("name", "game", "variant", "seats", "deals", "state", "created")
    shown = len(columns) if is_wide() else columns.index("created")
    print_table(columns[:shown], [row[:shown] for row in rows])


def _state(value: pb.TournamentState.ValueType) -> str:
    return word(pb.TournamentState.Name, value, "TOURNAMENT_STATE_")


# In the order of a tournament's life: `--help` lists them so.
for command in (create, enter, start, watch, standings, pause, resume, withdraw, cancel, export):
    app.command()(command)
app.command("list")(list_)
