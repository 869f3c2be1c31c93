"""What every request passes through: HEAD, headers that keep browsers careful, faults that tell nothing, the log."""

from __future__ import annotations

import secrets
import time
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.telemetry.logs import get_logger
from arena.web.rendering import fault_page
from arena.web.site import Site
from arena.web.visitors import Visitor

LOG: Final = get_logger("web")

POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        *(f"{kind}-src 'self'" for kind in ("script", "style", "img", "connect")),
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
"""Nothing but files of our own, no script or style within a page, no frame around it."""

_HEADERS: Final = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
}
_ONE_YEAR_S: Final = 31_536_000


class Guard:
    """Wraps the application; outermost."""

    def __init__(self, app: ASGIApp, site: Site) -> None:
        self._app, self._figures = app, site.figures
        self._headers = dict(_HEADERS)
        if site.secure:
            self._headers["strict-transport-security"] = f"max-age={_ONE_YEAR_S}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status, only_head = time.monotonic(), 0, scope["method"] == "HEAD"
        inner = dict(scope, method="GET") if only_head else scope
        inner.setdefault("state", {})

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
                headers.setdefault("cache-control", "no-store")
                await send(message)
            elif not only_head:
                await send(message)

        try:
            await self._app(inner, receive, answer)
        except Exception as fault:
            incident = secrets.token_hex(4)
            LOG.exception("page failed", incident=incident, path=_shown(scope["path"]), exc_info=fault)
            if status:
                raise
            await fault_page(Request(inner), incident)(inner, receive, answer)
        finally:
            if only_head and status:
                await send({"type": "http.response.body", "body": b""})
            self._log(inner, scope["method"], status, time.monotonic() - began)

    def _log(self, scope: Scope, method: str, status: int, took_s: float) -> None:
        """Write one line; without the query, the cookies and the form, in which somebody may have pasted a secret."""
        visitor: Visitor | None = scope["state"].get("visitor")
        LOG.info(
            "page sent",
            method=method,
            path=_shown(scope["path"]),
            account=visitor.name if visitor is not None else "",
            status=status,
            took_ms=round(took_s * 1000),
        )
        if self._figures is not None:
            self._figures.request_over(getattr(scope.get("route"), "path", ""), status, took_s)


def _shown(path: str) -> str:
    """Return a path that keeps to one line of a log."""
    return "".join(char if char.isprintable() else "?" for char in path[:200])
