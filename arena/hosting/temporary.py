"""Temporary folders that are removed even if their owner is killed: by the next one that makes such a folder."""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import Final

OWN: Final = "whiteout-"
"""How the names of all such folders begin."""

_MARK: Final = ".owner"
_UNMARKED: Final = ".owner-to-be"
_GONE: Final = ".gone"


_MEMORY: Final = Path("/dev/shm")  # noqa: S108 - only a folder that is made there anew, for this user alone, is used
_ROOM: Final = 256 * 1024 * 1024
_FILES: Final = 16 * 1024
_ALL_USERS: Final = ["0", "0", str((1 << 32) - 1)]
_USUAL: Final = frozenset({"/tmp", "/var/tmp", "/usr/tmp"})  # noqa: S108 - a comparison


def quick_place() -> Path:
    """Return where small files lie that every match makes and removes: in memory, where root has room for that.

    A disk takes longer to make a folder than all else that a seat costs. Whoever sets TMPDIR has them there. Others
    than root have none in memory: systemd removes what they have there when they log out.
    """
    return _quick_place(tempfile.gettempdir(), os.geteuid())


@cache
def _quick_place(temporary: str, user: int) -> Path:
    """Return it, the same as long as this process lives: sockets are given a second name within it."""
    if user == 0 and temporary in _USUAL:
        with contextlib.suppress(OSError):
            room = os.statvfs(_MEMORY)
            there_is_room = room.f_bavail * room.f_frsize >= _ROOM and (room.f_favail >= _FILES or not room.f_files)
            if there_is_room and _is_ours(_MEMORY) and _may_run(room.f_flag) and os.access(_MEMORY, os.W_OK):
                return _MEMORY
    return Path(temporary)


def _is_ours(place: Path) -> bool:
    """Whether nobody but root can give the names of root's folders there to others."""
    facts = place.stat()
    return facts.st_uid == 0 and (
        facts.st_mode & stat.S_ISVTX != 0 or facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH) == 0
    )


def _may_run(flags: int, users: Path = Path("/proc/self/uid_map")) -> bool:
    """Whether programs can be run from there, if need be once it is mounted anew (holder.py).

    Who is root of a user namespace only cannot have what is mounted outside lose what it was mounted with.
    """
    return not flags & os.ST_NOEXEC or users.read_text().split() == _ALL_USERS


@contextmanager
def owned_folder(prefix: str, place: Callable[[], Path] | None = None) -> Iterator[Path]:
    """Yield a new folder that only this user can enter; it is removed at the end.

    place: tells where it lies, None: among temporary files.

    Folders with the same prefix whose owner is gone are removed first. The owner holds a lock on a file in it, which
    ends with the process, however that ends; another one on the folder itself keeps systemd's cleaner out of it.
    """
    sweep(prefix)
    owner = os.getpid()
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=None if place is None else place()))
    try:
        # The mark gets its name only when the lock is held: a folder without it is never taken for a dead owner's.
        with (folder / _UNMARKED).open("wb") as mark, _kept(folder):
            fcntl.flock(mark, fcntl.LOCK_EX)
            (folder / _UNMARKED).rename(folder / _MARK)
            yield folder
    finally:
        if os.getpid() == owner:  # and no copy of it that was forked meanwhile
            _remove(folder)


LOOK_EVERY_S: Final = 1.0
"""How long a folder that lasts is taken to be whole while it is there."""


