"""`arena tournament ...`: makes, starts, watches and lists tournaments, and shows how they stand."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.client import Session, connect, create_tournament, start_tournament, watch_tournament
from arena.cli.export import export
from arena.cli.options import DataOption, JsonOption, ServerOption, TokenFileOption, as_plain, clock_time, is_wide, word
from arena.cli.output import Interrupted, note, print_json, print_table, progress, say
from arena.cli.standings import standings
from arena.core.errors import Refused, UsageError
from arena.v1 import tournament_pb2 as pb

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Make, run and watch tournaments.")

app.command()(standings)
app.command()(export)

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The tournament's name.")]


@app.command()
def create(
    name: NameArgument,
    *,
    game: Annotated[str, typer.Option("--game", metavar="GAME", help="Id of the game.")],
    bots: Annotated[str, typer.Option("--bots", metavar="A,B,...", help="NAME or NAME@VERSION, with commas.")],
    deals: Annotated[int, typer.Option("--deals", min=1, help="Deals that every pairing plays.")] = 1,
    variant: Annotated[str, typer.Option("--variant", metavar="V", help="Else the game's first.")] = "",
    seats: Annotated[int, typer.Option("--seats", min=0, help="Bots in a match; else the fewest.")] = 0,
    clock: Annotated[str, typer.Option("--clock", metavar="C", help="Else the game's own; none: no clock.")] = "",
    components: Annotated[Path | None, typer.Option("--components", metavar="FILE", help="Component numbers.")] = None,
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a round-robin tournament between submitted bots."""
    entrants = [each.strip() for each in bots.split(",") if each.strip()]
    if not entrants:
        raise UsageError(f"--bots {bots!r} names no bot; give names with commas, such as greedy,random")
    text = _read(components) if components else ""
    with connect(server, token_file, data) as session:
        made = create_tournament(
            session, name, game, entrants, deals, variant=variant, seats=seats, clock=clock, components=text
        )
    if as_json:
        print_json(as_plain([made])[0])
        return
    say(
        f"{made.name}: {made.game} ({made.variant}), {made.seats} seats, clock {made.clock}, {len(entrants)} bots,"
        f" {made.deals} deal{'s' * (made.deals != 1)}"
    )
    note(f"start it with `arena tournament start {made.name}`")


@app.command()
def start(
    name: NameArgument, server: ServerOption = None, token_file: TokenFileOption = None, data: DataOption = None
) -> None:
    """Close entry and queue every match."""
    with connect(server, token_file, data) as session:
        start_tournament(session, name)
        request = pb.GetTournamentRequest(name=name)
        found = session.call(session.tournaments.GetTournament, request)
    say(f"{name}: {_state(found.tournament.state)}, {found.progress.total} matches")
    note(f"watch it with `arena tournament watch {name}`")


@app.command()
def watch(
    name: NameArgument, server: ServerOption = None, token_file: TokenFileOption = None, data: DataOption = None
) -> None:
    """Show a tournament's progress until it is over."""
    try:
        with connect(server, token_file, data) as session:
            last = follow(session, name)
    except KeyboardInterrupt:
        raise Interrupted(f"the tournament goes on; watch it again with `arena tournament watch {name}`") from None
    counts = last.progress
    say(f"{name}: {_state(last.state)}, {counts.finished} of {counts.total} matches with a result")
    if last.state == pb.TOURNAMENT_STATE_CANCELLED:
        raise Refused(f"tournament {name} was cancelled", reason="TOURNAMENT_CANCELLED")
    note(f"see `arena tournament standings {name}`")


@app.command("list")
def list_(
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the tournaments of a server, newest first."""
    with connect(server, token_file, data) as session:
        found = [
            each
            for page in session.pages(session.tournaments.ListTournaments, pb.ListTournamentsRequest())
            for each in page.tournaments
        ]
    if as_json:
        print_json(as_plain(found))
        return
    if not found:
        note("no tournaments yet; make one with `arena tournament create`")
        return
    rows = [
        (each.name, each.game, each.variant, each.seats, each.deals, _state(each.state), clock_time(each.created_at))
        for each in found
    ]
    columns = ("name", "game", "variant", "seats", "deals", "state", "created")
    shown = len(columns) if is_wide() else columns.index("created")
    print_table(columns[:shown], [row[:shown] for row in rows])


def follow(session: Session, name: str) -> pb.WatchTournamentResponse:
    """Show a bar until the tournament is over, and return the last thing heard."""
    heard = watch_tournament(session, name)
    last = next(heard)
    if last.state == pb.TOURNAMENT_STATE_CREATED:
        note(f"{name} has not been started; start it with `arena tournament start {name}`")
    while not last.progress.total and last.state not in _OVER:
        last = next(heard)
    shown = 0
    with progress(name, last.progress.total) as bar:
        while True:
            counts = last.progress
            done = counts.finished + counts.without_result
            for _ in range(shown, done):
                bar.advance(f"{counts.running} running")
            shown = max(shown, done)
            following = next(heard, None)
            if following is None:
                return last
            last = following


_OVER = frozenset({pb.TOURNAMENT_STATE_FINISHED, pb.TOURNAMENT_STATE_CANCELLED})


def _state(value: pb.TournamentState.ValueType) -> str:
    return word(pb.TournamentState.Name, value, "TOURNAMENT_STATE_")


def _read(file: Path) -> str:
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"component file {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"component file {file} is no text in UTF-8") from None
    if not text:
        # To the server this would mean the game's own numbers.
        raise UsageError(f"component file {file} is empty")
    return text
