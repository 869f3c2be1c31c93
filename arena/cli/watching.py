"""`arena tournament watch`: shows how far a tournament is, and what keeps it from going on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.client import Session, connect, watch_tournament
from arena.cli.options import CaOption, DataOption, ServerOption, TokenFileOption, as_plain, word
from arena.cli.output import Interrupted, counted, note, progress, say
from arena.cli.remaining import remaining
from arena.core.errors import ArenaError, Refused
from arena.v1 import tournament_pb2 as pb

OVER = frozenset({pb.TOURNAMENT_STATE_FINISHED, pb.TOURNAMENT_STATE_CANCELLED})


def watch(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The tournament's name.")],
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    data: DataOption = None,
    ca: CaOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print each change as a line of JSON.")] = False,
) -> None:
    """Show a tournament's progress until it is over, and what is stuck and why.

    Exit code 1 if it was cancelled.
    """
    try:
        with connect(server, token_file, data, ca) as session:
            last = _print_changes(session, name) if as_json else follow(session, name)
    except KeyboardInterrupt:
        left = _left(name, server, token_file, data, ca)
        raise Interrupted(f"{left}watch it again with `arena tournament watch {name}`") from None
    counts = last.progress
    if not as_json:
        state = word(pb.TournamentState.Name, last.state, "TOURNAMENT_STATE_")
        say(f"{name}: {state}, {counts.finished} of {counts.total} matches with a result")
    if last.state == pb.TOURNAMENT_STATE_CANCELLED:
        raise Refused(f"tournament {name} was cancelled", reason="TOURNAMENT_CANCELLED")
    note(f"see `arena tournament standings {name}`")


def _left(name: str, server: str | None, token_file: Path | None, data: Path | None, ca: Path | None) -> str:
    """Return what remains to say at an interrupt: asked anew, for the last thing heard may be old."""
    try:
        with connect(server, token_file, data, ca) as session:
            found = session.call(session.tournaments.GetTournament, pb.GetTournamentRequest(name=name))
    except ArenaError:
        return ""
    if found.tournament.state == pb.TOURNAMENT_STATE_CREATED:
        return "the tournament has not been started; "
    return f"the tournament goes on: {remaining(found.progress)}; "


def follow(session: Session, name: str) -> pb.WatchTournamentResponse:
    """Show a bar until the tournament is over, and return the last thing heard."""
    heard = _telling(watch_tournament(session, name))
    last = next(heard)
    if last.state == pb.TOURNAMENT_STATE_CREATED:
        note(f"{name} has not been started; start it with `arena tournament start {name}`")
    while not last.progress.total and last.state not in OVER:
        last = next(heard)
    if last.progress.wait_bound_blocks:
        return _follow_ladder(name, last, heard)
    shown = 0
    with progress(name, last.progress.total) as bar:
        while True:
            counts = last.progress
            done = counts.finished + counts.without_result
            for _ in range(shown, done):
                bar.advance(pace(counts))
            bar.tell(pace(counts))
            shown = max(shown, done)
            following = next(heard, None)
            if following is None:
                return last
            last = following


def _follow_ladder(
    name: str, last: pb.WatchTournamentResponse, heard: Iterator[pb.WatchTournamentResponse]
) -> pb.WatchTournamentResponse:
    """Tell of every block that is over: a ladder has no total that a bar could run up to."""
    told = -1
    while True:
        counts = last.progress
        if counts.finished_deals != told:
            told = counts.finished_deals
            note(
                f"{name}: blocks over: {told}, matches {pace(counts)}, longest wait:"
                f" {counted(counts.longest_wait_blocks, 'block')} of at most {counts.wait_bound_blocks}"
            )
        following = next(heard, None)
        if following is None:
            return last
        last = following


def pace(counts: pb.TournamentProgress) -> str:
    """Return how many matches run, how many end per minute, and how long the rest will take."""
    parts = [f"running: {counts.running}"]
    if counts.matches_per_minute:
        parts.append(f"{counts.matches_per_minute:.1f} a minute")
    if counts.HasField("seconds_left") and counts.seconds_left:
        parts.append(f"{_span(counts.seconds_left)} left")
    return ", ".join(parts)


def _span(seconds: int) -> str:
    """Return a length of time in its largest unit or two: 40 s, 3 min, 2 h 10 min, 4 d 3 h."""
    minutes, hours, days = seconds // 60, seconds // 3600, seconds // 86400
    if days:
        return f"{days} d {hours % 24} h"
    if hours:
        return f"{hours} h {minutes % 60} min"
    return f"{minutes} min" if minutes else f"{seconds} s"


def _telling(answers: Iterator[pb.WatchTournamentResponse]) -> Iterator[pb.WatchTournamentResponse]:
    """Pass on what is heard, and say each new obstacle once, until it has gone and come back."""
    standing: set[str] = set()
    for heard in answers:
        now = [obstacle.message for obstacle in heard.progress.obstacles]
        for message in now:
            if message not in standing:
                note(message)
        standing = set(now)
        yield heard


def _print_changes(session: Session, name: str) -> pb.WatchTournamentResponse:
    last = pb.WatchTournamentResponse()
    for heard in watch_tournament(session, name):
        last = heard
        say(json.dumps(as_plain([heard])[0], ensure_ascii=False))
    return last
