"""Hands out user ids for sandboxes when the arena itself runs as root: one id, one sandbox."""

from __future__ import annotations

import os
import socket
from typing import Final, Self

from arena.core.errors import LimitReached

FIRST_UID: Final = 61000
LAST_UID: Final = 61183
"""A span that neither distributions nor systemd hand out."""


class UidLease:
    """The right to run one sandbox under one user id of this machine.

    The right is the ownership of an abstract socket name, so it holds between processes and ends with its owner
    whatever happens to it.
    """

    __slots__ = ("_mark", "uid")

    def __init__(self, uid: int, mark: socket.socket) -> None:
        self.uid = uid
        self._mark = mark

    @classmethod
    def take(cls) -> Self:
        """Return a lease on a free id. Raises LimitReached when all are taken."""
        for uid in range(FIRST_UID, LAST_UID + 1):
            mark = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            try:
                mark.bind(f"\0whiteout/uid/{uid}")
            except OSError:
                mark.close()
                continue
            return cls(uid, mark)
        raise LimitReached(f"all {LAST_UID - FIRST_UID + 1} sandbox user ids are in use; run fewer matches at once")

    def release(self) -> None:
        """Give the id back; doing it twice is harmless."""
        self._mark.close()


def running_as_root() -> bool:
    """Whether sandboxes need a user id of their own."""
    return os.geteuid() == 0
