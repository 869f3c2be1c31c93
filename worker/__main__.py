"""The worker program: `python -m worker`; one worker plays one match at a time.

Told by the environment: ARENA_DATABASE, ARENA_BROKER, ARENA_UNSAFE_NO_SANDBOX=1, ARENA_SET_ASIDE_AFTER=N,
ARENA_PONDERING=1, ARENA_LEASE_S=SECONDS, ARENA_GRACE_S=SECONDS. SIGTERM or SIGINT ends it: the match it plays has the
grace to end, then the block is handed back; a second one hands it back at once.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import warnings
from datetime import UTC, datetime

from celery.platforms import SecurityWarning

from arena.core.errors import ArenaError
from arena.hosting.staging import COPY_PREFIX
from arena.hosting.temporary import sweep
from arena.store import open_store
from worker.app import DOORBELLS, make_app
from worker.block import FOLDER_PREFIX
from worker.leash import end_with_parent
from worker.settings import Settings
from worker.slot import LOG, Slot
from worker.tasks import add_tasks


def main() -> int:
    """Work until told to stop; return the exit code."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    LOG.setLevel(logging.INFO)  # Celery sets the root's level to its own
    logging.getLogger("alembic").setLevel(logging.WARNING)
    warnings.simplefilter("ignore", SecurityWarning)  # root is fine here: messages carry nothing, bots run as others
    end_with_parent(sys.argv[1:], lambda: os.kill(os.getpid(), signal.SIGTERM))
    try:
        settings = Settings.read()
        for prefix in (FOLDER_PREFIX, COPY_PREFIX):
            sweep(prefix)  # what killed workers left
        store = open_store(settings.database)
        slot = Slot(
            store,
            settings.name,
            lambda: datetime.now(UTC),
            unsafe=settings.unsafe,
            set_aside_after=settings.set_aside_after,
            pondering=settings.pondering,
            lease=settings.lease,
            grace_s=settings.grace_s,
        )
        slot.check()
    except ArenaError as error:
        print(f"error: {error.message}", file=sys.stderr)
        return error.exit_code
    app = make_app(settings.broker)
    add_tasks(app, slot)
    quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel=WARNING"]
    try:
        app.worker_main(["--quiet", "worker", f"--queues={DOORBELLS}", f"--hostname={settings.name}", *quiet])
    finally:
        slot.close()
        store.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
