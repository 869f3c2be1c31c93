"""Ties a page token to its listing: to the method, and to every field of the request but those that turn pages."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from hashlib import sha256
from typing import Any, Final, cast

from google.protobuf.message import Message

from arena.core.errors import UsageError

_TAG_CHARS: Final = 8
"""48 bits: this is no lock, a token opens nothing; it tells a mistake."""


def untie(method: str, request: Message) -> str:
    """Return the tag of what a request lists, and take it off its page token; "" for what is no listing.

    Raises UsageError (BAD_PAGE_TOKEN) for a token of another listing, or of none.
    """
    if "page_token" not in request.DESCRIPTOR.fields_by_name:
        return ""
    tag = _tag(method, request)
    listing = cast(Any, request)  # every listing's messages have the fields used here, without a common type
    if listing.page_token:
        if not listing.page_token.startswith(tag):
            raise UsageError(
                "the page token is none of this listing's; leave it empty for the first page", reason="BAD_PAGE_TOKEN"
            )
        listing.page_token = listing.page_token[len(tag) :]
    return tag


def tie(tag: str, answer: Message) -> None:
    """Put a listing's tag before the token of its next page, if there is one."""
    listing = cast(Any, answer)
    if tag and listing.next_page_token:
        listing.next_page_token = tag + listing.next_page_token


def _tag(method: str, request: Message) -> str:
    asked = type(request)()
    asked.CopyFrom(request)
    for field in ("page_token", "page_size"):
        asked.ClearField(field)
    digest = sha256(method.encode() + asked.SerializeToString(deterministic=True)).digest()
    return urlsafe_b64encode(digest).decode()[:_TAG_CHARS]
