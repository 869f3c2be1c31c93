"""Removes the folders of control groups, sooner or later: the kernel keeps one while anything is still in it."""

from __future__ import annotations

import atexit
import os
import threading
import time
from functools import cache
from pathlib import Path
from typing import Final

_AT_ONCE: Final = 5
"""Tries, a millisecond apart, before a folder is put off: bots play in the loop that waits here."""
_TRY_S: Final = 0.001
_AT_END_S: Final = 2.0
"""How long the end of this process waits for the kernel."""


class Leftovers:
    """Folders of ended groups that could not be removed yet; any thread may use it."""

    def __init__(self) -> None:
        self._folders: list[Path] = []
        self._lock = threading.Lock()

    @classmethod
    @cache
    def of_process(cls) -> Leftovers:
        """Return those of this process, not its parent's: it tries again when it makes or removes a group, and ends."""
        leftovers = cls()
        atexit.register(leftovers.wait, _AT_END_S)
        return leftovers

    def remove(self, folder: Path) -> None:
        """Remove a folder, or remember it; harmless if it is gone."""
        until = time.monotonic() + _AT_ONCE * _TRY_S
        while not _removed(folder):
            if time.monotonic() > until:
                with self._lock:
                    self._folders.append(folder)
                return
            time.sleep(_TRY_S)

    def try_again(self) -> bool:
        """Try each folder once more, without waiting; return whether none is left."""
        with self._lock:
            self._folders = [folder for folder in self._folders if not _removed(folder)]
            return not self._folders

    def wait(self, seconds: float) -> None:
        """Try until none is left, but no longer than that."""
        until = time.monotonic() + seconds
        while not self.try_again() and time.monotonic() < until:
            time.sleep(_TRY_S)


os.register_at_fork(after_in_child=Leftovers.of_process.cache_clear)


def _removed(folder: Path) -> bool:
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True
