"""Makes a bot's folder readable for the user id its sandbox runs under."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def readable_folder(folder: Path) -> Iterator[Path]:
    """Yield the folder itself if everybody may read it, else a readable copy that lasts as long as the context."""
    if _open_to_all(folder):
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="whiteout-bot-") as temporary:
        copy = Path(temporary) / "bot"
        shutil.copytree(folder, copy, symlinks=True)
        for path in (copy, *copy.rglob("*")):
            if not path.is_symlink():
                path.chmod(path.stat().st_mode | (0o555 if path.is_dir() else 0o444))
        yield copy


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
