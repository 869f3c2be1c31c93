"""`arena challenge` and `arena reproduce`: matches that a server plays because somebody asked; never rated."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from arena.cli.client import Session, connect, parse_bot, watch_tournament
from arena.cli.matches import fetch_log, list_matches
from arena.cli.options import CaOption, DataOption, JsonOption, ServerOption, TokenFileOption, as_plain, word
from arena.cli.output import Interrupted, note, print_json, print_table, say
from arena.core.errors import Refused
from arena.match.compare import Difference, first_difference
from arena.v1 import match_pb2, tournament_pb2
from arena.v1.match_result_pb2 import MatchEnd


def challenge(
    bots: Annotated[list[str], typer.Argument(metavar="BOT...", help="NAME or NAME@VERSION, one for each seat.")],
    *,
    game: Annotated[str, typer.Option("--game", metavar="GAME", help="Else the first that all of them play.")] = "",
    variant: Annotated[str, typer.Option("--variant", metavar="V", help="Else the game's first.")] = "",
    blocks: Annotated[int, typer.Option("--blocks", min=1, help="Blocks, each on a deal of its own.")] = 1,
    clock: Annotated[str, typer.Option("--clock", metavar="C", help="Else the game's own; none: no clock.")] = "",
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait for the results.")] = True,
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    data: DataOption = None,
    ca: CaOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let bots of a server play each other, unrated.

    Exit code 1 if a match stays without a result.
    """
    labels = [match_pb2.ChallengedBot(bot=bot, version=version) for bot, version in map(parse_bot, bots)]
    request = match_pb2.ChallengeRequest(game=game, bots=labels, variant=variant, blocks=blocks, clock=clock)
    with connect(server, token_file, data, ca) as session:
        made = session.call(session.matches.Challenge, request)
        if not wait:
            _tell_queued(made, as_json=as_json)
            return
        note(f"{made.tournament}: {made.matches} matches are queued")
        _wait(session, made.tournament)
        played = list_matches(session, made.tournament)[::-1]
    if as_json:
        print_json({"tournament": made.tournament, "matches": as_plain(played)})
    else:
        _show(played)
    if any(not each.seats[0].rank for each in played):
        raise Refused("a match stayed without a result; its reason is shown", reason="NO_RESULT")


def reproduce(
    match: Annotated[str, typer.Argument(metavar="MATCH", help="Id of a match, as `arena matches` lists it.")],
    *,
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    data: DataOption = None,
    ca: CaOption = None,
    as_json: JsonOption = False,
) -> None:
    """Play a match again on the server, with the same bots and seed, and name the first ply that differs.

    Exit code 1 if one does.
    """
    with connect(server, token_file, data, ca) as session:
        made = session.call(session.matches.ReproduceMatch, match_pb2.ReproduceMatchRequest(match_id=match))
        note(f"match {match} is played again as match {made.match_id}")
        _wait(session, made.tournament)
        found = session.call(session.matches.GetMatch, match_pb2.GetMatchRequest(match_id=made.match_id)).match
        if not found.log_sha256:
            raise Refused(f"match {made.match_id} left no log: {found.reason}; try again", reason="NO_LOG")
        logs = [fetch_log(session, number).splitlines(keepends=True) for number in (match, made.match_id)]
    difference = first_difference(*logs)
    if as_json:
        print_json({"match": match, "again": made.match_id, "same": difference is None, **_facts(difference)})
    elif difference is None:
        say(f"match {match}: the same again, all {found.plies} plies (match {made.match_id})")
    else:
        where = "the result" if difference.ply is None else f"ply {difference.ply}"
        say(f"match {match}: {where} differs in match {made.match_id}")
        say(f"  match {match}: {difference.first}")
        say(f"  match {made.match_id}: {difference.second}")
    if difference is not None:
        raise typer.Exit(1)


def _facts(difference: Difference | None) -> dict[str, Any]:
    if difference is None:
        return {"ply": None}
    return {"ply": difference.ply, "first": difference.first, "second": difference.second}


def _tell_queued(made: match_pb2.ChallengeResponse, *, as_json: bool) -> None:
    if as_json:
        print_json(as_plain([made])[0])
        return
    say(f"{made.tournament}: {made.matches} matches are queued")
    note(f"watch them with `arena tournament watch {made.tournament}`")


def _wait(session: Session, name: str) -> None:
    """Return once a request is over; what stands in its way is told once."""
    told: set[str] = set()
    try:
        for heard in watch_tournament(session, name):
            for obstacle in heard.progress.obstacles:
                if obstacle.message not in told:
                    note(obstacle.message)
                    told.add(obstacle.message)
            if heard.state == tournament_pb2.TOURNAMENT_STATE_CANCELLED:
                raise Refused(f"{name} was cancelled", reason="TOURNAMENT_CANCELLED")
    except KeyboardInterrupt:
        raise Interrupted(f"it is played all the same; watch it with `arena tournament watch {name}`") from None


def _show(played: list[match_pb2.Match]) -> None:
    rows = [
        (
            each.id,
            f"{each.deal} remote" if each.remote else f"{each.deal}.{each.leg}",
            word(MatchEnd.Name, each.end, "MATCH_END_"),
            ", ".join(f"{seat.rank or '-'} {seat.bot}@{seat.version}" for seat in each.seats),
            each.reason,
        )
        for each in played
    ]
    print_table(("match", "leg", "end", "rank bot", "reason"), rows)
    say("unrated; fetch a log with `arena log MATCH`")