class KeptFolder:
    """An owned folder that lasts as long as this process; any thread may use it.

    fill: makes what is in it, a folder of this name. fixed: whether nothing in that changes any more. place: as in
    owned_folder. A forked process makes one of its own.
    """

    def __init__(
        self,
        prefix: str,
        name: str,
        fill: Callable[[Path], None],
        *,
        fixed: bool = False,
        place: Callable[[], Path] | None = None,
    ) -> None:
        self._prefix = prefix
        self._place = place
        self._name = name
        self._fill = fill
        self._fixed = fixed
        self._start_anew()
        atexit.register(self.close)
        os.register_at_fork(after_in_child=self._start_anew)

    def _start_anew(self) -> None:
        """Have none: neither the parent's, nor its lock, which a thread may hold that is not in this process."""
        self._lock = threading.Lock()
        self._open = ExitStack()
        self._folder: Path | None = None
        self._owned: tuple[int, int, int] | None = None
        self._changes: dict[str, int] = {}
        self._look_at = 0.0

    def path(self) -> Path:
        """Return the folder that was filled; it is made anew if it, or something fixed in it, is not there any more.

        Cleaners of temporary folders take single files that are old. They are looked for once in LOOK_EVERY_S.
        Raises what fill raises.
        """
        with self._lock:
            if self._folder is None or not self._is_whole():
                self._forget()
                with ExitStack() as made:
                    folder = made.enter_context(owned_folder(self._prefix, self._place)).resolve() / self._name
                    self._owned = _identity(folder.parent)
                    self._fill(folder)
                    self._changes = dict(_changes(folder)) if self._fixed else {}
                    self._open = made.pop_all()
                self._folder = folder
            return self._folder

    def close(self) -> None:
        """Remove it; the next path() makes another one."""
        with self._lock:
            self._forget()

    def _is_whole(self) -> bool:
        """Whether the folder is there and, as of the last look, all in it that is fixed."""
        now = time.monotonic()
        try:
            if now >= self._look_at:
                self._look_at = now + LOOK_EVERY_S
                if any(Path(each).stat().st_mtime_ns != at for each, at in self._changes.items()):
                    return False
            # Where everybody may make folders, another one may have got its name since.
            there = self._folder is not None and _identity(self._folder.parent) == self._owned
            return there and os.path.isdir(str(self._folder))  # noqa: PTH112 - every start asks
        except OSError:
            return False

    def _forget(self) -> None:
        self._folder = None
        self._open.close()


def _identity(folder: Path) -> tuple[int, int, int]:
    """Return what tells a folder from any other that has its name later: the number may come again, not the owner."""
    facts = os.lstat(folder)
    return facts.st_dev, facts.st_ino, facts.st_uid


def _changes(folder: Path) -> Iterator[tuple[str, int]]:
    """Yield each folder with the time of its last change, which the removal of anything in it is."""
    for each, _, _ in os.walk(folder):
        yield each, Path(each).stat().st_mtime_ns


@contextmanager
def _kept(folder: Path) -> Iterator[None]:
    with _opened(folder) as descriptor:
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        yield


def sweep(prefix: str) -> None:
    """Remove this user's folders with this prefix whose owners are gone.

    Everybody may make folders there, under any name: others' are not even looked into.
    """
    for folder in (folder for place in {tempfile.gettempdir(), str(_MEMORY)} for folder in _begin_so(place, prefix)):
        with contextlib.suppress(OSError), _opened(folder) as descriptor:
            if os.fstat(descriptor).st_uid != os.geteuid():
                continue
            if folder.suffix == _GONE:
                _remove(folder)
                continue
            mark = os.open(_MARK, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=descriptor)
            try:
                fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _remove(folder)
            finally:
                os.close(mark)


def _begin_so(place: str, prefix: str) -> list[Path]:
    """Return what begins so in a place, nothing if that cannot be listed."""
    with contextlib.suppress(OSError), os.scandir(place) as entries:
        return [Path(entry.path) for entry in entries if entry.name.startswith(prefix)]
    return []


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    """Open a folder that is no link, whatever has had its name before."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _remove(folder: Path) -> None:
    """Remove a folder; if this process is killed meanwhile its new name tells the next one that nobody owns it.

    What somebody else has put in its place stays.
    """
    with contextlib.suppress(OSError):
        if folder.lstat().st_uid != os.geteuid():
            return
        folder = folder.rename(folder.with_suffix(_GONE))
    shutil.rmtree(folder, ignore_errors=True)
