"""Two folders a sandbox, its bot's files and its door: all that a sandbox shows and others do not."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Self

from arena.core.errors import Unavailable
from arena.hosting.sandbox import SOCKET, SeatPlaces
from arena.hosting.staging import NoRoom, copy_readable, remove_copy, show_readable
from arena.hosting.temporary import KeptFolder, quick_place

PREFIX: Final = "whiteout-seats-"
LARGE_PREFIX: Final = "whiteout-large-"
USUAL_BYTES: Final = 16 * 1024 * 1024
"""What a bot's files may take in memory, unless a sandbox waits there for them already."""
_RANDOM_BYTES: Final = 16


class Seat:
    """The folders of one sandbox, empty at first; what is put into them appears inside, read-only.

    They lie beside those of others, open to one user id only, under a name that nobody can guess, in a folder that
    nobody can list.
    """

    __slots__ = ("_folder", "_large", "_places", "_uid", "door", "files")

    def __init__(self, places: SeatPlaces) -> None:
        name = secrets.token_hex(_RANDOM_BYTES)
        folder = places.usual / name
        self._places = places
        self._folder = str(folder)
        self._large = f"{places.large}/{name}"
        self._uid: int | None = None
        self.files = folder / "bot"
        self.door = folder / "door"
        _make(self._folder)
        for one in ("bot", "door"):
            _make_open(f"{self._folder}/{one}")

    @classmethod
    def new(cls, places: SeatPlaces | None = None) -> Self:
        """Return a new one. places: what it lies in, None for those of this process. Raises Unavailable."""
        with _possible():
            return cls(places or all_seats())

    def lies_in(self, places: SeatPlaces) -> bool:
        """Whether it lies there."""
        return self._places == places

    def is_there(self) -> bool:
        """Whether nobody has cleared it away."""
        return os.path.isdir(f"{self._folder}/bot") and os.path.isdir(f"{self._folder}/door")  # noqa: PTH112

    def give(self, uid: int) -> None:
        """Let the sandbox of this user id in, which has the same number as its only group; others stay outside.

        Raises Unavailable if that cannot be.
        """
        self._uid = uid
        with _possible():
            _give(self._folder, uid)

    def copy(self, files: Path, socket: Path | None) -> None:
        """Put a bot's files in, and its door under another name of the same socket.

        Raises UsageError if the files cannot be read, Unavailable if there is no room, or the door cannot be shown.
        """
        copy_readable(files, self.files)
        if socket is not None:
            with _possible():
                self._open_door(socket)

    def show(self, files: Path, socket: Path | None) -> None:
        """As copy() does, before there is a sandbox: what does not fit is in other folders of the seat, on disk.

        There, files that everybody may read have another name.
        """
        try:
            copy_readable(files, self.files, USUAL_BYTES)
        except NoRoom:
            remove_copy(self.files)
            self.files = self._make_large("bot")
            show_readable(files, self.files)
        if socket is not None:
            with _possible():
                try:
                    self._open_door(socket)
                except OSError as error:
                    if error.errno != errno.EXDEV:
                        raise
                    self.door = self._make_large("door")
                    self._open_door(socket)

    def _open_door(self, socket: Path) -> None:
        os.link(socket, f"{self.door}/{SOCKET.name}")

    def _make_large(self, name: str) -> Path:
        """Return a new folder of the seat that is not in memory."""
        with _possible():
            with contextlib.suppress(FileExistsError):
                _make(self._large)
            _make_open(f"{self._large}/{name}")
            if self._uid is not None:
                _give(self._large, self._uid)
        return Path(self._large, name)

    def remove(self) -> None:
        """Remove the folders, once nobody sees them any more; doing it twice is harmless."""
        remove_copy(self._folder, self._large)


# By plain calls of the system: every start makes its folders.


def _make(folder: str) -> None:
    os.mkdir(folder, 0o700)  # noqa: PTH102


def _make_open(folder: str) -> None:
    os.mkdir(folder)  # noqa: PTH102
    os.chmod(folder, 0o755)  # noqa: PTH101, S103 - whatever the umask: the sandbox's user has to read it


def _give(folder: str, uid: int) -> None:
    os.chown(folder, -1, uid)
    os.chmod(folder, 0o710)  # noqa: PTH101, S103


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


_usual: Final = KeptFolder(PREFIX, "seats", _fill, place=quick_place)
_large: Final = KeptFolder(LARGE_PREFIX, "seats", _fill)


def all_seats() -> SeatPlaces:
    """Return what all seats of this process lie in. Raises Unavailable if it cannot be made."""
    with _possible():
        return SeatPlaces(_usual.path(), _large.path())
