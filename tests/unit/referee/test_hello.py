"""Streams that have not said who they are."""

import asyncio

import pytest

from referee import play
from referee.play import Player, _too_old


class SilentCall:
    """A call on which nothing ever comes."""

    def __init__(self):
        self.details = ""

    async def read(self):
        await asyncio.get_running_loop().create_future()

    def set_code(self, code):
        self.code = code

    def set_details(self, details):
        self.details = details

    def set_trailing_metadata(self, metadata):
        self.metadata = metadata


async def test_a_stream_without_hello_is_ended_after_a_while():
    call = SilentCall()
    await asyncio.wait_for(Player(lambda ticket: None, hello_s=0.02).play(None, call), 5)
    assert call.details.startswith("HELLO_TIMEOUT: ")


async def test_with_too_many_strangers_the_oldest_is_ended():
    player = Player(lambda ticket: None)
    calls = [SilentCall() for _ in range(play.MAX_STRANGERS + 1)]
    streams = [asyncio.create_task(player.play(None, call)) for call in calls]
    done, waiting = await asyncio.wait(streams, timeout=5, return_when=asyncio.FIRST_COMPLETED)
    for stream in waiting:
        stream.cancel()
    await asyncio.gather(*streams, return_exceptions=True)
    assert done == {streams[0]}
    assert calls[0].details.startswith("HELLO_TIMEOUT: ")


@pytest.mark.parametrize(
    ("sdk", "old"),
    [
        ("python/0.0.9", True),
        ("python/0.1.0", False),
        ("python/0.1.0rc1", False),
        ("python/10.0.0", False),
        ("go/0.0.1", False),
        ("", False),
        ("python", False),
        ("python/1", False),
    ],
)
def test_only_a_known_sdk_can_be_too_old(sdk, old):
    assert _too_old(sdk) is old
