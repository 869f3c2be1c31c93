"""The dispatcher, a small periodic loop: `python -m worker.dispatcher`. Rings doorbells and ends dead leases.

It keeps nothing: any number may run, and one that starts anew goes on from what the database and the broker hold.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final

from celery import Celery

from arena.core.errors import ArenaError, Unavailable
from arena.services import dispatch, presence
from arena.services.lobby import PATIENCE
from arena.store import Store, open_store
from arena.store.states import Lane, Queue
from arena.telemetry.endpoint import Endpoint, Readiness, take_address
from arena.telemetry.figures import QueueFigures, new_registry
from arena.telemetry.logs import configure, get_logger
from worker.app import check_broker, make_app, ring, waiting
from worker.leash import end_with_parent
from worker.settings import Settings

LOG: Final = get_logger("dispatcher")
PERIOD_S: Final = 0.25
EXPIRE_EVERY: Final = 8
"""Leases are looked at in every so many periods: every two seconds."""
REMOTE_EVERY: Final = 2
"""Matches with remote seats in every so many: whether they can be played is a longer question."""
FAULT_S: Final = 5.0
"""How long to rest after a fault of its own: it may come again at once."""
COUNTED: Final = 1000
"""Queued blocks that the figures count to."""


def step(
    store: Store,
    app: Celery,
    slots: int,
    now: datetime,
    queue: Queue = Queue.HOSTED,
    *,
    patience: timedelta = PATIENCE,
) -> int:
    """Send as many doorbells as are missing to min(queued, 2 x slots); return how many that were."""
    queued = dispatch.count_queued(store, now, queue, most=2 * slots, patience=patience)
    missing = queued - waiting(app, queue) if queued else 0
    if missing > 0:
        ring(app, missing, queue)
    return max(0, missing)


def run(
    store: Store,
    app: Celery,
    now: Callable[[], datetime],
    stop: threading.Event,
    *,
    lease: timedelta = dispatch.LEASE,
    patience: timedelta = PATIENCE,
    figures: QueueFigures | None = None,
) -> None:
    """Dispatch until told to stop; a database or broker that is away for a while is waited for.

    lease: what the workers were told, from which the other times follow. patience: how long matches with remote seats
    wait for an absent one. How many doorbells are kept follows from the workers that say they are there; one is
    reckoned with at least.
    """
    figures = figures or QueueFigures(new_registry())
    expire = partial(
        dispatch.expire,
        store,
        stall_grace=lease * (dispatch.STALL_GRACE / dispatch.LEASE),
        retry_delay=lease / dispatch.BEATS,
    )
    period = 0
    workers = dict.fromkeys(Queue, 1)
    while not stop.wait(PERIOD_S):
        try:
            if period % EXPIRE_EVERY == 0:
                workers = _look(store, app, now(), figures, expire)
            step(store, app, max(1, workers[Queue.HOSTED]), now())
            if period % REMOTE_EVERY == 0:
                step(store, app, max(1, workers[Queue.REMOTE]), now(), Queue.REMOTE, patience=patience)
        except Unavailable as error:
            figures.step_failed()
            LOG.warning("waiting", why=error.message)
        except Exception as fault:
            figures.step_failed()
            LOG.exception("a step failed", exc_info=fault)
            stop.wait(FAULT_S)
        period += 1


def _look(
    store: Store, app: Celery, now: datetime, figures: QueueFigures, expire: Callable[[datetime], dispatch.Expired]
) -> dict[Queue, int]:
    """End dead leases, say how queue and leases stand, and return how many workers each queue has."""
    expired = expire(now)
    if expired.lost:
        figures.attempts_lost(expired.lost, expired.aborted)
        LOG.warning("attempts lost", lost=expired.lost, queued_again=expired.requeued, aborted=expired.aborted)
    presence.forget_silent(store, now)
    found = presence.standing(store, now)
    figures.leases_stand(found.leases, found.oldest_lease.total_seconds(), found.longest_silence.total_seconds())
    for queue in Queue:
        for lane in Lane:
            wait = found.waits.get((queue, lane), timedelta())
            figures.lane_waits(queue.value, lane.value, wait.total_seconds())
        queued = dispatch.count_queued(store, now, queue, most=COUNTED)
        figures.queue_stands(queue.value, blocks=queued, doorbells=waiting(app, queue), workers=found.workers[queue])
    return found.workers


def main() -> int:
    """Run until SIGTERM or SIGINT; return the exit code."""
    configure("dispatcher")
    metrics, arguments = take_address(sys.argv[1:], os.environ)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    end_with_parent(arguments, stop.set)
    try:
        settings = Settings.read()
        store = open_store(settings.database)
        app, registry = make_app(settings.broker), new_registry()
        ready = Readiness({"database": store.check, "broker": partial(check_broker, settings.broker)})
        endpoint = Endpoint(metrics, registry, ready) if metrics else None
    except ArenaError as error:
        print(f"error: {error.message}", file=sys.stderr)
        return error.exit_code
    run(
        store, app, lambda: datetime.now(UTC), stop,
        lease=settings.lease, patience=settings.patience, figures=QueueFigures(registry),
    )  # fmt: skip
    if endpoint is not None:
        endpoint.close()
    store.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
