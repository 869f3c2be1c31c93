"""The Celery tasks, one a queue."""

from __future__ import annotations

from celery import Celery

from arena.store.states import Queue
from worker.app import PLAY_BLOCK, PLAY_REMOTE_BLOCK
from worker.slot import Slot


def add_tasks(app: Celery, slot: Slot) -> None:
    """Let the application answer doorbells with this slot."""

    @app.task(name=PLAY_BLOCK, ignore_result=True)  # type: ignore[untyped-decorator] # Celery has no types
    def play_block() -> None:
        slot.play_next()

    @app.task(name=PLAY_REMOTE_BLOCK, ignore_result=True)  # type: ignore[untyped-decorator] # as above
    def play_remote_block() -> None:
        slot.play_next(Queue.REMOTE)
