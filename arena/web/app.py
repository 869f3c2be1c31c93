"""The web application of one site: its pages, and what every request passes through."""

from __future__ import annotations

from fastapi import FastAPI

from arena.services.boards import Certainty
from arena.services.standings import Standings
from arena.web.assets import Assets
from arena.web.guard import Guard
from arena.web.kept import Kept
from arena.web.live import Hub
from arena.web.pages import ROUTERS
from arena.web.parlour import Parlour
from arena.web.refusals import add_refusals
from arena.web.rendering import templates
from arena.web.screening import Shelf
from arena.web.site import Site
from arena.web.tries import Tries


def make_app(site: Site) -> FastAPI:
    """Return the application; nothing of it describes itself to strangers, and nothing is loaded from elsewhere."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    assets = Assets()
    app.state.site = site
    app.state.assets = assets
    app.state.templates = templates(assets)
    app.state.tries = Tries()
    app.state.certainty = Kept[Certainty]()
    app.state.standings = Kept[Standings]()
    app.state.shelf = Shelf()
    app.state.drawing = {}
    app.state.hub = Hub(site)
    app.state.parlour = Parlour(site)
    for router in ROUTERS:
        app.include_router(router)
    add_refusals(app)
    app.add_middleware(Guard, site=site)
    return app
