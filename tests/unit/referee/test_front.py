"""The listener for strangers: hands bytes on, and lets nobody's many connections keep others out."""

import asyncio
import socket
from contextlib import asynccontextmanager

import pytest

from arena.core.errors import Unavailable
from arena.net import splice
from referee.front import Front


@asynccontextmanager
async def echo_behind(folder, **limits):
    """A front, and behind it a server that sends back what it gets; yields the front's port."""
    inner = folder / "inner.sock"

    async def echo(reader, writer):
        while chunk := await reader.read(1024):
            writer.write(chunk)
            await writer.drain()
        writer.close()

    async with await asyncio.start_unix_server(echo, str(inner)):
        front = Front(inner, **limits)
        try:
            yield await front.open("127.0.0.1", 0)
        finally:
            await front.close()


async def connect(port):
    return await asyncio.open_connection("127.0.0.1", port)


async def echoed(connection, text=b"hello"):
    reader, writer = connection
    writer.write(text)
    return await reader.read(1024)


async def closed(connection):
    """Whether the other side has closed a connection, in order or not."""
    try:
        return await connection[0].read(1) == b""
    except ConnectionError:
        return True


async def test_bytes_go_there_and_back(tmp_path):
    async with echo_behind(tmp_path) as port:
        one = await connect(port)
        assert await echoed(one) == b"hello"
        assert await echoed(one, b"again") == b"again"
        one[1].close()


async def test_an_end_is_handed_on_after_all_that_was_said(tmp_path):
    async with echo_behind(tmp_path) as port:
        reader, writer = await connect(port)
        writer.write(b"x" * 200_000)
        writer.write_eof()
        assert len(await reader.read()) == 200_000
        writer.close()


async def test_one_address_has_so_many_connections_and_no_more(tmp_path):
    async with echo_behind(tmp_path, most_of_one=2) as port:
        held = [await connect(port) for _ in range(2)]
        for one in held:
            assert await echoed(one) == b"hello"
        third = await connect(port)
        assert await closed(third)
        assert await echoed(held[0]) == b"hello"
        held[0][1].close()
        assert await closed(held[0])
        async with asyncio.timeout(5):
            fourth = await connect(port)
            while (answer := await _answer_or_none(fourth)) is None:
                fourth = await connect(port)
        assert answer == b"hello"
        for _, writer in (*held, third, fourth):
            writer.close()


async def _answer_or_none(connection):
    """Return what comes back, None if the front has closed the connection."""
    try:
        return await echoed(connection) or None
    except ConnectionError:
        return None


async def test_all_together_have_so_many_and_no_more(tmp_path):
    async with echo_behind(tmp_path, most=1) as port:
        one = await connect(port)
        assert await echoed(one) == b"hello"
        other = await connect(port)
        assert await closed(other)
        for _, writer in (one, other):
            writer.close()


async def test_closing_ends_what_is_connected(tmp_path):
    async with echo_behind(tmp_path) as port:
        one = await connect(port)
        assert await echoed(one) == b"hello"
    assert await closed(one)
    one[1].close()


async def test_a_port_in_use_is_named(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(Unavailable, match=f"cannot listen on 127.0.0.1:{port}"):
            await Front(tmp_path / "inner.sock").open("127.0.0.1", port)


async def test_a_connection_of_somebody_who_is_gone_is_over_when_the_server_has_ended_it(tmp_path, monkeypatch):
    monkeypatch.setattr(splice, "GOODBYE_S", 0.05)

    async def hang_up(_reader, writer):
        writer.close()

    async with await asyncio.start_unix_server(hang_up, str(tmp_path / "inner.sock")):
        front = Front(tmp_path / "inner.sock", most=1)
        try:
            port = await front.open("127.0.0.1", 0)
            for _ in range(3):  # none of them says anything, or hears that it is over
                silent = await connect(port)
                assert await asyncio.wait_for(silent[0].read(), 10) == b""
                while front.connections:  # noqa: ASYNC110 - nothing is told
                    await asyncio.sleep(0.01)
                silent[1].close()
        finally:
            await front.close()
