"""Who looks at a page: a cookie after sign-in, the right of every address, and the token of every form.

The cookie holds the number of the access token that somebody signed in with, never the token; it is signed, so nobody
else can make one, and it is worth nothing once that token is revoked.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from fastapi import Depends, Request, Response

from arena.core.errors import ArenaError, Unauthenticated
from arena.services.access import PUBLIC, check_right
from arena.services.accounts import account_of_token
from arena.store.records import Account
from arena.web.site import Site, site_of

LIFE_S: Final = 12 * 3600
"""How long a sign-in lasts."""

_NONCE_BYTES: Final = 18
_LONGEST: Final = 200


@dataclass(frozen=True, slots=True)
class Visitor:
    """Whoever makes a request; account: None for a spectator. nonce: of the cookie, which binds forms to it.

    fresh: the cookie does not exist yet; it is set with the first page that has a form.
    """

    account: Account | None
    token_id: int
    expires: int
    nonce: str
    fresh: bool = False

    @property
    def name(self) -> str:
        """The account's name, "" for a spectator."""
        return "" if self.account is None else self.account.name


def cookie_name(site: Site) -> str:
    """Return the cookie's name: with the prefix that browsers guard where there is TLS."""
    return "__Host-whiteout" if site.secure else "whiteout"


def visitor_of(request: Request) -> Visitor:
    """Return who makes the request, as its cookie says; looked up once a request."""
    known: Visitor | None = getattr(request.state, "visitor", None)
    if known is None:
        site = site_of(request)
        known = _read(site, request.cookies.get(cookie_name(site), "")) or _spectator(site)
        request.state.visitor = known
    return known


def settle(request: Request) -> None:
    """Find out who is told of an error: a spectator where that, too, cannot be found out."""
    try:
        visitor_of(request)
    except ArenaError:
        request.state.visitor = _spectator(site_of(request))


def may(rpc: str) -> Any:
    """Return what the dependencies of an address begin with that stands for this RPC, like "BotService/GetBot".

    It raises Unauthenticated for a spectator where the RPC is not public, PermissionDenied for a role too low.
    """
    method = f"/arena.v1.{rpc}"

    def check(request: Request) -> None:
        visitor = visitor_of(request)
        if visitor.account is not None:
            check_right(method, visitor.account.role)
        elif method not in PUBLIC:
            raise Unauthenticated("this page is for those who are signed in; sign in with your token")

    check.__dict__["rpc"] = rpc
    return Depends(check)


def _anybody() -> None:
    return None


_anybody.__dict__["rpc"] = ""
OPEN_TO_ALL: Final[Any] = Depends(_anybody)
"""In place of may, for an address that tells nothing of the arena's contents."""


def account_of(visitor: Visitor) -> Account:
    """Return a visitor's account. Raises Unauthenticated for a spectator."""
    if visitor.account is None:
        raise Unauthenticated("this page is for those who are signed in; sign in with your token")
    return visitor.account


def signed_in(site: Site, token_id: int, account: Account) -> Visitor:
    """Return a visitor who has just shown a token; the nonce is new, so what a stranger planted is worth nothing."""
    return Visitor(account, token_id, _expiry(site), secrets.token_urlsafe(_NONCE_BYTES), fresh=True)


def set_cookie(response: Response, site: Site, visitor: Visitor) -> None:
    """Give the browser the visitor's cookie."""
    body = f"{visitor.token_id}.{visitor.expires}.{visitor.nonce}"
    response.set_cookie(
        cookie_name(site),
        f"{body}.{_seal(site, 'cookie', body)}",
        max_age=LIFE_S,
        path="/",
        secure=site.secure,
        httponly=True,
        samesite="strict",
    )


def drop_cookie(response: Response, site: Site) -> None:
    """Take the cookie away."""
    response.delete_cookie(cookie_name(site), path="/", secure=site.secure, httponly=True, samesite="strict")


def form_token(site: Site, visitor: Visitor) -> str:
    """Return what every form of this visitor's pages carries."""
    return _seal(site, "form", visitor.nonce)


def is_form_token(site: Site, visitor: Visitor, shown: str) -> bool:
    """Whether a form comes from one of this visitor's pages."""
    return not visitor.fresh and hmac.compare_digest(form_token(site, visitor).encode(), shown.encode())


def _spectator(site: Site) -> Visitor:
    return Visitor(None, 0, _expiry(site), secrets.token_urlsafe(_NONCE_BYTES), fresh=True)


def _read(site: Site, cookie: str) -> Visitor | None:
    """Return whom a cookie stands for; None for one that is forged, too old, or whose token is no longer valid."""
    body, dot, seal = cookie.rpartition(".")
    if not dot or len(cookie) > _LONGEST or not cookie.isascii():
        return None
    if not hmac.compare_digest(_seal(site, "cookie", body), seal):
        return None
    number, until, nonce = body.split(".")
    token_id, expires = int(number), int(until)
    if expires <= site.now().timestamp():
        return None
    if not token_id:
        return Visitor(None, 0, expires, nonce)
    try:
        account = account_of_token(site.store, token_id, site.now())
    except Unauthenticated:
        return None
    return Visitor(account, token_id, expires, nonce)


def _expiry(site: Site) -> int:
    return int(site.now().timestamp()) + LIFE_S


def _seal(site: Site, purpose: str, body: str) -> str:
    return hmac.new(site.key, f"{purpose}:{body}".encode(), sha256).hexdigest()
