"""Makes a bot's folder readable for the user id its sandbox runs under."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from arena.core.errors import UsageError
from arena.hosting.temporary import owned_folder

COPY_PREFIX: Final = "whiteout-bot-"


@contextmanager
def readable_folder(folder: Path) -> Iterator[Path]:
    """Yield the folder itself if everybody may read it, else a readable copy that lasts as long as the context.

    Raises UsageError for a folder that this process cannot read either.
    """
    if _open_to_all(folder):
        yield folder
        return
    with owned_folder(COPY_PREFIX) as temporary:
        copy = temporary / "bot"
        copy_readable(folder, copy)
        yield copy


def copy_readable(folder: Path, copy: Path) -> None:
    """Copy a bot's files so that everybody may read them; the copy may be an empty folder that is there already.

    Raises UsageError for a folder that this process cannot read.
    """
    try:
        shutil.copytree(folder, copy, symlinks=True, ignore=_no_files, dirs_exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder} cannot be read: {error}", reason="UNREADABLE_FOLDER") from None
    for path in (copy, *copy.rglob("*")):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | (0o555 if path.is_dir() else 0o444))


def _no_files(folder: str, names: list[str]) -> set[str]:
    """Return the names of sockets, pipes and devices: no bot needs them, and they cannot be copied."""
    modes = {name: (Path(folder) / name).lstat().st_mode for name in names}
    return {
        name for name, mode in modes.items() if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode))
    }


def _open_to_all(folder: Path) -> bool:
    for path, folders, files in os.walk(folder):
        here = Path(path)
        if not _may(here, stat.S_IROTH | stat.S_IXOTH):
            return False
        if not all(_may(here / name, stat.S_IROTH) for name in (*folders, *files)):
            return False
    return True


def _may(path: Path, bits: int) -> bool:
    mode = path.lstat().st_mode
    return stat.S_ISLNK(mode) or mode & bits == bits
