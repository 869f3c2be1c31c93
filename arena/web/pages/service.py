"""What programs ask: whether the server runs and can read its database; and the files that pages use."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse, Response

from arena.services import tournaments
from arena.web.assets import Assets
from arena.web.rendering import matches_tag
from arena.web.site import site_of
from arena.web.visitors import OPEN_TO_ALL

router: Final = APIRouter()

_FOREVER: Final = "public, max-age=31536000, immutable"


@router.get("/healthz", dependencies=[OPEN_TO_ALL])
async def healthz() -> Response:
    """Answer as long as the process does."""
    return PlainTextResponse("ok\n")


@router.get("/readyz", dependencies=[OPEN_TO_ALL])
def readyz(request: Request) -> Response:
    """Answer once the database can be read. Raises Unavailable."""
    tournaments.list_tournaments(site_of(request).store, page_size=1)
    return PlainTextResponse("ok\n")


@router.get("/static/{name:path}", dependencies=[OPEN_TO_ALL])
async def asset(request: Request, name: str) -> Response:
    """Return a file; under the address that pages name, it never changes."""
    assets: Assets = request.app.state.assets
    found = assets.find(name)
    fresh = request.query_params.get("v") == found.tag
    headers = {"cache-control": _FOREVER if fresh else "no-cache", "etag": f'"{found.tag}"'}
    if matches_tag(request, headers["etag"]):
        return Response(status_code=304, headers=headers)
    return Response(found.content, 200, headers, found.kind)


@router.get("/robots.txt", dependencies=[OPEN_TO_ALL])
async def robots() -> Response:
    """Ask crawlers to leave alone what costs most."""
    return PlainTextResponse("User-agent: *\nDisallow: /versus\nDisallow: /sign-in\n")
