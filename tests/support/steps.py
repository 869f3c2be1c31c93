"""Counts what a piece of work costs SQLite, in steps of its virtual machine: the same number on every machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy import event

from arena.store import Store

GRAIN: Final = 100
"""Steps between two calls of the counter."""


class Steps:
    """How many steps were taken."""

    def __init__(self) -> None:
        self.count = 0

    def add(self) -> int:
        self.count += GRAIN
        return 0  # go on


@contextmanager
def counted(store: Store) -> Iterator[Steps]:
    """Count the steps of every statement while the block runs."""
    steps, engine = Steps(), store._writer

    def begin(connection, _record, _proxy) -> None:
        connection.set_progress_handler(steps.add, GRAIN)

    def end(connection, _record) -> None:
        connection.set_progress_handler(None, GRAIN)

    event.listen(engine, "checkout", begin)
    event.listen(engine, "checkin", end)
    try:
        yield steps
    finally:
        event.remove(engine, "checkout", begin)
        event.remove(engine, "checkin", end)
