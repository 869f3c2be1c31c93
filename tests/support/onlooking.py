"""Somebody who looks on: reads a match's server-sent events, byte by byte, in a thread."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse
from urllib.parse import urlsplit


class Listener:
    """Somebody who reads a stream of events to its end, in a thread."""

    def __init__(self, url: str, match_id: int, last_event: str = "") -> None:
        where = urlsplit(url)
        self._connection = HTTPConnection(where.hostname, where.port, timeout=30)
        headers = {"Last-Event-ID": last_event} if last_event else {}
        self._connection.request("GET", f"/matches/{match_id}/events", headers=headers)
        self._socket = self._connection.sock  # an answer that is closed by the server takes it from the connection
        self.answer: HTTPResponse = self._connection.getresponse()
        self.content = b""
        self.ended = threading.Event()
        self._news = threading.Condition()
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def _read(self) -> None:
        try:
            while chunk := self.answer.read1(65536):
                with self._news:
                    self.content += chunk
                    self._news.notify_all()
        except (OSError, ValueError, AttributeError, HTTPException):
            pass
        self.ended.set()

    def until(self, true: Callable[[bytes], bool], seconds: float = 20) -> None:
        with self._news:
            assert self._news.wait_for(lambda: true(self.whole()), seconds), self.content[-500:]

    def whole(self) -> bytes:
        """What has come, up to the last whole event."""
        return self.content[: self.content.rfind(b"\n\n") + 2]

    def events(self, kind: str = "position") -> list[dict]:
        blocks = [block.split("\n") for block in self.whole().decode().split("\n\n")]
        return [json.loads(block[-1].removeprefix("data: ")) for block in blocks if f"event: {kind}" in block]

    def last_id(self) -> str:
        return self.whole().decode().rpartition("id: ")[2].partition("\n")[0]

    def close(self) -> None:
        if self._socket.fileno() >= 0:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join(10)
        self.answer.close()
        self._connection.close()


@contextmanager
def listening(url: str, match_id: int, last_event: str = "") -> Iterator[Listener]:
    listener = Listener(url, match_id, last_event)
    try:
        yield listener
    finally:
        listener.close()
