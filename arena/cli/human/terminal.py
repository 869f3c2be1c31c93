"""The terminal that people play at: lines in, drawings out, Ctrl-C as a wish to resign."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import termios
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import IO, Final

from rich.console import Console, RenderableType
from rich.text import Text

LEAST_WIDTH: Final = 80
MOST_WIDTH: Final = 160
_LONGEST_LINE: Final = 4096
_FORGET: Final = "\x1b[3J"
"""Makes a terminal forget what has scrolled off its top."""


class InputEnded(Exception):
    """Nothing more will be typed: Ctrl-D, or the end of a pipe."""


class Terminal:
    """Where people read and type; works on pipes too, then without colour and without clearing."""

    def __init__(self, output: IO[str], *, no_color: bool = False) -> None:
        self.console = Console(file=output, highlight=False, markup=False, no_color=True if no_color else None)
        self._input = -1 if sys.stdin is None else sys.stdin.fileno()
        self._typed = b""
        self.interactive = (
            self._input >= 0
            and os.isatty(self._input)
            and self.console.is_terminal
            and not self.console.is_dumb_terminal
        )

    @property
    def width(self) -> int:
        """Columns to draw for, LEAST_WIDTH to MOST_WIDTH whatever the terminal has."""
        return min(max(self.console.width, LEAST_WIDTH), MOST_WIDTH) if self.console.is_terminal else LEAST_WIDTH

    @property
    def height(self) -> int:
        """Rows that can be seen at once."""
        return self.console.height

    def say(self, what: RenderableType = "") -> None:
        """Print a line or a drawing."""
        self.console.print(what, width=self.width, overflow="fold")

    def clear(self, *, forget: bool = False) -> None:
        """Empty the screen; forget: nor can it be scrolled back to, because somebody else looks now."""
        if self.interactive:
            self.console.file.write((_FORGET if forget else "") + "\x1b[2J\x1b[H")
            self.console.file.flush()

    async def ask(self, prompt: str) -> str:
        """Print the prompt and return the line typed after it. Raises InputEnded.

        What was typed in a terminal before the prompt stood there was meant for another one and is dropped.
        """
        if self.interactive:
            with suppress(termios.error):
                termios.tcflush(self._input, termios.TCIFLUSH)
        self.console.print(Text(prompt, style="bold"), end="")
        self.console.file.flush()
        line = await self._read_line()
        if not self.interactive:
            self.console.file.write("\n")
        return line

    async def _read_line(self) -> str:
        while b"\n" not in self._typed and len(self._typed) < _LONGEST_LINE:
            chunk = await _read(self._input)
            if not chunk:
                if self._typed:
                    break
                raise InputEnded
            self._typed += chunk
        line, _, self._typed = self._typed.partition(b"\n")
        return " ".join(line.decode(errors="replace").split())


async def _read(fd: int) -> bytes:
    """Return what is there to read, waiting for it without holding up the event loop; nothing at the end."""
    if fd < 0:
        return b""
    loop = asyncio.get_running_loop()
    readable = asyncio.Event()
    try:
        loop.add_reader(fd, readable.set)
    except PermissionError:
        pass  # an ordinary file, which can always be read
    else:
        try:
            await readable.wait()
        finally:
            loop.remove_reader(fd)
    try:
        return os.read(fd, _LONGEST_LINE)
    except OSError:  # the terminal is gone
        return b""


@contextmanager
def presses(on_press: Callable[[], bool]) -> Iterator[None]:
    """Call this at each Ctrl-C, or when the terminal goes away; if it returns False, the block is interrupted."""

    def heard(number: int, frame: FrameType | None) -> None:
        if not on_press():
            signal.default_int_handler(number, frame)

    before = {number: signal.signal(number, heard) for number in (signal.SIGINT, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def woken_by_signals(loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """Let signals wake a loop that waits.

    Python calls a handler once the main thread goes on. A signal that comes right before the loop begins to wait, or to
    another thread, would be heard only when something else happens.
    """
    heard, told = socket.socketpair()
    with heard, told:
        heard.setblocking(False)
        told.setblocking(False)
        loop.add_reader(heard, heard.recv, 4096)
        before = signal.set_wakeup_fd(told.fileno(), warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(before)
            loop.remove_reader(heard)
