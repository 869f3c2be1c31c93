"""The one Celery task."""

from __future__ import annotations

from celery import Celery

from worker.app import PLAY_BLOCK
from worker.slot import Slot


def add_tasks(app: Celery, slot: Slot) -> None:
    """Let the application answer doorbells with this slot."""

    @app.task(name=PLAY_BLOCK, acks_late=True, ignore_result=True)  # type: ignore[untyped-decorator] # Celery has no types
    def play_block() -> None:
        slot.play_next()
