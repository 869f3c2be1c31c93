"""A worker that plays matches with people, as a program: `publicworker.py DATABASE`; it ends with its input."""

import os
import sys
import threading
import time
from datetime import UTC, datetime

from arena.store import open_store
from arena.store.states import Queue
from worker.public import Public
from worker.slot import Slot


def _end_with_input() -> None:
    sys.stdin.read()
    os._exit(0)  # the referee and the bots end with their parent


def main() -> None:
    threading.Thread(target=_end_with_input, daemon=True).start()
    store = open_store(sys.argv[1])
    public = Public.read(["--public-address", "127.0.0.1:0"], {})
    slot = Slot(store, "public:1", lambda: datetime.now(UTC), unsafe=True, public=public)
    while True:
        if not slot.play_next(Queue.REMOTE):
            time.sleep(0.1)


if __name__ == "__main__":
    main()
