"""The files of bots that a worker has unpacked for a block and may need for the next."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import time
from collections.abc import Callable, Collection, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from arena.hosting.temporary import owned_folder
from arena.services import submissions
from arena.store import Store

FOLDER_PREFIX: Final = "whiteout-block-"
KEPT_BYTES: Final = 64 * 1024 * 1024
"""How much may lie here for blocks to come; what a block itself needs may be more."""

KEPT_S: Final = 3600.0
"""How long files are used: where machines clear their temporary folders, they take what is older."""


Key: TypeAlias = tuple[int, str]
"""A version's id and the SHA-256 of its archive: ids begin anew in a database that was restored."""


@dataclass(frozen=True, slots=True)
class _Version:
    folder: Path
    size: int
    until: float


class UnpackedVersions:
    """Folders of versions, in a folder that only this user can enter; sandboxes see them read-only, or copies.

    Bots that run without a sandbox could change their files, so with those nothing is kept from block to block.
    clock: seconds that only grow.
    """

    def __init__(self, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._number = 0
        self._versions: dict[Key, _Version] = {}
        self._open = ExitStack()
        self._folder: Path | None = None

    async def fetched(self, wanted: Collection[Key]) -> dict[Key, Path]:
        """As ready(), in a thread where something may have to be unpacked.

        Cancelled, it ends when that thread does: it cannot be stopped, and would go on beside the next block.
        """
        folders = self.kept(wanted)
        if folders is not None:
            return folders
        unpacking = asyncio.ensure_future(asyncio.to_thread(self.ready, wanted))
        try:
            return await asyncio.shield(unpacking)
        finally:
            while not unpacking.done():
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.wait((unpacking,))

    def kept(self, wanted: Collection[Key]) -> dict[Key, Path] | None:
        """Return the folder of each if all of them are there, as ready() would, and at once."""
        now = self._clock()
        fresh = {key for key, version in self._versions.items() if now < version.until}
        return self.ready(wanted) if fresh.issuperset(wanted) else None

    def ready(self, wanted: Iterable[Key]) -> dict[Key, Path]:
        """Return the folder of each, valid until the next call. Raises what submissions.unpack does, and OSError."""
        keys = dict.fromkeys(wanted)
        self._forget(keep=keys)
        for key in keys:
            if key not in self._versions:
                self._versions[key] = self._unpack(key)
            self._versions[key] = self._versions.pop(key)  # the last used stand last
        return {key: self._versions[key].folder for key in keys}

    def close(self) -> None:
        """Remove all of them; it may be used again."""
        self._versions.clear()
        self._folder = None
        self._open.close()

    def _unpack(self, key: Key) -> _Version:
        if self._folder is None:
            self._folder = self._open.enter_context(owned_folder(FOLDER_PREFIX))
        self._number += 1
        folder = self._folder / str(self._number)
        size = submissions.unpack(self._store, key[0], folder)
        return _Version(folder, size, self._clock() + KEPT_S)

    def _forget(self, keep: Collection[Key]) -> None:
        """Remove what is old, and of what is not wanted now all but the last used that there is room for."""
        now, room = self._clock(), KEPT_BYTES
        for key, version in reversed(self._versions.copy().items()):
            room -= version.size
            if version.until <= now or (room < 0 and key not in keep):
                del self._versions[key]
                shutil.rmtree(version.folder, ignore_errors=True)
