"""Pages of listings: sizes, and opaque tokens that hold the sort key of the last item shown."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any, Final, TypeAlias, TypeVar

from arena.core.errors import UsageError
from arena.store.records import Page

R = TypeVar("R")
T = TypeVar("T")

Key: TypeAlias = tuple[int | float | str, ...]

DEFAULT_PAGE_SIZE: Final = 100
MAX_PAGE_SIZE: Final = 1000
"""The largest page: some hundred kilobytes on the wire, some milliseconds in the database."""


def check_page(page_size: int, page_token: str, *kinds: type) -> tuple[int, Key | None]:
    """Return how many items a page has, and the key after which it begins (None: at the beginning).

    kinds: the types of the key's parts. Raises UsageError (BAD_PAGE_SIZE, BAD_PAGE_TOKEN).
    """
    if page_size < 0:
        raise UsageError(f"page size {page_size} is below 0; give 1 to {MAX_PAGE_SIZE}", reason="BAD_PAGE_SIZE")
    size = min(page_size or DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE)
    if not page_token:
        return size, None
    try:
        key = json.loads(base64.b64decode(page_token.encode(), altchars=b"-_", validate=True))
    except (ValueError, RecursionError):
        key = None
    if (
        not isinstance(key, list)
        or len(key) != len(kinds)
        or not all(type(part) is kind for part, kind in zip(key, kinds, strict=True))
        or any(isinstance(part, int) and abs(part) >= 1 << 63 for part in key)
        or any(isinstance(part, str) and not part.isprintable() for part in key)  # no name is; a database may choke
        or any(isinstance(part, float) and not isfinite(part) for part in key)
    ):
        raise UsageError(
            "the page token is none of this listing's; leave it empty for the first page", reason="BAD_PAGE_TOKEN"
        )
    return size, tuple(key)


def make_page(rows: Sequence[R], size: int, item: Callable[[R], T], key: Callable[[R], Sequence[Any]]) -> Page[T]:
    """Build a page from up to size + 1 rows; the one too many only tells that there is a next page."""
    shown = rows[:size]
    token = ""
    if len(rows) > size:
        token = base64.urlsafe_b64encode(json.dumps(list(key(shown[-1]))).encode()).decode()
    return Page(tuple(item(row) for row in shown), token)
