"""Stops a running sandbox and lets it go on: by its control group, or by signals to all its processes."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path
from typing import Final

from arena.hosting.inside import Inside

ROUNDS: Final = 4
"""How often a sandbox that cannot be frozen is told to stop: its processes may wake each other in between."""


class FreezerBrake:
    """Stops everything in a control group of version 2; what is frozen can still be killed.

    freezer: the group's cgroup.freeze. Raises OSError if it cannot be opened.
    """

    def __init__(self, freezer: Path) -> None:
        self._freezer = os.open(freezer, os.O_WRONLY | os.O_CLOEXEC)

    def stop(self) -> None:
        """Freeze the group (some 50 us)."""
        with contextlib.suppress(OSError):
            os.write(self._freezer, b"1")

    def go(self) -> None:
        """Thaw the group (some 50 us)."""
        with contextlib.suppress(OSError):
            os.write(self._freezer, b"0")

    def close(self) -> None:
        """Let go of the group."""
        os.close(self._freezer)


class SignalBrake:
    """Stops the processes of a sandbox one by one.

    A program cannot ignore the signal. Many processes that wake each other may hold out for a while; a control group
    leaves them no chance.
    """

    def __init__(self, first: int) -> None:
        self._first = first
        self._inside: Inside | None = None

    def stop(self) -> None:
        """Stop every process, and those again that another one has woken meanwhile."""
        inside = self._opened()
        if inside is not None:
            for _ in range(ROUNDS):
                # The first process only waits for the others; two of them are a bot that woke nobody.
                if inside.send(signal.SIGSTOP) <= 2:
                    break

    def go(self) -> None:
        """Wake every process."""
        inside = self._opened()
        if inside is not None:
            inside.send(signal.SIGCONT)

    def close(self) -> None:
        """Let go of the sandbox."""
        if self._inside is not None:
            self._inside.close()
            self._inside = None

    def _opened(self) -> Inside | None:
        if self._inside is None:
            with contextlib.suppress(OSError):
                self._inside = Inside.open(self._first)
        return self._inside
