"""Pings: gRPC really notices a silent peer in the time that they say, and the pages say the same."""

import asyncio
import time
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import pytest
from cutting import Line

from arena.core import pings
from arena.core.pings import Pings, allowing

DOCS = Path(__file__).parents[3] / "docs"
QUICK = Pings(0.4, 0.3)
NEVER = Pings(1000.0, 1000.0)
SLACK_S = 10.0
"""What a loaded machine may take; without an option of ours gRPC takes a minute."""


@asynccontextmanager
async def line(asks, server_asks, *options):
    """A stream over a line that has brought one message; yields line, stream, and an event of its end at the server."""
    ended = asyncio.Event()

    async def hold(_requests, context):
        await context.write(b"there")
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    server = grpc.aio.server(options=(*options, *server_asks.options()))
    method = grpc.stream_stream_rpc_method_handler(hold)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("a.B", {"C": method}),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    with Line(f"127.0.0.1:{port}") as between:
        async with grpc.aio.insecure_channel(between.address, options=asks.options()) as channel:
            stream = channel.stream_stream("/a.B/C")()
            assert await stream.read() == b"there"
            yield between, stream, ended
    await server.stop(0)


async def test_a_server_notices_a_client_that_is_gone_in_the_time_it_says():
    async with line(NEVER, QUICK) as (between, _, ended):
        await asyncio.sleep(3 * QUICK.every_s)  # as long as the client answers nothing happens
        assert not ended.is_set()
        between.fall_silent()
        async with asyncio.timeout(QUICK.noticed_s + SLACK_S):
            await ended.wait()


async def test_a_client_notices_a_server_that_is_gone_however_often_it_has_asked_before():
    async with line(QUICK, NEVER, *allowing(0.1, strikes=1)) as (between, stream, _):
        await asyncio.sleep(5 * QUICK.every_s)
        between.fall_silent()
        began = time.monotonic()
        with pytest.raises(grpc.RpcError) as caught:
            await stream.read()
        assert time.monotonic() - began < QUICK.noticed_s + SLACK_S
    assert caught.value.code() is grpc.StatusCode.UNAVAILABLE


async def test_a_client_that_pings_sooner_than_it_may_is_cut_off():
    async with line(QUICK, NEVER, *allowing(60.0, strikes=1)) as (_, stream, _):
        with pytest.raises(grpc.RpcError, match="Too many pings"):
            await asyncio.wait_for(stream.read(), SLACK_S)


def test_our_clients_do_not_ping_sooner_than_they_may():
    assert pings.CLIENT.every_s > pings.API_ALLOWS_S
    assert pings.BOT.every_s > pings.REFEREE_ALLOWS_S


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("protocol", f"After {pings.API.every_s:g} s of silence the server pings and waits {pings.API.answer_s:g} s"),
        ("protocol", f"{pings.API.noticed_s:g} s after its machine or its line has gone"),
        ("protocol", f"Our client pings after {pings.CLIENT.every_s:g} s and waits {pings.CLIENT.answer_s:g} s"),
        ("protocol", f"{pings.CLIENT.noticed_s:g} s after the server has gone it says so"),
        ("protocol", f"on which nothing has come for {pings.SILENT_S:g} s"),
        ("protocol", f"a referee that has heard nothing for {pings.REFEREE.every_s:g} s pings"),
        ("protocol", f"does not answer within {pings.REFEREE.answer_s:g} s"),
        ("protocol", f"a bot may ping as often as every {pings.REFEREE_ALLOWS_S:g} s"),
        ("bot-author", f"it notices that within {pings.CLIENT.noticed_s:g} s, the server within"),
        ("bot-author", f"the server within {pings.API.noticed_s:g} s, a seat's line within {pings.SILENT_S:g} s"),
        ("api", f"clients that are silent for {pings.API.every_s:g} s, gives them up {pings.API.answer_s:g} s later"),
        ("api", f"ping as often as every {pings.API_ALLOWS_S:g} s"),
    ],
)
def test_the_pages_tell_the_times_that_hold(page, words):
    assert words in " ".join((DOCS / f"{page}.md").read_text(encoding="utf-8").split())
