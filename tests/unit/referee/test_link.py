"""The referee's end of a stream, on a call that takes messages as slowly as the test wants."""

import asyncio

import pytest

from referee.link import OUTBOX_LIMIT, StreamLink
from referee.refusal import Refusal


class Call:
    """A call whose writes wait until it is opened."""

    def __init__(self, *, taking=True):
        self.written = []
        self.code = self.details = self.metadata = None
        self._taking = asyncio.Event()
        if taking:
            self._taking.set()

    async def write(self, message):
        await self._taking.wait()
        self.written.append(message)

    def take(self):
        self._taking.set()

    def set_code(self, code):
        self.code = code

    def set_details(self, details):
        self.details = details

    def set_trailing_metadata(self, metadata):
        self.metadata = metadata


async def ended(writing):
    return await asyncio.wait_for(writing, 5)


async def test_messages_go_out_in_order_and_finish_ends_after_them():
    call = Call()
    link = StreamLink(call)
    writing = asyncio.create_task(link.write_all())
    for message in (b"1", b"2", b"3"):
        link.send(message)
    link.finish()
    await ended(writing)
    assert call.written == [b"1", b"2", b"3"]
    assert call.code is None


async def test_a_link_waits_for_what_is_still_to_come():
    call = Call()
    link = StreamLink(call)
    writing = asyncio.create_task(link.write_all())
    link.send(b"1")
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert not writing.done()
    link.send(b"2")
    link.finish()
    await ended(writing)
    assert call.written == [b"1", b"2"]


async def test_what_was_sent_before_the_stream_was_served_goes_out():
    call = Call()
    link = StreamLink(call)
    link.send(b"1")
    link.finish()
    await ended(link.write_all())
    assert call.written == [b"1"]


async def test_a_refusal_is_left_on_the_call():
    call = Call()
    link = StreamLink(call)
    link.refuse(Refusal.of("SEAT_OUT", "you are out"))
    await ended(link.write_all())
    assert call.code.name == "FAILED_PRECONDITION"
    assert call.details == "SEAT_OUT: you are out"
    assert call.metadata == (("reason", "SEAT_OUT"),)


async def test_nothing_goes_out_after_the_end_was_asked_for():
    call = Call()
    link = StreamLink(call)
    link.finish()
    link.send(b"late")
    link.refuse(Refusal.of("SEAT_OUT", "late"))
    await ended(link.write_all())
    assert call.written == []
    assert call.code is None


@pytest.mark.parametrize("when", ["before", "while"])
async def test_a_peer_that_takes_nothing_is_left_after_the_goodbye_time(when):
    call = Call(taking=False)
    link = StreamLink(call, goodbye_s=0.05)
    link.send(b"1")
    if when == "before":
        link.finish()
    writing = asyncio.create_task(link.write_all())
    if when == "while":
        await asyncio.sleep(0)
        link.finish()
    await ended(writing)
    assert call.written == []


async def test_a_peer_that_reads_late_still_gets_everything():
    call = Call(taking=False)
    link = StreamLink(call, goodbye_s=5)
    link.send(b"1")
    writing = asyncio.create_task(link.write_all())
    link.finish()
    await asyncio.sleep(0)
    call.take()
    await ended(writing)
    assert call.written == [b"1"]


async def test_a_peer_that_reads_nothing_is_refused_more():
    call = Call(taking=False)
    link = StreamLink(call, goodbye_s=0.05)
    for _ in range(OUTBOX_LIMIT + 1):
        link.send(b"x")
    await ended(link.write_all())
    assert call.details.startswith("NOT_READING: ")
