"""What every page of one web server shares: the store, the clock, the key of its cookies."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import cast

from fastapi import Request

from arena.store import Store
from arena.telemetry.figures import PageFigures


@dataclass(frozen=True, slots=True)
class Site:
    """The surroundings of a web server.

    now: gives aware datetimes in UTC. secure: people reach it over TLS, so cookies are sent over TLS only. key: 32
    secret bytes that sign cookies and forms; a new one signs everybody out. broker: URL of the Redis with the live
    events, "" for none. stopping: set when the server begins to stop; streams end then.
    figures: where requests are counted, None for nowhere.
    """

    store: Store
    now: Callable[[], datetime]
    secure: bool = False
    key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    broker: str = ""
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    figures: PageFigures | None = None


def site_of(request: Request) -> Site:
    """Return the site that a request was made to."""
    return cast(Site, request.app.state.site)
