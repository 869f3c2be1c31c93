"""Two folders a sandbox, its bot's files and its door: all that a sandbox shows and others do not."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Self

from arena.core.errors import Unavailable
from arena.hosting.sandbox import SOCKET
from arena.hosting.staging import copy_readable, remove_copy, show_readable
from arena.hosting.temporary import KeptFolder

PREFIX: Final = "whiteout-seats-"
_RANDOM_BYTES: Final = 16


class Seat:
    """The folders of one sandbox, empty at first; what is put into them appears inside, read-only.

    They lie beside those of others, open to one user id only, under a name that nobody can guess, in a folder that
    nobody can list.
    """

    __slots__ = ("_folder", "door", "files")

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)
        self.files = folder / "bot"
        self.door = folder / "door"
        # By plain calls of the system: every start does so.
        os.mkdir(self._folder, 0o700)  # noqa: PTH102
        for made in (f"{self._folder}/bot", f"{self._folder}/door"):
            os.mkdir(made)  # noqa: PTH102
            os.chmod(made, 0o755)  # noqa: PTH101, S103 - whatever the umask: the sandbox's user has to read it

    @classmethod
    def new(cls, seats: Path | None = None) -> Self:
        """Return a new one. seats: the folder it lies in, None for that of this process. Raises Unavailable."""
        with _possible():
            return cls((seats or all_seats()) / secrets.token_hex(_RANDOM_BYTES))

    def lies_in(self, seats: Path) -> bool:
        """Whether that is the folder it lies in."""
        return self.files.is_relative_to(seats)

    def is_there(self) -> bool:
        """Whether nobody has cleared it away."""
        return os.path.isdir(f"{self._folder}/bot") and os.path.isdir(f"{self._folder}/door")  # noqa: PTH112

    def give(self, uid: int) -> None:
        """Let the sandbox of this user id in, which has the same number as its only group; others stay outside.

        Raises Unavailable if that cannot be.
        """
        with _possible():
            os.chown(self._folder, -1, uid)
            os.chmod(self._folder, 0o710)  # noqa: PTH101, S103

    def copy(self, files: Path, socket: Path | None) -> None:
        """Put a bot's files in, and its door under another name of the same socket.

        Raises UsageError if the files cannot be read, Unavailable if the door cannot be shown.
        """
        copy_readable(files, self.files)
        self._open_door(socket)

    def show(self, files: Path, socket: Path | None) -> None:
        """Put a bot's files in, those that everybody may read under another name, and its door. Raises as copy does."""
        show_readable(files, self.files)
        self._open_door(socket)

    def _open_door(self, socket: Path | None) -> None:
        if socket is not None:
            with _possible():
                os.link(socket, f"{self._folder}/door/{SOCKET.name}")

    def remove(self) -> None:
        """Remove the folders, once nobody sees them any more; doing it twice is harmless."""
        remove_copy(self.files, self.door)
        with contextlib.suppress(OSError):
            os.rmdir(self._folder)  # noqa: PTH106


@contextmanager
def _possible() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Unavailable(
            f"the sandbox cannot be made here: a place for a bot's files and its door: {error}", reason="NO_SANDBOX"
        ) from None


def _fill(folder: Path) -> None:
    folder.mkdir()
    folder.chmod(0o711)  # whoever has a seat comes to it, and nobody finds the others' names


_kept: Final = KeptFolder(PREFIX, "seats", _fill)


def all_seats() -> Path:
    """Return the folder of all seats of this process. Raises Unavailable if it cannot be made."""
    with _possible():
        return _kept.path()
