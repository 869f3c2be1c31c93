"""What bots may import of the arena, in one folder for all sandboxes of this process; nothing else lies in it."""

from __future__ import annotations

import atexit
import compileall
import os
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from arena.hosting.staging import show_readable
from arena.hosting.temporary import owned_folder

LIBRARY: Final = Path("/whiteout/lib")
"""Where a sandbox shows it."""
PREFIX: Final = "whiteout-library-"


class Library:
    """The folder of one process. packages: says once which files and folders belong in it, by their names there.

    Files are linked where they can be, else copied. Any thread may use it. A forked process makes one of its own.
    """

    def __init__(self, packages: Callable[[], Mapping[Path, Path]]) -> None:
        self._packages = packages
        self._lock = threading.Lock()
        self._open = ExitStack()
        self._made_by = 0
        self._folder = Path()
        atexit.register(self.close)

    def folder(self) -> Path:
        """Return the folder; it is made if it is not there (any more). Raises UsageError for what cannot be read."""
        with self._lock:
            if self._made_by != os.getpid() or not self._folder.is_dir():
                self._forget()
                with ExitStack() as made:
                    self._folder = made.enter_context(owned_folder(PREFIX)).resolve() / "lib"
                    _fill(self._folder, self._packages())
                    self._open = made.pop_all()
                self._made_by = os.getpid()
            return self._folder

    def close(self) -> None:
        """Remove the folder; the next folder() makes another one."""
        with self._lock:
            self._forget()

    def _forget(self) -> None:
        self._open.close()  # in a forked process that lets go of the other one's folder, which stays
        self._made_by = 0


def _fill(folder: Path, packages: Mapping[Path, Path]) -> None:
    folder.mkdir(mode=0o755)
    for name, source in packages.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        show_readable(source, folder / name)
    for made in (folder, *(folder / parent for name in packages for parent in name.parents)):
        made.chmod(0o755)  # whatever the umask: the sandbox's user has to read it
    # What nobody has compiled yet: a sandbox cannot write, and would compile it for every bot.
    compileall.compile_dir(str(folder), quiet=2, stripdir=str(folder), prependdir=str(LIBRARY))
