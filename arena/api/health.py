"""What gRPC's health service answers: serving as long as the database answers."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from grpc_health.v1.health_pb2 import HealthCheckResponse

from arena.core.errors import ArenaError
from arena.store import Store
from arena.telemetry.logs import get_logger

LOG: Final = get_logger("arena.api")
LOOK_EVERY_S: Final = 5.0


class Health:
    """Looks at the database now and then and tells the health service; names: of the services, "" is the server."""

    def __init__(self, servicer: Any, names: Sequence[str], store: Store, every_s: float = LOOK_EVERY_S) -> None:
        self._servicer = servicer
        self._names = ("", *names)
        self._store = store
        self._every_s = every_s
        self._keeper: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Look for the first time, and go on with it."""
        await self._look()
        self._keeper = asyncio.create_task(self._keep())

    async def stop(self) -> None:
        """Look no more, and answer from now on that nothing is served."""
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.wait((self._keeper,))
        await self._servicer.enter_graceful_shutdown()

    async def _keep(self) -> None:
        while True:
            await asyncio.sleep(self._every_s)
            await self._look()

    async def _look(self) -> None:
        try:
            await asyncio.to_thread(self._store.check)
        except ArenaError as error:
            LOG.warning("not healthy", why=error.message)
            status = HealthCheckResponse.NOT_SERVING
        except Exception as fault:
            LOG.exception("not healthy", exc_info=fault)
            status = HealthCheckResponse.NOT_SERVING
        else:
            status = HealthCheckResponse.SERVING
        for name in self._names:
            await self._servicer.set(name, status)
