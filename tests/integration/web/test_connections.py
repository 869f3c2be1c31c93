"""Connections to the web server that say nothing, little, or take nothing: each ends, and costs nobody else a page."""

import asyncio
import http.client
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime

import pytest
import uvicorn
from fastapi import FastAPI
from uvicorn.server import ServerState
from webbing import serving

from arena.store import open_store
from arena.web.connections import Connection, is_shared
from arena.web.server import KEEP_ALIVE_S
from arena.web.site import Site

SOON_S = 20.0
HALF_A_FORM = (
    b"POST /sign-in HTTP/1.1\r\nHost: a\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 9\r\n\r\nt="
)


class Hasty(Connection):
    """Waits for nobody."""

    head_s = 0.3
    body_s = 0.3
    stall_s = 0.3
    most = 6


@pytest.fixture(scope="module")
def hasty(sqlite_template, tmp_path_factory) -> Iterator[tuple[str, int]]:
    store = open_store(sqlite_template.new_url(tmp_path_factory.mktemp("slow")))
    site = Site(store, now=lambda: datetime.now(UTC), key=bytes(32))
    with serving(site, connection=Hasty) as web:
        host, _, port = web.url.removeprefix("http://").rpartition(":")
        yield host, int(port)
    store.close()


@contextmanager
def connected(hasty, first: bytes = b"") -> Iterator[socket.socket]:
    with socket.create_connection(hasty, SOON_S) as line:
        line.sendall(first)
        yield line


def is_ended(line: socket.socket) -> bool:
    """Whether the server ends a connection, after whatever it still says."""
    try:
        while line.recv(65536):
            continue
    except ConnectionError:
        return True
    except TimeoutError:
        return False
    return True


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ",
        HALF_A_FORM,
    ],
    ids=["nothing", "half a head", "half a form"],
)
def test_who_begins_and_does_not_go_on_is_hung_up_on(hasty, said) -> None:
    with connected(hasty, said) as line:
        assert is_ended(line)


def test_half_a_second_head_is_waited_for_no_longer_than_the_first(hasty) -> None:
    with connected(hasty, b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n") as line:
        told = b""
        while not told.endswith(b"ok\n"):
            told += line.recv(65536)
        line.sendall(b"GET /hea")
        began = time.monotonic()
        assert is_ended(line)
        assert time.monotonic() - began < KEEP_ALIVE_S / 2


def test_bytes_that_drip_win_no_time(hasty) -> None:
    done = threading.Event()
    with connected(hasty, b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ") as line:

        def drip() -> None:
            while not done.wait(0.05):
                try:
                    line.send(b"x")
                except OSError:
                    return

        thread = threading.Thread(target=drip)
        thread.start()
        try:
            assert is_ended(line)
        finally:
            done.set()
            thread.join(SOON_S)


def test_who_asks_whole_is_answered_again_and_again_on_one_connection(hasty) -> None:
    with closing(http.client.HTTPConnection(*hasty, timeout=SOON_S)) as browser:
        for _ in range(3):
            browser.request("POST", "/sign-in", body="token=x")
            assert browser.getresponse().read()
            threading.Event().wait(0.2)  # longer in all than a head may take
            browser.request("GET", "/healthz")
            assert browser.getresponse().read() == b"ok\n"


def test_connections_that_are_too_many_end_at_once_and_the_others_go_on(hasty) -> None:
    with closing(http.client.HTTPConnection(*hasty, timeout=SOON_S)) as browser:
        browser.request("GET", "/healthz")
        assert browser.getresponse().read() == b"ok\n"
        idle = [socket.create_connection(hasty, SOON_S) for _ in range(12)]
        try:
            browser.request("GET", "/healthz")
            assert browser.getresponse().read() == b"ok\n"
            assert all(is_ended(line) for line in idle)
        finally:
            for line in idle:
                line.close()


class Unread(asyncio.Transport):
    """A connection whose other side reads nothing."""

    def __init__(self, address: str) -> None:
        super().__init__({"peername": (address, 1), "sockname": ("127.0.0.1", 1)})
        self.aborted = asyncio.Event()

    def abort(self) -> None:
        self.aborted.set()

    def is_closing(self) -> bool:
        return False

    def close(self) -> None:
        """Nothing is left to be sent."""


def connection(kind: type[Connection], address: str, connections: set) -> tuple[Connection, Unread]:
    state = ServerState()
    state.connections = connections
    config = uvicorn.Config(FastAPI(), http=kind, lifespan="off", log_config=None)
    config.load()
    made, transport = kind(config, state, {}), Unread(address)
    made.connection_made(transport)
    return made, transport


async def test_who_takes_nothing_of_what_is_sent_is_hung_up_on() -> None:
    made, transport = connection(Hasty, "8.8.8.1", set())
    made.pause_writing()
    made.resume_writing()
    made.pause_writing()
    async with asyncio.timeout(SOON_S):
        await transport.aborted.wait()
    made.connection_lost(None)


async def test_one_address_has_so_many_connections_and_leaves_the_others_to_others() -> None:
    class Few(Connection):
        most_of_one = 2

    here: set = set()
    made = [connection(Few, address, here) for address in ["8.8.8.1"] * 3 + ["8.8.8.2"] + ["10.0.0.1"] * 4]
    assert [transport.aborted.is_set() for _, transport in made] == [False, False, True] + [False] * 5
    for each, _ in made:
        each.connection_lost(None)


def test_addresses_behind_which_many_may_be_are_not_counted() -> None:
    assert [is_shared(one) for one in ("127.0.0.1", "10.1.2.3", "", "93.184.216.34")] == [True, True, True, False]
