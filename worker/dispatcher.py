"""The dispatcher, a small periodic loop: `python -m worker.dispatcher`. Rings doorbells and ends dead leases.

It keeps nothing: any number may run, and one that starts anew goes on from what the database and the broker hold.
"""

from __future__ import annotations

import logging
import signal
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final

from celery import Celery

from arena.core.errors import ArenaError, Unavailable
from arena.services import dispatch
from arena.store import Store, open_store
from worker.app import make_app, ring, waiting
from worker.leash import end_with_parent
from worker.settings import Settings

LOG: Final = logging.getLogger("dispatcher")
PERIOD_S: Final = 0.25
EXPIRE_EVERY: Final = 8
"""Leases are looked at in every so many periods: every two seconds."""


def step(store: Store, app: Celery, slots: int, now: datetime) -> int:
    """Send as many doorbells as are missing to min(queued, 2 x slots); return how many that were."""
    queued = dispatch.count_queued(store, now)
    missing = min(queued, 2 * slots) - waiting(app) if queued else 0
    if missing > 0:
        ring(app, missing)
    return max(0, missing)


def run(
    store: Store,
    app: Celery,
    slots: int,
    now: Callable[[], datetime],
    stop: threading.Event,
    *,
    lease: timedelta = dispatch.LEASE,
) -> None:
    """Dispatch until told to stop; a database or broker that is away for a while is waited for.

    lease: what the workers were told, from which the other times follow.
    """
    expire = partial(
        dispatch.expire,
        store,
        stall_grace=lease * (dispatch.STALL_GRACE / dispatch.LEASE),
        retry_delay=lease / dispatch.BEATS,
    )
    period = 0
    while not stop.wait(PERIOD_S):
        try:
            if period % EXPIRE_EVERY == 0:
                expired = expire(now())
                if expired.lost:
                    LOG.warning("%d attempts lost, %d blocks queued again", expired.lost, expired.requeued)
            step(store, app, slots, now())
        except Unavailable as error:
            LOG.warning("waiting: %s", error.message)
        period += 1


def main() -> int:
    """Run until SIGTERM or SIGINT; return the exit code."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    logging.getLogger("alembic").setLevel(logging.WARNING)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    end_with_parent(sys.argv[1:], stop.set)
    try:
        settings = Settings.read()
        store = open_store(settings.database)
    except ArenaError as error:
        print(f"error: {error.message}", file=sys.stderr)
        return error.exit_code
    run(store, make_app(settings.broker), settings.slots, lambda: datetime.now(UTC), stop, lease=settings.lease)
    store.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
