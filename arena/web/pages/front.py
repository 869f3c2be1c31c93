"""The front page: what this is, what to do next, who leads, what is being played."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request, Response

from arena.services import ratings, tournaments
from arena.store.states import TournamentState
from arena.web.rendering import page
from arena.web.site import site_of
from arena.web.visitors import may

router: Final = APIRouter()


@router.get("/", dependencies=[may("RatingService/ListRatings"), may("TournamentService/ListTournaments")])
def front(request: Request) -> Response:
    """Show the front page."""
    store = site_of(request).store
    pools = ratings.list_pools(store, page_size=20).items
    running = tournaments.list_tournaments(store, state=TournamentState.RUNNING, page_size=5).items
    return page(request, "front.html", pools=pools, running=running)
