"""Waits for file descriptors on the running event loop: the end of a process, the lines of a pipe, its flood."""

from __future__ import annotations

import asyncio
import os
import select
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

CHUNK_BYTES: Final = 64 * 1024
_READS: Final = 3
"""How many reads take what a pipe can hold, and find its end."""
PAUSE_S: Final = 0.02
"""A flooding program is read one chunk per pause (about 3 MB/s): it costs its reader next to nothing."""


@contextmanager
def process_descriptor(pid: int) -> Iterator[int]:
    """Yield a pidfd of a child; it becomes readable when the child has ended."""
    fd = os.pidfd_open(pid)
    try:
        yield fd
    finally:
        os.close(fd)


def is_readable(fd: int) -> bool:
    """Whether the descriptor is readable now."""
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    return bool(poll.poll(0))


async def becomes_readable(fd: int) -> None:
    """Return once the descriptor is readable; for a pidfd that is when its process has ended."""
    if is_readable(fd):
        return
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()

    def wake() -> None:
        if not ready.done():
            ready.set_result(None)

    loop.add_reader(fd, wake)
    try:
        await ready
    finally:
        loop.remove_reader(fd)


class PipeReader:
    """Feeds what arrives at the reading end of a pipe to a function, until the end or until closed."""

    __slots__ = ("_fd", "_feed", "_loop", "_pause", "_slow", "ended")

    def __init__(self, fd: int, feed: Callable[[bytes], None], slow: Callable[[], bool]) -> None:
        os.set_blocking(fd, False)
        self._fd = fd
        self._feed = feed
        self._slow = slow
        self._loop = asyncio.get_running_loop()
        self._pause: asyncio.TimerHandle | None = None
        self.ended: asyncio.Future[None] = self._loop.create_future()
        self._loop.add_reader(fd, self._read)

    def _read(self) -> None:
        try:
            chunk = os.read(self._fd, CHUNK_BYTES)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        if not chunk:
            self.close()
            return
        self._feed(chunk)
        if self._slow():
            self._loop.remove_reader(self._fd)
            self._pause = self._loop.call_later(PAUSE_S, self._resume)

    def _resume(self) -> None:
        self._pause = None
        self._loop.add_reader(self._fd, self._read)

    async def at_end(self, timeout_s: float) -> None:
        """Return at the end of the pipe, or after the timeout; what is there already is read at once."""
        for _ in range(_READS):
            if self.ended.done() or self._pause is not None:
                break
            self._read()
        if not self.ended.done():
            await asyncio.wait((self.ended,), timeout=timeout_s)

    def close(self) -> None:
        """Stop reading and close the pipe; doing it twice is harmless."""
        if self.ended.done():
            return
        self.ended.set_result(None)
        if self._pause is not None:
            self._pause.cancel()
        if not self._loop.is_closed():
            self._loop.remove_reader(self._fd)
        os.close(self._fd)
