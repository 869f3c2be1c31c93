"""Turns what a page shows into an answer: templates, entity tags, and what caches may keep."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Iterable, Mapping
from hashlib import sha256
from typing import Any, Final

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.types import Receive, Scope, Send

from arena.ladder.rating import PROVISIONAL_SIGMA
from arena.web import text
from arena.web.assets import Assets
from arena.web.marks import game_title, mark
from arena.web.navigation import ENTRIES
from arena.web.site import site_of
from arena.web.visitors import form_token, set_cookie, settle, visitor_of

_SHARED: Final = "no-cache"
_OWN: Final = "private, no-store"


def templates(assets: Assets) -> Environment:
    """Return the templates with everything that they may use."""
    made = Environment(
        loader=PackageLoader("arena.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters |= {
        "plain": text.plain,
        "said": text.said,
        "number": text.number,
        "ms": text.milliseconds,
        "percent": text.percent,
        "word": text.word,
        "when": text.when,
        "interval": text.interval,
        "count": text.count,
        "lines": text.lines,
    }
    made.globals |= {
        "asset": assets.address,
        "mark": mark,
        "game_title": game_title,
        "entries": ENTRIES,
        "provisional": PROVISIONAL_SIGMA,
    }
    return made


def page(request: Request, template: str, *, status: int = 200, **context: Any) -> Response:
    """Return a page as this visitor sees it, or 304 if the browser has it.

    The template may call form_field() within each of its forms; a visitor without a cookie gets one then.
    """
    site, visitor = site_of(request), visitor_of(request)
    has_form = visitor.account is not None

    def form_field() -> Markup:
        nonlocal has_form
        has_form = True
        return Markup('<input type="hidden" name="form_token" value="{}">').format(form_token(site, visitor))

    environment: Environment = request.app.state.templates
    html = environment.get_template(template).render(
        **context, visitor=visitor, form_field=form_field, path=request.url.path
    )
    content = text.without_hidden(html).encode()
    answer = tagged(request, content, "text/html; charset=utf-8", own=has_form, status=status)
    if has_form and visitor.fresh:
        set_cookie(answer, site, visitor)
    return answer


def tagged(
    request: Request, content: bytes, kind: str, *, own: bool = False, status: int = 200, name: str = ""
) -> Response:
    """Return content with its entity tag, or 304 if the browser has it.

    own: it is this visitor's alone, and no cache keeps it. name: of the file that it is saved as.
    """
    headers = {"cache-control": _OWN if own else _SHARED, "vary": "cookie"}
    if name:
        headers["content-disposition"] = f'attachment; filename="{name}"'
    if status == 200 and not own:
        headers["etag"] = f'"{sha256(content).hexdigest()[:32]}"'
        if matches_tag(request, headers["etag"]):
            return Response(status_code=304, headers=headers)
    return Response(content, status, headers, kind)


def matches_tag(request: Request, tag: str) -> bool:
    """Whether the browser says that it has what bears this entity tag."""
    known = request.headers.get("if-none-match", "")
    return tag in {one.strip().removeprefix("W/") for one in known.split(",")}


def as_json(request: Request, value: Any, *, own: bool = False, name: str = "") -> Response:
    """Return a value as JSON."""
    content = json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False).encode() + b"\n"
    return tagged(request, content, "application/json", own=own, name=name)


def as_csv(request: Request, columns: Iterable[str], rows: Iterable[Iterable[Any]], *, name: str) -> Response:
    """Return a table as a CSV file."""
    return tagged(request, text.csv_lines(columns, rows).encode(), "text/csv; charset=utf-8", name=name)


def see_other(address: str) -> Response:
    """Send the browser on to a page after a form."""
    return RedirectResponse(address, 303, {"cache-control": "no-store"})


def error_page(request: Request, status: int, message: str, code: str, headers: Mapping[str, str]) -> Response:
    """Return a refusal in one line, as a page, or as JSON where JSON was asked for."""
    settle(request)
    if request.url.path.endswith(".json"):
        answer = as_json(request, {"error": {"code": code, "message": message}}, own=True)
        answer.status_code = status
    else:
        answer = page(request, "error.html", status=status, number=status, message=message, code=code)
        answer.headers["cache-control"] = "no-store"
    answer.headers.update(headers)
    return answer


def fault_page(request: Request, incident: str) -> Response:
    """Return what is told of a fault of ours: a number to look for in the log, and nothing else.

    It needs neither the database nor a template, for either may be what failed.
    """
    told = f"the server failed; its log knows more under incident {incident}; try again, or tell whoever runs it"
    if request.url.path.endswith(".json"):
        return Response(json.dumps({"error": {"code": "INTERNAL", "message": told}}), 500, None, "application/json")
    return HTMLResponse(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>500 - Whiteout</title><h1>500</h1><p>{told}</p>'
        '<p><a href="/">To the front page</a></p></html>',
        500,
    )


class EventStream(StreamingResponse):
    """Server-sent events, no longer than somebody takes them: the generator ends with the request, however that ends.

    Left to itself, one that waited for its bytes to be taken, or was never asked for any, would end when it is found
    to be garbage; until then its onlooker would count.
    """

    def __init__(self, events: AsyncGenerator[bytes]) -> None:
        super().__init__(events, 200, {"cache-control": "no-store", "x-accel-buffering": "no"}, "text/event-stream")
        self._events = events

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events, as ASGI has it, and end their generator."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self._events.aclose()
