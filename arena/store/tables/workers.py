"""Workers that are there."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field

from arena.store.states import Queue
from arena.store.tables.columns import Row, choice, instant, text


class WorkerRow(Row, table=True):
    """A worker that said it is there, whether it plays or waits; one row for each queue it serves."""

    __tablename__ = "workers"

    name: str = Field(sa_column=text(primary=True))
    queue: Queue = Field(sa_column=choice(Queue, "queue", primary=True))
    started_at: datetime = Field(sa_column=instant())
    seen_at: datetime = Field(sa_column=instant())
