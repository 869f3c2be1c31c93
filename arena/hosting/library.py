"""What bots may import of the arena, in one folder for all sandboxes of this process; nothing else lies in it."""

from __future__ import annotations

import compileall
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
    return KeptFolder(PREFIX, "lib", lambda folder: _fill(folder, packages()))


def _fill(folder: Path, packages: Mapping[Path, Path]) -> None:
    folder.mkdir(mode=0o755)
    for name, source in packages.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        show_readable(source, folder / name)
    for made in (folder, *(folder / parent for name in packages for parent in name.parents)):
        made.chmod(0o755)  # whatever the umask: the sandbox's user has to read it
    # What nobody has compiled yet: a sandbox cannot write, and would compile it for every bot.
    compileall.compile_dir(str(folder), quiet=2, stripdir=str(folder), prependdir=str(LIBRARY))
