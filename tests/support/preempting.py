"""Two calls on one store, the first stopped before any of its statements while the second runs as far as it can."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import Engine, event
from sqlalchemy import text as sql

from arena.core.errors import ArenaError
from arena.store import Store

BLOCKED = sql("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
LOOK_S = 0.004
SQLITE_LOOKS = 3
"""SQLite does not tell who waits: whoever has not come through after so many looks is waiting for the write lock."""


@dataclass(frozen=True)
class Outcome:
    """How a call ended: "done", or the code of its error."""

    first: str
    second: str


def statements_of(store: Store, call: Callable[[], object]) -> int:
    """Run a call; return how many statements it sends."""
    sent = 0

    def count(*_: object) -> None:
        nonlocal sent
        sent += 1

    with _listening(count):
        run(call)
    return sent


def interrupted(store: Store, first: Callable[[], object], at: int, second: Callable[[], object]) -> Outcome:
    """Start the first call, hold it before its statement number at (from 0), run the second, let the first go on.

    A second call that has to wait for a lock of the first goes on when that is released.
    """
    arrived, go_on = threading.Event(), threading.Event()
    ends = ["", ""]
    sent = 0

    def hold(*_: object) -> None:
        nonlocal sent
        if threading.current_thread() is one:
            if sent == at:
                arrived.set()
                go_on.wait()
            sent += 1

    def work(number: int, call: Callable[[], object]) -> None:
        ends[number] = run(call)
        if number == 0:
            arrived.set()

    one = threading.Thread(target=work, args=(0, first))
    two = threading.Thread(target=work, args=(1, second))
    with _listening(hold):
        one.start()
        arrived.wait()
        two.start()
        _until_through_or_waiting(store, two)
        go_on.set()
        one.join()
        two.join()
    return Outcome(*ends)


def run(call: Callable[[], object]) -> str:
    """Return "done", or the code of the error that the call raised."""
    try:
        call()
    except ArenaError as error:
        return error.code
    return "done"


def _until_through_or_waiting(store: Store, thread: threading.Thread) -> None:
    looks = 0
    while thread.is_alive():
        thread.join(LOOK_S)
        looks += 1
        if store.dialect == "sqlite":
            if looks == SQLITE_LOOKS:
                return
        else:
            with store.read() as tx:
                if tx.scalar(BLOCKED):
                    return


@contextmanager
def _listening(listener: Callable[..., None]) -> Iterator[None]:
    event.listen(Engine, "before_cursor_execute", listener)
    try:
        yield
    finally:
        event.remove(Engine, "before_cursor_execute", listener)
