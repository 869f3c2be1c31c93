"""Temporary folders that are removed even if their owner is killed: by the next one that makes such a folder."""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

OWN: Final = "whiteout-"
"""How the names of all such folders begin."""

_MARK: Final = ".owner"
_UNMARKED: Final = ".owner-to-be"


@contextmanager
def owned_folder(prefix: str) -> Iterator[Path]:
    """Yield a new folder that only this user can enter; it is removed at the end.

    Folders with the same prefix whose owner is gone are removed first. The owner holds a lock on a file in it, which
    ends with the process, however that ends; another one on the folder itself keeps systemd's cleaner out of it.
    """
    sweep(prefix)
    owner = os.getpid()
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    try:
        # The mark gets its name only when the lock is held: a folder without it is never taken for a dead owner's.
        with (folder / _UNMARKED).open("wb") as mark, _kept(folder):
            fcntl.flock(mark, fcntl.LOCK_EX)
            (folder / _UNMARKED).rename(folder / _MARK)
            yield folder
    finally:
        if os.getpid() == owner:  # and no copy of it that was forked meanwhile
            shutil.rmtree(folder, ignore_errors=True)


class KeptFolder:
    """An owned folder that lasts as long as this process; any thread may use it.

    fill: makes what is in it, a folder of this name. A forked process makes one of its own.
    """

    def __init__(self, prefix: str, name: str, fill: Callable[[Path], None]) -> None:
        self._prefix = prefix
        self._name = name
        self._fill = fill
        self._lock = threading.Lock()
        self._open = ExitStack()
        self._made_by = 0
        self._folder = Path()
        atexit.register(self.close)

    def path(self) -> Path:
        """Return the folder that was filled; it is made if it is not there (any more). Raises what fill raises."""
        with self._lock:
            if self._made_by != os.getpid() or not self._folder.is_dir():
                self._forget()
                with ExitStack() as made:
                    self._folder = made.enter_context(owned_folder(self._prefix)).resolve() / self._name
                    self._fill(self._folder)
                    self._open = made.pop_all()
                self._made_by = os.getpid()
            return self._folder

    def close(self) -> None:
        """Remove it; the next path() makes another one."""
        with self._lock:
            self._forget()

    def _forget(self) -> None:
        self._open.close()  # in a forked process that lets go of the other one's folder, which stays
        self._made_by = 0


@contextmanager
def _kept(folder: Path) -> Iterator[None]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        yield
    finally:
        os.close(descriptor)


def sweep(prefix: str) -> None:
    """Remove this user's folders with this prefix whose owners are gone."""
    for folder in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        with contextlib.suppress(OSError):
            if folder.is_symlink() or folder.stat().st_uid != os.geteuid():
                continue
            with (folder / _MARK).open("rb") as mark:
                fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
