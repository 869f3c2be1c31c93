"""One table from errors to status numbers, and the pages that tell them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from fastapi import FastAPI, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from arena.core.errors import (
    ArenaError,
    Conflict,
    LimitReached,
    NotFound,
    PermissionDenied,
    Unauthenticated,
    Unavailable,
    UnknownName,
    UsageError,
)
from arena.web.rendering import error_page

_STATUS: Final[tuple[tuple[type[ArenaError], int], ...]] = (
    (NotFound, 404),
    (UnknownName, 404),
    (Unauthenticated, 401),
    (PermissionDenied, 403),
    (Conflict, 409),
    (LimitReached, 429),
    (UsageError, 422),
    (Unavailable, 503),
)
_RETRY_S: Final = 30


def status_of(error: ArenaError) -> int:
    """Return the status number of a refusal; 500 for an error that no page foresees."""
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 500)


def add_refusals(app: FastAPI) -> None:
    """Have every refusal told as a page."""

    async def told(request: Request, error: Exception) -> Response:
        status, message, code, headers = _facts(error)
        return await run_in_threadpool(error_page, request, status, message, code, headers)

    for kind in (ArenaError, HTTPException, RequestValidationError):
        app.add_exception_handler(kind, told)


def _facts(error: Exception) -> tuple[int, str, str, Mapping[str, str]]:
    if isinstance(error, ArenaError):
        status = status_of(error)
        return status, error.message, error.code, {"retry-after": str(_RETRY_S)} if status in {429, 503} else {}
    if isinstance(error, RequestValidationError):
        where = ".".join(str(part) for part in error.errors()[0]["loc"][1:])
        return 422, f"{where} of this address has a value that it cannot have; correct it", "BAD_ADDRESS", {}
    if isinstance(error, HTTPException):
        if error.status_code == 405:
            return 405, "this address does not take that; open it in a browser", "WRONG_METHOD", error.headers or {}
        return error.status_code, "there is no such page; the menu above leads to all there are", "NO_SUCH_PAGE", {}
    raise error
