"""The Celery application: doorbells through Redis, no results, nothing built at import."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from celery import Celery, Task
from celery.worker.request import Request
from kombu.entity import Exchange
from kombu.entity import Queue as Bells
from kombu.exceptions import KombuError
from redis import Redis
from redis.exceptions import RedisError

from arena.core.errors import Unavailable
from arena.store.states import Queue

PLAY_BLOCK: Final = "whiteout.play_block"
DOORBELLS: Final = "doorbells"
PLAY_REMOTE_BLOCK: Final = "whiteout.play_remote_block"
REMOTE_DOORBELLS: Final = "remote-doorbells"

BELLS: Final = {Queue.HOSTED: (DOORBELLS, PLAY_BLOCK), Queue.REMOTE: (REMOTE_DOORBELLS, PLAY_REMOTE_BLOCK)}
"""Which list of the broker, and which task, rings for a queue."""


CHECK_S: Final = 2.0

_ONE_TRY: Final = {"max_retries": 1, "interval_start": 0, "interval_step": 0, "interval_max": 0}
"""A broker that is away is tried again in the dispatcher's next period and by the worker's own loop."""


class Heard(Request):  # type: ignore[misc] # Celery has no types
    """A doorbell that was received.

    Of a queue without acknowledgements the transport notes nothing down, but would all the same make a client of Redis
    to strike it out.
    """

    def acknowledge(self) -> None:
        """Do nothing: nobody waits for it."""


class Bell(Task):  # type: ignore[misc] # as above
    """What a doorbell sets off."""

    Request = Heard


def make_app(broker: str) -> Celery:
    """Return an application on this broker, without tasks.

    Doorbells are not acknowledged: one that is lost with its worker is rung again, for its block is still queued, and
    the broker is spared four steps for each. A worker takes one after the other.
    """
    app = Celery("whiteout", broker=broker, set_as_current=False, fixups=[], task_cls=Bell)
    app.conf.update(
        accept_content=["json"],
        broker_connection_retry_on_startup=True,
        broker_transport_options={"socket_keepalive": True, **_ONE_TRY},
        task_queues=[_bells(name) for name, _ in BELLS.values()],
        task_default_queue=DOORBELLS,
        task_ignore_result=True,
        task_serializer="json",
        worker_concurrency=1,
        worker_hijack_root_logger=False,
        worker_pool="solo",
    )
    return app


def _bells(name: str) -> Any:
    return Bells(name, Exchange(name), name, no_ack=True)  # type: ignore[no-untyped-call] # kombu has no types


def ring(app: Celery, times: int, queue: Queue = Queue.HOSTED) -> None:
    """Send so many doorbells. Raises Unavailable when the broker cannot be reached."""
    bells, task = BELLS[queue]
    options: dict[str, Any] = {"queue": bells, "ignore_result": True, "retry": False}
    with _reached():
        for _ in range(times):
            app.send_task(task, **options)


def waiting(app: Celery, queue: Queue = Queue.HOSTED) -> int:
    """Return how many doorbells nobody has heard yet. Raises Unavailable when the broker cannot be reached."""
    with _reached(), app.connection_or_acquire() as connection:
        return int(connection.default_channel._size(BELLS[queue][0]))  # the one name kombu has for a list's length


def check_broker(broker: str) -> None:
    """Return if the broker answers, on a connection of its own. Raises Unavailable."""
    url = broker.replace("redis+socket://", "unix://", 1)  # what the client calls it
    with _reached(), Redis.from_url(url, socket_connect_timeout=CHECK_S, socket_timeout=CHECK_S) as client:
        client.ping()


@contextmanager
def _reached() -> Iterator[None]:
    try:
        yield
    except (KombuError, RedisError, OSError) as error:
        raise Unavailable(f"the broker cannot be reached: {error}", reason="BROKER_UNREACHABLE") from None
