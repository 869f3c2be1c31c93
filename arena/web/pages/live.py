"""One match: what is known of it, and its course while it is played."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Final

from fastapi import APIRouter, Path, Request, Response
from fastapi.concurrency import run_in_threadpool

from arena.core.errors import Unavailable
from arena.core.registry import load_game
from arena.services import live, matches
from arena.store.states import MatchState
from arena.web.live import Hub
from arena.web.rendering import EventStream, page, see_other, tagged
from arena.web.site import site_of
from arena.web.veil import veiled
from arena.web.visitors import may

router: Final = APIRouter()

MatchId = Annotated[int, Path(ge=1, lt=1 << 31)]
_READERS: Final = [may("MatchService/GetMatch")]


@router.get("/matches/{match_id}", dependencies=_READERS)
def match_page(request: Request, match_id: MatchId) -> Response:
    """Show what is known of a match, and where it can be seen."""
    known = live.look_on(site_of(request).store, match_id)
    title = load_game(known.match.game).spec.title
    return page(request, "match.html", match=veiled(known.match), title=title, shown=known.shown)


@router.get("/matches/{match_id}/log.jsonl", dependencies=[*_READERS, may("MatchService/GetMatchLog")])
def match_log(request: Request, match_id: MatchId) -> Response:
    """Send a match's log as a file."""
    log = matches.get_log(site_of(request).store, match_id)
    return tagged(request, log.content, "application/x-ndjson", name=f"match-{match_id}.jsonl")


@router.get("/matches/{match_id}/live", dependencies=_READERS)
def live_page(request: Request, match_id: MatchId) -> Response:
    """Show a match while it is played; one that is over has its replay."""
    known = live.look_on(site_of(request).store, match_id)
    match = known.match
    if match.state is not MatchState.SCHEDULED:
        return see_other(f"/matches/{match_id}" + "/replay" * match.deal_open)
    title = load_game(match.game).spec.title
    return page(request, "live.html", match=veiled(match), title=title, shown=known.shown)


@router.get("/matches/{match_id}/events", dependencies=_READERS)
async def match_events(request: Request, match_id: MatchId) -> Response:
    """Send a running match's positions as they come; Last-Event-ID resumes.

    Raises NotFound (NO_SUCH_MATCH), LimitReached (TOO_MANY_ONLOOKERS).
    """
    with suppress(Unavailable):  # a browser that comes back while the database is away would not try again
        await run_in_threadpool(matches.get_match, site_of(request).store, match_id)
    hub: Hub = request.app.state.hub
    address = request.client.host if request.client else ""
    hub.admit(address)
    events = hub.follow(match_id, address, request.headers.get("last-event-id", ""))
    await anext(events)
    return EventStream(events)
