import asyncio
import hashlib

import pytest

from arena.api.uploads import CHUNK_BYTES, receive
from arena.core.errors import ArenaError
from arena.v1.bot_pb2 import SubmitBotHeader, SubmitBotRequest

ARCHIVE = b"archive" * 1000


def header(content=ARCHIVE, **other):
    facts = {"sha256": hashlib.sha256(content).hexdigest(), "size_bytes": len(content)} | other
    return SubmitBotRequest(header=SubmitBotHeader(**facts))


def chunk(content):
    return SubmitBotRequest(chunk=content)


async def stream(*requests):
    for request in requests:
        yield request


async def reason_of(*requests, max_bytes=1 << 20):
    with pytest.raises(ArenaError) as caught:
        await receive(stream(*requests), max_bytes)
    return caught.value.code


async def test_chunks_are_put_together_again():
    upload = await receive(stream(header(name="ann"), chunk(ARCHIVE[:100]), chunk(ARCHIVE[100:])), 1 << 20)

    assert (upload.header.name, upload.archive) == ("ann", ARCHIVE)
    assert upload.header.sha256 == hashlib.sha256(ARCHIVE).hexdigest()


async def test_an_upload_begins_with_its_header():
    assert await reason_of(chunk(ARCHIVE)) == "BAD_UPLOAD"
    assert await reason_of() == "BAD_UPLOAD"
    assert await reason_of(SubmitBotRequest()) == "BAD_UPLOAD"


async def test_a_second_header_is_refused():
    assert await reason_of(header(), header()) == "BAD_UPLOAD"


@pytest.mark.parametrize("wrong", [{"sha256": "abc"}, {"sha256": "A" * 64}, {"size_bytes": 0}, {"size_bytes": -5}])
async def test_a_header_that_cannot_be_right_is_refused(wrong):
    assert await reason_of(header(**wrong), chunk(ARCHIVE)) == "BAD_UPLOAD"


async def test_a_large_archive_is_refused_at_its_header():
    async def only_a_header():
        yield header(size_bytes=2000)
        raise AssertionError("nothing may be read after the header")

    with pytest.raises(ArenaError) as caught:
        await receive(only_a_header(), 1999)

    assert caught.value.code == "ARCHIVE_TOO_LARGE"


async def test_more_bytes_than_announced_are_refused_at_the_first_too_many():
    assert await reason_of(header(size_bytes=10), chunk(ARCHIVE)) == "WRONG_SIZE"


async def test_fewer_bytes_than_announced_are_refused():
    assert await reason_of(header(), chunk(ARCHIVE[:-1])) == "WRONG_SIZE"


async def test_other_bytes_than_announced_are_refused():
    assert await reason_of(header(sha256="0" * 64), chunk(ARCHIVE)) == "WRONG_CHECKSUM"


async def test_a_huge_chunk_is_refused():
    big = bytes(CHUNK_BYTES + 1)

    assert await reason_of(header(big), chunk(big), max_bytes=10 * CHUNK_BYTES) == "CHUNK_TOO_LARGE"


async def test_a_silent_stream_is_ended():
    async def silent():
        yield header()
        await asyncio.Event().wait()

    with pytest.raises(ArenaError) as caught:
        await receive(silent(), 1 << 20, idle_s=0.05)

    assert caught.value.code == "UPLOAD_STALLED"
