"""Signing in with a token, and out."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request, Response

from arena.core.errors import Unauthenticated
from arena.services import accounts
from arena.web.forms import OWN_FORM, Posted
from arena.web.rendering import page, see_other
from arena.web.site import site_of
from arena.web.tries import Tries
from arena.web.visitors import OPEN_TO_ALL, drop_cookie, set_cookie, signed_in

router: Final = APIRouter()


@router.get("/sign-in", dependencies=[OPEN_TO_ALL])
def sign_in_page(request: Request, back: str = "/") -> Response:
    """Show the form."""
    return page(request, "sign_in.html", back=_own_address(back), problem="")


@router.post("/sign-in", dependencies=[OPEN_TO_ALL])
def sign_in(request: Request, fields: Posted) -> Response:
    """Sign somebody in who shows a valid token; the token is neither kept nor logged."""
    site, back = site_of(request), _own_address(fields.get("back", "/"))
    tries: Tries = request.app.state.tries
    address = request.client.host if request.client else ""
    tries.check(address, site.now())
    try:
        token, account = accounts.sign_in(site.store, fields.get("token", "").strip(), site.now())
    except Unauthenticated as refusal:
        tries.failed(address, site.now())
        return page(request, "sign_in.html", status=401, back=back, problem=refusal.message)
    answer = see_other(back)
    set_cookie(answer, site, signed_in(site, token.id, account))
    return answer


@router.post("/sign-out", dependencies=[OPEN_TO_ALL, OWN_FORM])
def sign_out(request: Request) -> Response:
    """Sign out."""
    answer = see_other("/")
    drop_cookie(answer, site_of(request))
    return answer


def _own_address(back: str) -> str:
    """Return where to go after signing in, if it is a page of ours; else the front page."""
    sound = back.startswith("/") and not back.startswith(("//", "/\\")) and back.isascii() and back.isprintable()
    return back if sound and len(back) <= 500 else "/"
