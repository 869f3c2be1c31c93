"""What the page shows, one module a subject; each has the routes of its addresses."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter

from arena.web.pages import (
    bots,
    exports,
    front,
    leaderboards,
    live,
    matches,
    play,
    replay,
    service,
    session,
    tournaments,
    versus,
)

ROUTERS: Final[tuple[APIRouter, ...]] = tuple(
    module.router
    for module in (
        *(front, session, service),
        *(leaderboards, bots, versus),
        *(exports, tournaments, matches, live, replay, play),
    )
)
