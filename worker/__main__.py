"""The worker program: `python -m worker [--public-address HOST:PORT]`; one worker plays one match at a time.

Told by the environment: ARENA_DATABASE, ARENA_BROKER, ARENA_UNSAFE_NO_SANDBOX=1, ARENA_SET_ASIDE_AFTER=N,
ARENA_PONDERING=1, ARENA_LEASE_S=SECONDS, ARENA_GRACE_S=SECONDS. SIGTERM or SIGINT ends it: the match it plays has the
grace to end, then the block is handed back; a second one hands it back at once.
"""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Callable
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from functools import partial
from types import FrameType

from celery.exceptions import CPendingDeprecationWarning
from celery.platforms import SecurityWarning

from arena.core.errors import ArenaError
from arena.hosting.matches import play_hosted
from arena.hosting.orphans import end_orphans
from arena.hosting.temporary import OWN, sweep
from arena.store import open_store
from arena.telemetry.endpoint import Check, Endpoint, Readiness, take_address
from arena.telemetry.figures import WorkerFigures, new_registry
from arena.telemetry.logs import configure
from worker.app import BELLS, DOORBELLS, REMOTE_DOORBELLS, check_broker, make_app
from worker.block import PlayMatch
from worker.leash import end_with_parent
from worker.live import Herald
from worker.presence import Presence
from worker.public import Public
from worker.settings import Settings
from worker.slot import ENDING, Slot
from worker.tasks import add_tasks


def main(play_match: PlayMatch = play_hosted) -> int:
    """Work until told to stop; return the exit code."""
    # Until Celery minds it: what has been begun by then, a referee and a trial of the sandbox, is ended and removed.
    for number in ENDING:
        signal.signal(number, _leave)
    configure("worker")
    warnings.simplefilter("ignore", SecurityWarning)  # root is fine here: messages carry nothing, bots run as others
    # What Celery says whenever the broker goes away; a block on lease is played on, and needs no acknowledgement.
    warnings.simplefilter("ignore", CPendingDeprecationWarning)
    with ExitStack() as stack:
        try:
            serve = _prepare(stack, play_match)
        except ArenaError as error:
            print(f"error: {error.message}", file=sys.stderr)
            return error.exit_code
        except OSError as error:
            said = f"error: this machine cannot play matches: {error}; make room, or look at arena doctor"
            print(said, file=sys.stderr)
            return 1
        serve()
    return 0


def _prepare(stack: ExitStack, play_match: PlayMatch) -> Callable[[], object]:
    """Make all that a worker needs, which the stack closes, and return what serves. Raises ArenaError or OSError."""
    metrics, arguments = take_address(sys.argv[1:], os.environ)
    end_with_parent(arguments, lambda: os.kill(os.getpid(), signal.SIGTERM))
    settings = Settings.read()
    public = Public.read(arguments)
    _clear_up()
    store = stack.enter_context(closing(open_store(settings.database)))
    stack.callback(_clear_up)
    registry = new_registry()
    herald = Herald(settings.broker)
    slot = Slot(
        store,
        settings.name,
        lambda: datetime.now(UTC),
        unsafe=settings.unsafe,
        set_aside_after=settings.set_aside_after,
        pondering=settings.pondering,
        lease=settings.lease,
        grace_s=settings.grace_s,
        public=public,
        patience=settings.patience,
        figures=WorkerFigures(registry),
        herald=herald,
        play_match=play_match,
    )
    stack.callback(slot.close)
    slot.check()
    if metrics:
        checks: dict[str, Check] = {
            "database": store.check,
            "broker": partial(check_broker, settings.broker),
            "sandbox": slot.require_fit,
        }
        stack.callback(Endpoint(metrics, registry, Readiness(checks)).close)
    queues = [] if public is not None and public.only else [DOORBELLS]
    queues += [] if public is None else [REMOTE_DOORBELLS]
    app = make_app(settings.broker)
    add_tasks(app, slot)
    served = [queue for queue, (bells, _) in BELLS.items() if bells in queues]
    herald.start()
    stack.callback(herald.close)
    here = Presence(store, settings.name, served, lambda: datetime.now(UTC))
    here.start()
    stack.callback(here.close)
    quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel=WARNING"]
    options = ["--quiet", "worker", f"--queues={','.join(queues)}", f"--hostname={settings.name}", *quiet]
    return partial(app.worker_main, options)


def _leave(_signal: int, _frame: FrameType | None) -> None:
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)
    sys.exit(0)


def _clear_up() -> None:
    """Remove and end what killed workers left: at the start, and at the end for those that are not started again."""
    sweep(OWN)
    end_orphans()


if __name__ == "__main__":
    sys.exit(main())
