"""The partner that a checked bot plays against, at a stream that ends in every way one can."""

from __future__ import annotations

import grpc
import pytest

from arena.cli.checking.trial import Sparring
from arena.cli.playdoor import BotStream, play_door


@pytest.mark.parametrize("code", [None, grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.PERMISSION_DENIED])
async def test_a_stream_that_ends_while_the_partner_plays_is_no_fault_of_the_check(
    code: grpc.StatusCode | None,
) -> None:
    said: list[bytes | None] = []

    async def end(stream: BotStream) -> None:
        said.append(await stream.read())
        if code is not None:
            stream.refuse(code, "", "the match is over")

    async with play_door(end) as socket:
        await Sparring().play(f"unix:{socket}", "ticket")
    assert b"ticket" in (said[0] or b"")
