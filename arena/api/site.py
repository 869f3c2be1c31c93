"""What every servicer of one server shares: the store, the clock, the limits."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, TypeVar

from arena.api.gate import AGAIN_S, call
from arena.api.health import LOOK_EVERY_S
from arena.api.limits import Limits
from arena.core.errors import Unavailable, UsageError
from arena.services.archives import MAX_ARCHIVE_BYTES
from arena.store import Store
from arena.telemetry.figures import CallFigures, new_registry

MAX_PAGE: Final = 1000

REST: Final = 20
"""A watch rests so many times as long as its look at the database took: many watches of long tournaments stay cheap."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Site:
    """The surroundings of a server.

    now: gives aware datetimes in UTC. poll_s: how often a watch looks at the database. max_archive_bytes: largest
    archive that an upload may announce. qualify: a new version is accepted only once it has played a match at each of
    its games. stopping: set when the server begins to stop; watches end then. limits: of each account. health_s: how
    often the health service looks at the database. figures: where calls are counted.
    """

    store: Store
    now: Callable[[], datetime]
    stopping: asyncio.Event
    poll_s: float = 0.3
    max_archive_bytes: int = MAX_ARCHIVE_BYTES
    qualify: bool = True
    health_s: float = LOOK_EVERY_S
    figures: CallFigures = field(default_factory=lambda: CallFigures(new_registry()))
    limits: Limits = field(default_factory=Limits)


async def changes(site: Site, look: Callable[[], Awaitable[T]]) -> AsyncIterator[T]:
    """Yield what look finds, now and whenever it differs from the last time, as long as the call may go on.

    Raises Unavailable as the server stops, and what the call's may_go_on does.
    """
    last: T | None = None
    while not site.stopping.is_set():
        began = time.monotonic()
        found = await look()
        took_s = time.monotonic() - began
        if found != last:
            yield found
            last = found
        until = time.monotonic() + max(site.poll_s, REST * took_s)
        while not site.stopping.is_set() and (left_s := until - time.monotonic()) > 0:
            await call().may_go_on()
            with suppress(TimeoutError):
                await asyncio.wait_for(site.stopping.wait(), min(left_s, AGAIN_S))
    raise Unavailable("the server is stopping; ask again when it is back", reason="SERVER_STOPPING")


def page_size(asked: int) -> int:
    """Check the page_size of a listing request. Raises UsageError outside 0 .. 1000."""
    if not 0 <= asked <= MAX_PAGE:
        raise UsageError(f"page_size {asked} is not in 0 .. {MAX_PAGE}; 0 is the default", reason="BAD_PAGE_SIZE")
    return asked
