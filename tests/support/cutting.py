"""A TCP proxy that cuts or holds a connection after so many bytes from the client."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from typing import Self


class Cutter:
    """Forwards 127.0.0.1:`port` to an address; after `after` bytes from the client it cuts, or holds (reads no more).

    reached: set when so many bytes have been forwarded.
    """

    def __init__(self, target: str, after: int, *, hold: bool = False) -> None:
        host, _, port = target.rpartition(":")
        self._target = (host, int(port))
        self._left = after
        self._hold = hold
        self.reached = threading.Event()
        self._server = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self.address = f"127.0.0.1:{self._server.getsockname()[1]}"
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._server.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
        self._server.close()
        self.cut()
        self._thread.join(10)

    def cut(self) -> None:
        """Close both ends of every connection."""
        for each in self._open:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._server.accept()
                if self.reached.is_set() and not self._hold:
                    client.close()
                    continue
                server = socket.create_connection(self._target)
                self._open += [client, server]
                threading.Thread(target=self._back, args=(server, client), daemon=True).start()
                threading.Thread(target=self._forth, args=(client, server), daemon=True).start()

    def _back(self, server: socket.socket, client: socket.socket) -> None:
        with suppress(OSError):
            while data := server.recv(65536):
                client.sendall(data)

    def _forth(self, client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError):
            while self._left > 0 and (data := client.recv(min(self._left, 65536))):
                server.sendall(data)
                self._left -= len(data)
            if self._left <= 0:
                self.reached.set()
                if not self._hold:
                    self.cut()
