"""The socket that leads to a seat elsewhere: it holds a bot's connection until the other side can be reached."""

import asyncio
import socket
import ssl

from certificates import write_pair
from cutting import Line

from arena.hosting.relay import Relay


async def echo(reader, writer):
    while chunk := await reader.read(1024):
        writer.write(chunk)
        await writer.drain()
    writer.close()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]


async def say(connection, text):
    reader, writer = connection
    writer.write(text)
    return await reader.readexactly(len(text))


async def test_a_bot_waits_on_its_connection_until_the_other_side_is_there(tmp_path):
    port, told, trouble = free_port(), [], asyncio.Event()

    def note(line):
        told.append(line)
        trouble.set()

    async with Relay(tmp_path / "seat.sock", f"127.0.0.1:{port}", b"", note):
        bot = await asyncio.open_unix_connection(str(tmp_path / "seat.sock"))
        answer = asyncio.ensure_future(say(bot, b"hello"))
        await asyncio.wait_for(trouble.wait(), 10)
        async with await asyncio.start_server(echo, "127.0.0.1", port):
            assert await asyncio.wait_for(answer, 10) == b"hello"
            bot[1].close()
            await bot[1].wait_closed()
    assert told[0].startswith(f"127.0.0.1:{port} cannot be reached (")
    assert told[-1] == f"127.0.0.1:{port} is reached again"


async def test_a_line_that_breaks_breaks_the_bots_connection_and_the_next_one_works(tmp_path):
    lines = []

    async def keep(reader, writer):
        lines.append(writer)
        await echo(reader, writer)

    async with await asyncio.start_server(keep, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        async with Relay(tmp_path / "seat.sock", f"127.0.0.1:{port}", b"", lambda _: None):
            for _ in range(2):
                bot = await asyncio.open_unix_connection(str(tmp_path / "seat.sock"))
                assert await say(bot, b"hello") == b"hello"
                lines[-1].transport.abort()
                assert await asyncio.wait_for(bot[0].read(), 10) == b""
                bot[1].close()


async def test_a_line_on_which_nothing_comes_any_more_is_given_up_and_the_next_one_works(tmp_path):
    told, over = [], asyncio.Semaphore(0)

    async def noted_echo(reader, writer):
        await echo(reader, writer)
        await writer.wait_closed()
        over.release()

    async with await asyncio.start_server(noted_echo, "127.0.0.1", 0) as server:
        with Line(f"127.0.0.1:{server.sockets[0].getsockname()[1]}") as line:
            async with Relay(tmp_path / "seat.sock", line.address, b"", told.append, silent_s=0.5):
                bot = await asyncio.open_unix_connection(str(tmp_path / "seat.sock"))
                assert await say(bot, b"hello") == b"hello"
                line.fall_silent()
                assert await asyncio.wait_for(bot[0].read(), 10) == b""
                bot[1].close()
                line.come_back()
                bot = await asyncio.open_unix_connection(str(tmp_path / "seat.sock"))
                assert await say(bot, b"again") == b"again"
                bot[1].close()
        for _ in range(line.connections):
            await over.acquire()
    assert told == [f"{line.address} cannot be reached (no answer); trying again", f"{line.address} is reached again"]


async def secure(tmp_path, folder):
    """A server with a certificate of its own making, and that certificate."""
    pair = write_pair(tmp_path / folder, "127.0.0.1", authority=None)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(pair.certificate, pair.key)
    context.set_alpn_protocols(["h2"])
    server = await asyncio.start_server(echo, "127.0.0.1", 0, ssl=context)
    return server, server.sockets[0].getsockname()[1], pair.certificate.read_bytes()


async def test_the_announced_certificate_is_trusted_whoever_made_it(tmp_path):
    server, port, certificate = await secure(tmp_path, "mine")
    async with server, Relay(tmp_path / "seat.sock", f"127.0.0.1:{port}", certificate, lambda _: None):
        bot = await asyncio.open_unix_connection(str(tmp_path / "seat.sock"))
        assert await say(bot, b"hello") == b"hello"
        bot[1].close()


async def test_a_certificate_that_was_not_announced_is_not_trusted(tmp_path):
    server, port, _ = await secure(tmp_path, "mine")
    other = write_pair(tmp_path / "other", "127.0.0.1", authority=None).certificate.read_bytes()
    told, trouble = [], asyncio.Event()

    def note(line):
        told.append(line)
        trouble.set()

    async with server, Relay(tmp_path / "seat.sock", f"127.0.0.1:{port}", other, note):
        bot = await asyncio.open_unix_connection(str(tmp_path / "seat.sock"))
        bot[1].write(b"hello")
        await asyncio.wait_for(trouble.wait(), 10)
        bot[1].close()
    assert "its certificate is not the one that was announced" in told[0]
