"""TCP proxies that do to a line what networks do: cut it, stop reading, lose an answer, or fall silent."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import Self


@dataclass(eq=False)
class Joint:
    """One connection. number: counted from 1. silent: whatever either side sends is taken, and nobody gets it."""

    near: socket.socket
    far: socket.socket
    number: int
    silent: bool


class Line:
    """Forwards what comes to `address` to `target`, each HOST:PORT. connections: how many there have been."""

    def __init__(self, target: str) -> None:
        self.target = target
        self._joints: list[Joint] = []
        self._silent = False
        self.connections = 0
        self._server = socket.create_server(("127.0.0.1", 0))
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
        for joint in self._joints:
            for end in (joint.near, joint.far):
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
                end.close()

    def fall_silent(self) -> None:
        """From now on take every byte and hand none on, not even the end; connections that come are taken, too."""
        self._silent = True
        for joint in self._joints:
            joint.silent = True

    def come_back(self) -> None:
        """Let the connections that come from now on work; the silent ones stay silent."""
        self._silent = False

    def _refuses(self) -> bool:
        return False

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._server.accept()
                if self._refuses():
                    near.close()
                    continue
                self.connections += 1
                host, _, port = self.target.rpartition(":")
                far = socket.create_connection((host, int(port)))
                joint = Joint(near, far, self.connections, self._silent)
                self._joints.append(joint)
                for way in (self._forth, self._back):
                    threading.Thread(target=way, args=(joint,), daemon=True).start()

    def _forth(self, joint: Joint) -> None:
        self._pass_on(joint, joint.near, joint.far)

    def _back(self, joint: Joint) -> None:
        self._pass_on(joint, joint.far, joint.near)

    def _pass_on(self, joint: Joint, source: socket.socket, to: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if not joint.silent:
                    to.sendall(data)
            if not joint.silent:
                to.shutdown(socket.SHUT_WR)


class Cutter(Line):
    """After `after` bytes from the client it cuts, or holds (reads no more).

    reached: set when so many bytes have been forwarded.
    """

    def __init__(self, target: str, after: int, *, hold: bool = False) -> None:
        self._left = after
        self._hold = hold
        self.reached = threading.Event()
        super().__init__(target)

    def _refuses(self) -> bool:
        return self.reached.is_set() and not self._hold

    def _forth(self, joint: Joint) -> None:
        with suppress(OSError):
            while self._left > 0 and (data := joint.near.recv(min(self._left, 65536))):
                joint.far.sendall(data)
                self._left -= len(data)
            if self._left <= 0:
                self.reached.set()
                if not self._hold:
                    self.cut()


class Deaf(Line):
    """Loses the answer to one method on its first connection, which then is to be cut.

    asked: set when the call has gone through to the server.
    """

    def __init__(self, target: str, method: bytes) -> None:
        self._method = method
        self.asked = threading.Event()
        super().__init__(target)

    def _pass_on(self, joint: Joint, source: socket.socket, to: socket.socket) -> None:
        if joint.number > 1:
            super()._pass_on(joint, source, to)
            return
        with suppress(OSError):
            while data := source.recv(65536):
                if self._method in data:
                    self.asked.set()
                if not self.asked.is_set() or self._method in data:
                    to.sendall(data)
