"""Shows a submitted version's checks while they go on: lines on a pipe, a live table on a terminal."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterable, Iterator

from arena.cli.client import Session
from arena.cli.options import word
from arena.cli.output import note
from arena.core.errors import Unavailable
from arena.v1 import bot_pb2 as pb
from arena.v1 import match_pb2, match_result_pb2


def follow(session: Session, version: pb.BotVersion) -> pb.WatchSubmissionResponse:
    """Follow a version's checks and return the last thing heard: accepted, rejected, or out of play."""
    request = pb.WatchSubmissionRequest(bot=version.bot, version=version.version)
    heard = session.stream(session.bots.WatchSubmission, request)
    if version.state != pb.BOT_VERSION_STATE_CHECKING:
        return _last(heard)
    last = _last(_shown_live(heard) if sys.stderr.isatty() else _told(heard))
    if last.version.state == pb.BOT_VERSION_STATE_ACCEPTED:
        note(f"{version.bot}@{version.version} is accepted")
    return last


def _last(heard: Iterable[pb.WatchSubmissionResponse]) -> pb.WatchSubmissionResponse:
    last = deque(heard, maxlen=1)
    if not last:
        raise Unavailable("the server said nothing about the checks; ask with `arena versions`", reason="NO_ANSWER")
    return last[0]


def _told(heard: Iterable[pb.WatchSubmissionResponse]) -> Iterator[pb.WatchSubmissionResponse]:
    """Say each match's state once, as it comes."""
    said: set[str] = set()
    for answer in heard:
        for match in answer.matches:
            line = f"{match.game}: match {match.match_id} {_state(match)}"
            if line not in said:
                said.add(line)
                note(line)
        yield answer


def _shown_live(heard: Iterable[pb.WatchSubmissionResponse]) -> Iterator[pb.WatchSubmissionResponse]:
    from rich.console import Console  # noqa: PLC0415 - only terminals need it
    from rich.live import Live  # noqa: PLC0415 - as above
    from rich.table import Table  # noqa: PLC0415 - as above
    from rich.text import Text  # noqa: PLC0415 - as above

    with Live(console=Console(stderr=True), refresh_per_second=8) as live:
        for answer in heard:
            table = Table(box=None, show_header=False, pad_edge=False)
            for match in answer.matches:
                plies = f"ply {match.plies}" if match.state == match_pb2.MATCH_STATE_RUNNING else ""
                table.add_row(match.game, f"match {match.match_id}", Text(_state(match), style=_style(match)), plies)
            live.update(table)
            yield answer


def _state(match: pb.QualificationMatch) -> str:
    if match.state == match_pb2.MATCH_STATE_QUEUED:
        return "waits for a worker"
    if match.state == match_pb2.MATCH_STATE_RUNNING:
        return "is being played"
    if match.state == match_pb2.MATCH_STATE_CANCELLED:
        return "is not needed any more"
    if match.end == match_result_pb2.MATCH_END_COMPLETED:
        return f"passed, {match.plies} plies"
    if match.seat_end in {match_result_pb2.SEAT_END_UNSPECIFIED, match_result_pb2.SEAT_END_PLAYED}:
        return "could not be played"
    return f"failed: {word(match_result_pb2.SeatEnd.Name, match.seat_end, 'SEAT_END_')}"


def _style(match: pb.QualificationMatch) -> str:
    if match.end == match_result_pb2.MATCH_END_COMPLETED:
        return "green"
    return "red" if match.end else ""
