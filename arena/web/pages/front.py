"""The front page: what this is, what to do next, who leads, what is being played."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request, Response

from arena.services import pools, tournaments
from arena.store.states import TournamentState
from arena.web.marks import shown_games
from arena.web.pages.tournaments import bar
from arena.web.rendering import page
from arena.web.site import site_of
from arena.web.visitors import may

router: Final = APIRouter()

MOST_BOARDS: Final = 6
MOST_RUNNING: Final = 6


@router.get("/", dependencies=[may("RatingService/ListRatings"), may("TournamentService/ListTournaments")])
def front(request: Request) -> Response:
    """Show the front page."""
    store = site_of(request).store
    running = tournaments.list_tournaments(store, state=TournamentState.RUNNING, page_size=MOST_RUNNING).items
    bars = [(each, bar(tournaments.progress(store, each.name))) for each in running]
    return page(request, "front.html", boards=pools.busiest(store)[:MOST_BOARDS], running=bars, games=shown_games())
