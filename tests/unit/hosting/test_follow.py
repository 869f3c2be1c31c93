"""Tests of what is done beside a match while it is followed."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import pytest

from arena.core.errors import Unavailable
from arena.hosting.matches import _follow
from arena.v1 import referee_pb2


async def nothing_comes() -> AsyncIterator[referee_pb2.HostMatchResponse]:
    await asyncio.Event().wait()
    yield referee_pb2.HostMatchResponse()


class Program:
    """A program whose end is heard in the moment between a fault and the end of all else that it causes."""

    def when_ended(self, callback: Any) -> None:
        self.callback = callback

    async def failing(self) -> None:
        loop = asyncio.get_running_loop()
        loop.call_soon(loop.call_soon, self.callback)
        raise Unavailable("the sandbox failed")


@pytest.mark.asyncio
async def test_a_program_that_ends_while_a_fault_ends_the_match_is_nobodys_business() -> None:
    told: list[str] = []
    faults: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: faults.append(context))
    program = Program()

    async def tell(what: str) -> None:
        told.append(what)

    with pytest.raises(Unavailable, match="the sandbox failed"):
        await _follow([program.failing], {program: partial(tell, "ended")}, nothing_comes(), None, 60)
    assert (told, faults) == ([], [])


@pytest.mark.asyncio
async def test_a_referee_that_says_nothing_long_after_the_cap_is_given_up() -> None:
    with pytest.raises(Unavailable, match="the referee hangs"):
        await _follow([], {}, nothing_comes(), None, 0.01)
