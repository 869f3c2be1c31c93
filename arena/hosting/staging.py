"""Makes a bot's folder readable for the user id its sandbox runs under.

Whose folder it is may change it meanwhile, and this is root: no link is followed out of it, and what is no file stays.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

from arena.core.errors import Unavailable, UsageError

_CHUNK: Final = 1 << 26
_DEEPEST: Final = 100
"""So many folders may lie in each other."""
_MODES: Final = 0o777
"""What is taken over of a file's mode: not that it runs as its owner."""
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
_PutFile: TypeAlias = Callable[[str, int | None, str], None]
"""Makes a file: given another one's name, the folder that this is in, open, and the path of what is made."""


class NoRoom(Unavailable):
    """There is no room for a bot's files where they were to be copied to; some may be there."""


@dataclass(slots=True)
class _Room:
    """How many bytes may still be copied."""

    left: float = float("inf")


def copy_readable(folder: Path, copy: Path, most: int | None = None) -> None:
    """Copy a bot's files so that everybody may read them; the copy may be an empty folder that is there already.

    most: bytes in all, None for as many as there is room for. Sockets, pipes and devices are left out: no bot needs
    them. Raises UsageError for a folder that cannot be read, NoRoom.
    """
    room = _Room() if most is None else _Room(most)
    with _readable(folder), _opened(str(folder)) as source:
        _copy(source, str(copy), partial(_copy_file, room=room))


def show_readable(source: Path, name: Path) -> None:
    """Give a file, or the files of a folder, another name, under which everybody may read them.

    Where a file is closed to others, or lies on another disk, the name is that of a copy. Raises as copy_readable does.
    """
    with _readable(source):
        real = os.path.realpath(source)
        if os.path.isdir(real):
            with _opened(real) as folder:
                _copy(folder, str(name), _link_file)
        else:
            _link_file(real, None, str(name))


def remove_copy(*folders: Path | str) -> None:
    """Remove folders that this process has filled and that nobody else can write to; one that stays harms nobody."""
    for folder in folders:
        with contextlib.suppress(OSError):
            _remove(str(folder))


def _remove(folder: str) -> None:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                _remove(entry.path)
            else:
                os.unlink(entry.path)
    os.rmdir(folder)


@contextmanager
def _readable(source: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise NoRoom(f"there is no room to copy {source}: {error.strerror}", reason="NO_SANDBOX") from None
        raise UsageError(f"{source} cannot be read: {error}", reason="UNREADABLE_FOLDER") from None


@contextmanager
def _opened(name: str, within: int | None = None) -> Iterator[int]:
    """Open a folder; within: an open one that it is in, and then no link."""
    follow = os.O_NOFOLLOW if within is not None else 0
    folder = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | follow, dir_fd=within)
    try:
        yield folder
    finally:
        os.close(folder)


def _copy(folder: int, copy: str, put_file: _PutFile, deepest: int = _DEEPEST) -> None:
    """Copy one open folder; by plain calls of the system, since every match copies its bots."""
    if deepest == 0:
        raise OSError(errno.ELOOP, "too many folders lie in each other")
    with contextlib.suppress(FileExistsError):
        os.mkdir(copy)
    with os.scandir(folder) as entries:
        for entry in entries:
            target = f"{copy}/{entry.name}"
            if entry.is_symlink():
                os.symlink(os.readlink(entry.name, dir_fd=folder), target)
            elif entry.is_dir(follow_symlinks=False):
                with _opened(entry.name, folder) as below:
                    _copy(below, target, put_file, deepest - 1)
            elif entry.is_file(follow_symlinks=False):
                put_file(entry.name, folder, target)
    # The sandbox's user has to read it, and this one to remove it.
    os.chmod(copy, os.fstat(folder).st_mode & _MODES | 0o755)  # noqa: S103


def _link_file(name: str, within: int | None, target: str) -> None:
    with contextlib.suppress(OSError):
        os.link(name, target, src_dir_fd=within, follow_symlinks=False)
        facts = os.lstat(target)  # of what has been linked, whatever has that name now
        if stat.S_ISREG(facts.st_mode) and facts.st_mode & stat.S_IROTH:
            return
        os.unlink(target)
    _copy_file(name, within, target)


def _copy_file(name: str, within: int | None, target: str, room: _Room | None = None) -> None:
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK  # a pipe would wait for somebody who writes
    source = os.open(name, flags, dir_fd=within)
    try:
        facts = os.fstat(source)
        if not stat.S_ISREG(facts.st_mode):
            return
        copy = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            while sent := os.sendfile(copy, source, None, _CHUNK):  # from where it stands
                if room is not None:
                    room.left -= sent
                    if room.left < 0:
                        raise OSError(errno.ENOSPC, "too many bytes")
            os.fchmod(copy, facts.st_mode & _MODES | 0o444)
            os.utime(copy, ns=(facts.st_atime_ns, facts.st_mtime_ns))  # compiled files name the time of their source
        finally:
            os.close(copy)
    finally:
        os.close(source)
