"""The door of a seat."""

import asyncio
import gc
import weakref

from refereeing import raw_bot

from arena.match.setup import SeatLabel, Setup
from referee.door import Doors
from referee.hosted import HostedMatch
from referee.timekeeper import LoopTime


class Nobody:
    """Follows a match and does nothing."""

    def moved(self):
        return None

    def over(self):
        return None


async def test_a_match_is_forgotten_when_its_doors_are_closed(tmp_path) -> None:
    setup = Setup(game="icefall", variant="race", seats=(SeatLabel("bot", "1"),) * 2, seed=bytes(16), match_id="m")
    hosted = HostedMatch(setup, LoopTime(asyncio.get_running_loop()), 60_000, Nobody())
    doors = Doors(f"unix:{tmp_path}/bots.sock")
    opened = await doors.open(hosted, ("first", "second"))
    gc.disable()  # which would find it sooner or later
    try:
        async with raw_bot(opened[0].address, "first") as bot:
            assert (await bot.read()).WhichOneof("kind") == "start"
            hosted.stop()
            await bot.refused()
        match = weakref.ref(hosted)
        del hosted
        doors.close(opened)
        del opened
        await doors.closed()
        assert match() is None
    finally:
        gc.enable()
