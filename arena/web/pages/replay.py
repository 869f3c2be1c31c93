"""Replays: a finished match's log, or one that somebody drops on the page, drawn ply by ply."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Annotated, Any, Final, TypeAlias

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import StreamingResponse
from jinja2 import Environment
from markupsafe import Markup

from arena.core.errors import Conflict, LimitReached, NotFound, PermissionDenied, UsageError
from arena.match.reel import Perspective, parse_perspective, perspective_text
from arena.match.replay import Replay
from arena.services import matches
from arena.web.rendering import page
from arena.web.screening import LONGEST_LOG, Shelf, Squeeze, frame_at, head_of, open_replay, screen, unpacked
from arena.web.site import site_of
from arena.web.veil import veiled
from arena.web.visitors import OPEN_TO_ALL, may

router: Final = APIRouter()

_READERS: Final = [may("MatchService/GetMatch"), may("MatchService/GetMatchLog")]
MatchId: TypeAlias = Annotated[int, Path(ge=1, lt=1 << 31)]
Ply: TypeAlias = Annotated[int, Query(ge=0, le=1_000_000)]
Looks: TypeAlias = Annotated[str, Query(alias="as", max_length=20)]

_THREADS: Final = {"stored": 2, "files": 1}
"""Threads that draw frames at once: pages are served in between, and strangers' files hold up no stored match."""

MOST_WAITING: Final = 20
"""Answers that may wait for such a thread."""


@router.get("/matches/{match_id}/replay", dependencies=_READERS)
def match_replay(request: Request, match_id: MatchId, ply: Ply = 0, looks: Looks = "all") -> Response:
    """Show a match from its log, opened at a ply; without script, one position a page."""
    match = matches.get_match(site_of(request).store, match_id)
    try:
        replay = _stored(request, match_id)
    except (NotFound, PermissionDenied) as closed:
        status = 404 if isinstance(closed, NotFound) else 403
        return page(request, "replay_none.html", status=status, match=veiled(match), problem=closed.message)
    facts = _facts(replay, parse_perspective(looks), min(ply, replay.plies))
    return page(
        request,
        "replay.html",
        match=match,
        source=f"/matches/{match_id}/frames.json",
        own=f"/matches/{match_id}/replay",
        **facts,
    )


@router.get("/matches/{match_id}/frames.json", dependencies=_READERS)
async def match_frames(request: Request, match_id: MatchId, ply: Ply = 0, looks: Looks = "all") -> Response:
    """Send all frames of a match, those around a ply first; see arena.web.screening.screen."""
    perspective = parse_perspective(looks)
    limiter = _limiter(request, "stored")
    replay = await to_thread.run_sync(_stored, request, match_id, limiter=limiter)
    replay.check_seat(perspective if isinstance(perspective, int) else None)
    return _screening(request, screen(replay, perspective, min(ply, replay.plies)), limiter)


@router.get("/replay", dependencies=[OPEN_TO_ALL])
def replay_page(request: Request) -> Response:
    """Show the page that opens a log file."""
    return page(request, "replay_open.html", longest=LONGEST_LOG)


@router.post("/replay/frames.json", dependencies=[OPEN_TO_ALL])
async def file_frames(request: Request, ply: Ply = 0, looks: Looks = "all") -> Response:
    """Send head and frames of the log in the body, which is kept nowhere; the first line holds the page around them.

    Raises UsageError (BAD_LOG, BAD_UPLOAD), LimitReached (LOG_TOO_LARGE), PermissionDenied (FOREIGN_FORM).
    """
    content = await _uploaded(request)
    perspective = parse_perspective(looks)
    limiter = _limiter(request, "files")
    replay, opening = await to_thread.run_sync(_opened, request, content, perspective, ply, limiter=limiter)
    return _screening(request, screen(replay, perspective, min(ply, replay.plies), opening), limiter)


def _stored(request: Request, match_id: int) -> Replay:
    """Open a match's log. Raises as get_log does, and Conflict (BAD_LOG) for one of other rules."""
    shelf: Shelf = request.app.state.shelf
    known = shelf.find(match_id)
    if known is not None:
        return known.again()  # a deal that was open once is never closed again
    log = matches.get_log(site_of(request).store, match_id)
    try:
        replay = open_replay(log.content)
    except UsageError as wrong:
        raise Conflict(wrong.message, reason="BAD_LOG") from None
    shelf.keep(match_id, replay)
    return replay.again()


def _opened(request: Request, content: bytes, perspective: Perspective, ply: int) -> tuple[Replay, dict[str, Any]]:
    replay = open_replay(unpacked(content))
    facts = _facts(replay, perspective, min(ply, replay.plies))
    environment: Environment = request.app.state.templates
    html = environment.get_template("viewer.html").render(**facts, match=None, source="", own="/replay")
    return replay, {"html": html}


def _facts(replay: Replay, perspective: Perspective, ply: int) -> dict[str, Any]:
    """Return what the template of the viewer needs. Raises UsageError for a seat that is not there."""
    replay.check_seat(perspective if isinstance(perspective, int) else None)
    frame = frame_at(replay, perspective, ply)
    return {
        "head": head_of(replay),
        "frame": frame,
        "looks": perspective_text(perspective),
        "picture": Markup(frame.picture),  # noqa: S704 - drawn by the game, from a view
    }


async def _uploaded(request: Request) -> bytes:
    if request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
        raise PermissionDenied("open the replay page here and drop the file on it", reason="FOREIGN_FORM")
    if request.headers.get("content-type") != "application/octet-stream":
        raise UsageError("a file was expected; open the replay page and drop one on it", reason="BAD_UPLOAD")
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        if len(content) > LONGEST_LOG:
            raise LimitReached(
                f"a log of more than {LONGEST_LOG >> 20} MB is not opened here; `arena replay LOG` does",
                reason="LOG_TOO_LARGE",
            )
    return bytes(content)


def _screening(request: Request, lines: Iterator[bytes], limiter: CapacityLimiter) -> Response:
    squeezed = "gzip" in request.headers.get("accept-encoding", "")
    headers = {"cache-control": "private, max-age=300", "vary": "accept-encoding, cookie"}
    if squeezed:
        headers["content-encoding"] = "gzip"
    content = _drawn(lines, limiter, Squeeze() if squeezed else None)
    return StreamingResponse(content, 200, headers, "application/x-ndjson")


async def _drawn(lines: Iterator[bytes], limiter: CapacityLimiter, squeeze: Squeeze | None) -> AsyncIterator[bytes]:
    """Draw in threads, a line at a time: whoever leaves stops the work, whoever comes waits for a line at most."""
    while (line := await to_thread.run_sync(next, lines, b"", limiter=limiter)) != b"":
        yield line if squeeze is None else squeeze.take(line)
    if squeeze is not None:
        yield squeeze.end()


def _limiter(request: Request, kind: str) -> CapacityLimiter:
    """Return one of the application's limits, which can be made within an event loop only.

    Raises LimitReached (TOO_MANY_REPLAYS).
    """
    limiters: dict[str, CapacityLimiter] = request.app.state.drawing
    limiter = limiters.setdefault(kind, CapacityLimiter(_THREADS[kind]))
    if limiter.statistics().tasks_waiting >= MOST_WAITING:
        raise LimitReached("too many replays are being drawn; try again in a moment", reason="TOO_MANY_REPLAYS")
    return limiter
