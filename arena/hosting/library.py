"""What bots may import of the arena, in one folder for all sandboxes of this process; nothing else lies in it."""

from __future__ import annotations

import compileall
import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from arena.hosting.staging import show_readable
from arena.hosting.temporary import KeptFolder

LIBRARY: Final = Path("/whiteout/lib")
"""Where a sandbox shows it."""
PREFIX: Final = "whiteout-library-"


def library(packages: Callable[[], Mapping[Path, Path]]) -> KeptFolder:
    """Return the folder of this process. packages: says which files and folders belong in it, by their names there.

    Files are linked where they can be, else copied.
    """
    return KeptFolder(PREFIX, "lib", lambda folder: _fill(folder, packages()), fixed=True)


def _fill(folder: Path, packages: Mapping[Path, Path]) -> None:
    folder.mkdir(mode=0o755)
    for name, source in packages.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        show_readable(source, folder / name)
    # What nobody has compiled yet: a sandbox cannot write, and would compile it for every bot.
    compileall.compile_dir(str(folder), quiet=2, stripdir=str(folder), prependdir=str(LIBRARY))
    for each, _, names in os.walk(folder):
        Path(each).chmod(0o755)  # whatever the umask: the sandbox's user has to read it
        for file in names:
            _open_to_all(Path(each, file))


def _open_to_all(file: Path) -> None:
    """Let everybody read what has been made here; what is linked is open to everybody."""
    facts = file.lstat()
    if stat.S_ISREG(facts.st_mode) and not facts.st_mode & stat.S_IROTH:
        file.chmod(0o644)
