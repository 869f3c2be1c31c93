"""Temporary folders that are removed even if their owner is killed: by the next one that makes such a folder."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
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
