"""A user at a real pseudo-terminal: starts `arena`, reads the screen, types, presses Ctrl-C."""

import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

WAIT_S = 60
CLEAR = "\x1b[2J\x1b[H"
STYLES = re.compile(r"\x1b\[[0-9;]*m")
CONTROLS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class User:
    """Somebody at a terminal of this size; everything that reached the screen stands in `seen`."""

    def __init__(self, folder: Path, *arguments: object, columns: int = 80, rows: int = 40, **environment: str) -> None:
        self._fd, terminal = os.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        clean = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "COLUMNS", "LINES"}}
        self.process = subprocess.Popen(
            [sys.executable, "-c", "from arena.cli.main import main; main()", *map(str, arguments)],
            stdin=terminal, stdout=terminal, stderr=terminal, cwd=folder, start_new_session=True,
            env=clean | {"TERM": "xterm-256color"} | environment,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - the test has one thread
        )  # fmt: skip
        os.close(terminal)
        self.seen = ""
        self._read_to = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._fd)

    @property
    def screen(self) -> str:
        """What stands there since the screen was last cleared, without colours."""
        return CONTROLS.sub("", self.seen.rpartition(CLEAR)[2]).replace("\r", "")

    @property
    def everything(self) -> str:
        """All that was ever shown, without colours."""
        return CONTROLS.sub("", self.seen).replace("\r", "")

    def wait_for(self, words: str) -> str:
        """Return the screen once these words have newly come."""
        deadline = time.monotonic() + WAIT_S
        while words not in CONTROLS.sub("", self.seen[self._read_to :]):
            assert time.monotonic() < deadline, f"{words!r} did not come; the screen:\n{self.screen}"
            assert self._pump(), f"{words!r} did not come before the end; the screen:\n{self.screen}"
        self._read_to = len(self.seen)
        return self.screen

    def type(self, line: str) -> None:
        """Type a line and press Enter."""
        os.write(self._fd, f"{line}\n".encode())

    def answer(self, line: str, prompt: str = "for help: ") -> str:
        """Type a line and return the screen when the next prompt stands there."""
        self.type(line)
        return self.wait_for(prompt)

    def press(self, key: str) -> None:
        """Press Ctrl and this letter."""
        os.write(self._fd, bytes([ord(key) - ord("a") + 1]))

    def leave(self) -> tuple[int, str]:
        """Read to the end; return the exit code and the last screen."""
        deadline = time.monotonic() + WAIT_S
        while self._pump():
            assert time.monotonic() < deadline, f"it does not end; the screen:\n{self.screen}"
        return self.process.wait(timeout=WAIT_S), self.screen

    def play_on(self, choose: Callable[[str], str]) -> tuple[int, str]:
        """Answer every turn by a function of the screen until the match is over; return code and last screen."""
        while True:
            if not self._until_prompt_or_end():
                return self.process.wait(timeout=WAIT_S), self.screen
            self.type(choose(self.screen))

    def hang_up(self) -> None:
        """Close the terminal's window."""
        os.killpg(self.process.pid, signal.SIGHUP)

    def _until_prompt_or_end(self) -> bool:
        deadline = time.monotonic() + WAIT_S
        while "for help: " not in CONTROLS.sub("", self.seen[self._read_to :]):
            assert time.monotonic() < deadline, f"no prompt comes; the screen:\n{self.screen}"
            if not self._pump():
                return False
        self._read_to = len(self.seen)
        return True

    def _pump(self) -> bool:
        """Read what has come; return False once the other end is closed."""
        if not select.select([self._fd], [], [], 0.5)[0]:
            return True
        try:
            chunk = os.read(self._fd, 1 << 16)
        except OSError:
            return False
        self.seen += chunk.decode(errors="replace")
        return bool(chunk)
