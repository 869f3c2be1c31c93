"""What an organiser does to a tournament that is made: pause, resume, cancel, enter and withdraw bots."""

from __future__ import annotations

from typing import Annotated

import typer

from arena.cli.client import connect, parse_bot
from arena.cli.options import CaOption, DataOption, JsonOption, ServerOption, TokenFileOption, as_plain, word
from arena.cli.output import note, print_json, say
from arena.cli.remaining import remaining
from arena.v1 import tournament_pb2 as pb

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The tournament's name.")]
BotArgument = Annotated[str, typer.Argument(metavar="BOT", help="NAME or NAME@VERSION.")]


def pause(
    name: NameArgument,
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    data: DataOption = None,
    ca: CaOption = None,
    as_json: JsonOption = False,
) -> None:
    """Queue nothing more; blocks that are being played are played to their end."""
    with connect(server, token_file, data, ca) as session:
        session.call(session.tournaments.PauseTournament, pb.PauseTournamentRequest(name=name))
        found = session.call(session.tournaments.GetTournament, pb.GetTournamentRequest(name=name))
    _tell(found, as_json=as_json)
    note(f"go on with `arena tournament resume {name}`")


def resume(
    name: NameArgument,
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    data: DataOption = None,
    ca: CaOption = None,
    as_json: JsonOption = False,
) -> None:
    """Go on with a paused tournament where it was left."""
    with connect(server, token_file, data, ca) as session:
        session.call(session.tournaments.ResumeTournament, pb.ResumeTournamentRequest(name=name))
        found = session.call(session.tournaments.GetTournament, pb.GetTournamentRequest(name=name))
    _tell(found, as_json=as_json)
    note(f"watch it with `arena tournament watch {name}`")


def cancel(
    name: NameArgument,
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    data: DataOption = None,
    ca: CaOption = None,
    as_json: JsonOption = False,
) -> None:
    """End a tournament for good: what was played stays and counts, the rest is void."""
    with connect(server, token_file, data, ca) as session:
        session.call(session.tournaments.CancelTournament, pb.CancelTournamentRequest(name=name))
        found = session.call(session.tournaments.GetTournament, pb.GetTournamentRequest(name=name))
    _tell(found, as_json=as_json)
    note(f"see `arena tournament standings {name}`")


def enter(
    name: NameArgument,
    bot: BotArgument,
    *,
    head: Annotated[bool, typer.Option("--head", help="As one that meets all the others of a gauntlet.")] = False,
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    data: DataOption = None,
    ca: CaOption = None,
    as_json: JsonOption = False,
) -> None:
    """Enter a bot; late, it plays the deals of which nothing has begun."""
    label, version = parse_bot(bot)
    request = pb.EnterBotRequest(tournament=name, bot=label, version=version, head=head)
    with connect(server, token_file, data, ca) as session:
        entered = session.call(session.tournaments.EnterBot, request).entrant
    if as_json:
        print_json(as_plain([entered])[0])
        return
    since = f" from deal {entered.first_deal} on" if entered.late else ""
    say(f"{name}: {entered.bot}@{entered.version} plays{since}")


def withdraw(
    name: NameArgument,
    bot: BotArgument,
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    data: DataOption = None,
    ca: CaOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take a bot out: its untouched blocks are void, what it has played stays."""
    label, version = parse_bot(bot)
    request = pb.WithdrawBotRequest(tournament=name, bot=label, version=version)
    with connect(server, token_file, data, ca) as session:
        found = session.call(session.tournaments.WithdrawBot, request)
    if as_json:
        print_json(as_plain([found])[0])
        return
    counts = found.progress
    say(
        f"{name}: {bot} is withdrawn; {counts.finished} matches have a result, {counts.queued + counts.running} are to"
        f" be played, {counts.without_result} stay without a result"
    )


def _tell(found: pb.GetTournamentResponse, *, as_json: bool) -> None:
    """Say how a tournament stands and what remains of it."""
    tournament = found.tournament
    if as_json:
        print_json(as_plain([tournament])[0])
    else:
        state = word(pb.TournamentState.Name, tournament.state, "TOURNAMENT_STATE_")
        say(f"{tournament.name}: {state}, {remaining(found.progress)}")
