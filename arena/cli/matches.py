"""`arena matches` and `arena log`: the matches of a server and their logs."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.client import Session, connect
from arena.cli.options import (
    CaOption,
    DataOption,
    JsonOption,
    LimitOption,
    ServerOption,
    TokenFileOption,
    as_plain,
    clock_time,
    is_wide,
    word,
)
from arena.cli.output import note, print_json, print_table
from arena.core.errors import LogError, UsageError
from arena.v1 import match_pb2 as pb
from arena.v1.match_result_pb2 import SEAT_END_PLAYED, MatchEnd, SeatEnd

_STATES = {"queued", "running", "finished", "cancelled"}


def matches(
    *,
    tournament: Annotated[str, typer.Option("--tournament", metavar="NAME", help="Only this tournament's.")] = "",
    game: Annotated[str, typer.Option("--game", metavar="GAME", help="Only this game's.")] = "",
    bot: Annotated[str, typer.Option("--bot", metavar="NAME", help="Only this bot's.")] = "",
    state: Annotated[
        str, typer.Option("--state", metavar="STATE", help="queued, running, finished or cancelled.")
    ] = "",
    limit: LimitOption = 50,
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    data: DataOption = None,
    ca: CaOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the matches of a server, newest first."""
    if state and state not in _STATES:
        raise UsageError(f"no state {state!r}; there are: queued, running, finished, cancelled")
    if "@" in bot:
        raise UsageError(f"--bot {bot} is a version; give the bot's name alone: {bot.partition('@')[0]}")
    wanted = pb.ListMatchesRequest(tournament=tournament, game=game, bot=bot, page_size=min(limit, 1000))
    if state:
        wanted.state = pb.MatchState.Value(f"MATCH_STATE_{state.upper()}")
    with connect(server, token_file, data, ca) as session:
        found, more = _list(session, wanted, limit)
    if as_json:
        print_json(as_plain(found))
    elif found:
        rows = [
            (
                each.id,
                each.tournament,
                f"{each.deal} remote" if each.remote else f"{each.deal}.{each.leg}",
                _how(each),
                ", ".join(map(_seat, each.seats)),
                each.plies or None,
                clock_time(each.finished_at),
            )
            for each in found
        ]
        columns = ("match", "tournament", "leg", "state", "rank bot", "plies", "finished")
        shown = len(columns) if is_wide() else columns.index("plies")
        print_table(columns[:shown], [row[:shown] for row in rows])
    else:
        note("no such matches yet")
    if more:
        note(f"there are more than {limit}; see them with --limit")


def log(
    match: Annotated[str, typer.Argument(metavar="MATCH", help="Id of a match, as `arena matches` lists it.")],
    file: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where to write it; else on stdout.")
    ] = None,
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    data: DataOption = None,
    ca: CaOption = None,
) -> None:
    """Fetch a match's log; check it with `arena verify`, step through it with `arena replay`."""
    with connect(server, token_file, data, ca) as session:
        content = fetch_log(session, match)
    if file is None:
        sys.stdout.buffer.write(content)
        return
    try:
        file.write_bytes(content)
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}; the log was not written") from None
    note(f"wrote {file}, {len(content.splitlines())} lines")


def fetch_log(session: Session, match: str) -> bytes:
    """Return a match's log, JSON Lines in UTF-8. Raises LogError when it arrives other than it is stored."""
    content = bytearray()
    sha256 = ""
    for part in session.stream(session.matches.GetMatchLog, pb.GetMatchLogRequest(match_id=match), timeout_s=120):
        sha256 = sha256 or part.sha256
        content += part.chunk
    if hashlib.sha256(content).hexdigest() != sha256:
        raise LogError(f"the log of match {match} arrived damaged; fetch it again", reason="LOG_DAMAGED")
    return bytes(content)


def list_matches(session: Session, tournament: str) -> list[pb.Match]:
    """Return every match of a tournament, newest first."""
    return _list(session, pb.ListMatchesRequest(tournament=tournament), 0)[0]


def _list(session: Session, wanted: pb.ListMatchesRequest, limit: int) -> tuple[list[pb.Match], bool]:
    """Return up to limit matches (0: all), and whether there are more."""
    found: list[pb.Match] = []
    for page in session.pages(session.matches.ListMatches, wanted):
        found += page.matches
        if limit and len(found) >= limit:
            return found[:limit], bool(page.next_page_token) or len(found) > limit
    return found, False


def _how(match: pb.Match) -> str:
    if match.state == pb.MATCH_STATE_FINISHED:
        return word(MatchEnd.Name, match.end, "MATCH_END_")
    return word(pb.MatchState.Name, match.state, "MATCH_STATE_")


def _seat(seat: pb.MatchSeat) -> str:
    text = f"{seat.rank or '-'} {seat.bot}@{seat.version}"
    if seat.end and seat.end != SEAT_END_PLAYED:
        text += f" ({word(SeatEnd.Name, seat.end, 'SEAT_END_')})"
    return text
