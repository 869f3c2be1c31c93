"""Makes a bot's folder readable for the user id its sandbox runs under."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Final

from arena.core.errors import UsageError

_CHUNK: Final = 1 << 26


def copy_readable(folder: Path, copy: Path) -> None:
    """Copy a bot's files so that everybody may read them; the copy may be an empty folder that is there already.

    Sockets, pipes and devices are left out: no bot needs them. Raises UsageError for a folder that cannot be read.
    """
    try:
        _copy(str(folder), str(copy), _copy_file)
    except OSError as error:
        raise UsageError(f"{folder} cannot be read: {error}", reason="UNREADABLE_FOLDER") from None


def show_readable(source: Path, name: Path) -> None:
    """Give a file, or the files of a folder, another name, under which everybody may read them.

    Where a file is closed to others, or lies on another disk, the name is that of a copy. Raises as copy_readable does.
    """
    try:
        if source.is_dir():
            _copy(str(source), str(name), _link_file)
        else:
            _link_file(str(source), str(name))
    except OSError as error:
        raise UsageError(f"{source} cannot be read: {error}", reason="UNREADABLE_FOLDER") from None


def remove_copy(*folders: Path) -> None:
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


def _copy(folder: str, copy: str, copy_file: Callable[[str, str], None]) -> None:
    """Copy one folder; by plain calls of the system, since every match copies its bots."""
    with contextlib.suppress(FileExistsError):
        os.mkdir(copy)
    with os.scandir(folder) as entries:
        for entry in entries:
            target = f"{copy}/{entry.name}"
            if entry.is_symlink():
                os.symlink(os.readlink(entry.path), target)
            elif entry.is_dir(follow_symlinks=False):
                _copy(entry.path, target, copy_file)
            elif entry.is_file(follow_symlinks=False):
                copy_file(entry.path, target)
    # The sandbox's user has to read it, and this one to remove it.
    os.chmod(copy, stat.S_IMODE(os.stat(folder).st_mode) | 0o755)  # noqa: S103


def _link_file(file: str, target: str) -> None:
    if os.stat(file).st_mode & stat.S_IROTH:
        with contextlib.suppress(OSError):
            os.link(file, target)
            return
    _copy_file(file, target)


def _copy_file(file: str, target: str) -> None:
    source = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    try:
        facts = os.fstat(source)
        copy = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            while os.sendfile(copy, source, None, _CHUNK):  # from where it stands
                pass
            os.fchmod(copy, stat.S_IMODE(facts.st_mode) | 0o444)
            os.utime(copy, ns=(facts.st_atime_ns, facts.st_mtime_ns))  # compiled files name the time of their source
        finally:
            os.close(copy)
    finally:
        os.close(source)
