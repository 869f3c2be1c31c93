"""Tells the broker of running matches, for whoever shows them; one that is away or slow costs updates, no match."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable
from typing import Final

from redis import Redis
from redis.exceptions import RedisError

from arena.core.live import ENDED_KEPT_S, KEPT, KEPT_S, UPDATE, stream_name
from arena.hosting.matches import Progress
from arena.telemetry.logs import get_logger
from arena.v1.live_pb2 import LiveUpdate

LOG: Final = get_logger("worker.live")
WAITING: Final = 32
"""Updates that may wait for the broker; the next ones are dropped."""

PATIENCE_S: Final = 1.0


class Herald:
    """Sends updates from a thread of its own.

    The stream of a match holds the newest KEPT updates and is gone KEPT_S seconds after the last, or ENDED_KEPT_S after
    the end of the match.
    """

    def __init__(self, broker: str) -> None:
        self._url = broker.replace("redis+socket://", "unix://", 1)  # what the client calls it
        # A stream's name and an update for it, None for the end of its match.
        self._waiting: queue.Queue[tuple[str, bytes | None] | None] = queue.Queue(WAITING)
        self._thread = threading.Thread(target=self._send_all, name="live", daemon=True)

    def start(self) -> None:
        """Begin to send."""
        self._thread.start()

    def close(self) -> None:
        """Send what waits, unless the broker is too slow, and stop."""
        try:
            self._waiting.put(None, timeout=PATIENCE_S)
        except queue.Full:
            return
        self._thread.join(2 * PATIENCE_S)

    def show(self, match_id: int) -> Callable[[Progress], None]:
        """Return what takes the progress of a match that the public may follow; it never waits and never raises."""
        name = stream_name(match_id)

        def take(now: Progress) -> None:
            update = LiveUpdate(
                ply=now.ply,
                seat=-1 if now.seat is None else now.seat,
                deadline_ms=now.deadline_ms,
                bank_ms=now.banks,
                public_view=now.public_view,
            )
            with contextlib.suppress(queue.Full):  # the next one says where the match stands then
                self._waiting.put_nowait((name, update.SerializeToString(deterministic=True)))

        return take

    def end(self, match_id: int) -> None:
        """Let go of a match that was shown and is recorded; never waits and never raises."""
        with contextlib.suppress(queue.Full):  # then it goes with time
            self._waiting.put_nowait((stream_name(match_id), None))

    def _send_all(self) -> None:
        client: Redis | None = None
        while (item := self._waiting.get()) is not None:
            try:
                client = client or Redis.from_url(
                    self._url, socket_timeout=PATIENCE_S, socket_connect_timeout=PATIENCE_S
                )
                _send(client, *item)
            except (RedisError, OSError) as away:
                LOG.debug("live update dropped", why=str(away))
            except Exception as fault:  # noqa: BLE001 - whatever it is, it costs an update, and no match the others
                LOG.warning("live update dropped", why=repr(fault))
        if client is not None:
            client.close()


def _send(client: Redis, name: str, update: bytes | None) -> None:
    if update is None:
        client.expire(name, ENDED_KEPT_S)
        return
    with client.pipeline(transaction=False) as steps:
        steps.xadd(name, {UPDATE: update}, maxlen=KEPT, approximate=False)
        steps.expire(name, KEPT_S)
        steps.execute()
