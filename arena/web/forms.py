"""Forms that browsers send: read within bounds, and only from pages of our own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, TypeAlias
from urllib.parse import parse_qs

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool

from arena.core.errors import LimitReached, PermissionDenied, UsageError
from arena.web.site import site_of
from arena.web.visitors import is_form_token, visitor_of

MAX_FORM_BYTES: Final = 64 * 1024
MAX_FIELDS: Final = 100

FIELD: Final = "form_token"
"""The hidden field that every form carries."""


async def posted(request: Request) -> Mapping[str, str]:
    """Return the fields of a form, each with its last value.

    Raises PermissionDenied (FOREIGN_FORM) for one that another site made the browser send, UsageError (BAD_FORM),
    LimitReached (FORM_TOO_LARGE).
    """
    if request.headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
        raise _foreign()
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise UsageError("a form was expected; send it from its page", reason="BAD_FORM")
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_FORM_BYTES:
            raise LimitReached(f"a form has at most {MAX_FORM_BYTES} bytes; shorten it", reason="FORM_TOO_LARGE")
    try:
        parsed = parse_qs(body.decode(), keep_blank_values=True, strict_parsing=bool(body), max_num_fields=MAX_FIELDS)
    except ValueError:
        raise UsageError("the form cannot be read; send it from its page", reason="BAD_FORM") from None
    fields = {name: values[-1] for name, values in parsed.items()}
    if any("\0" in value for value in fields.values()):
        raise UsageError("a text with a NUL character is none here; leave it out", reason="BAD_FORM")
    visitor = await run_in_threadpool(visitor_of, request)
    if not is_form_token(site_of(request), visitor, fields.pop(FIELD, "")):
        raise _foreign()
    return fields


def _foreign() -> PermissionDenied:
    return PermissionDenied(
        "this form is not from a page you have open now; go back, reload and send it again", reason="FOREIGN_FORM"
    )


Posted: TypeAlias = Annotated[Mapping[str, str], Depends(posted)]

OWN_FORM: Final[Any] = Depends(posted)
"""For a form without fields: it only has to come from a page of ours."""
