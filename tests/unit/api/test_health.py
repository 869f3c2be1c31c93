"""The health service answers what the database does."""

import asyncio

from grpc_health.v1.health_pb2 import HealthCheckResponse

from arena.api.health import Health
from arena.core.errors import Unavailable

SERVING, NOT_SERVING = HealthCheckResponse.SERVING, HealthCheckResponse.NOT_SERVING


class Database:
    """Answers or does not."""

    def __init__(self) -> None:
        self.away = False
        self.broken = False

    def check(self) -> None:
        if self.broken:
            raise ZeroDivisionError
        if self.away:
            raise Unavailable("the database cannot be used: refused; try again")


class Told:
    """The health service as far as it is told something."""

    def __init__(self) -> None:
        self.status = {}
        self.changed = asyncio.Event()
        self.ended = False

    async def set(self, name, status) -> None:
        if self.status.get(name) != status:
            self.changed.set()
        self.status[name] = status

    async def enter_graceful_shutdown(self) -> None:
        self.ended = True


async def change_of(told: Told) -> None:
    told.changed.clear()
    async with asyncio.timeout(20):
        await told.changed.wait()


async def test_services_are_healthy_as_long_as_the_database_answers() -> None:
    database, told = Database(), Told()
    health = Health(told, ["arena.v1.BotService"], database, every_s=0.01)
    await health.start()
    assert told.status == {"": SERVING, "arena.v1.BotService": SERVING}
    database.away = True
    await change_of(told)
    assert told.status[""] == NOT_SERVING
    database.away = False
    while told.status["arena.v1.BotService"] != SERVING:
        await change_of(told)
    await health.stop()
    assert told.ended


async def test_a_fault_that_nobody_foresaw_is_no_health_and_is_looked_at_again() -> None:
    database, told = Database(), Told()
    health = Health(told, [], database, every_s=0.01)
    await health.start()
    database.broken = True
    await change_of(told)
    assert told.status[""] == NOT_SERVING
    database.broken = False
    await change_of(told)
    assert told.status[""] == SERVING
    await health.stop()
