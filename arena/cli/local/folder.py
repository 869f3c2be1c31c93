"""The data folder of an arena on this machine: what lies where, and the lock that lets one arena in."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.cli.places import ADMIN_TOKEN_FILE, SERVER_FILE
from arena.core.errors import Conflict, UsageError
from arena.hosting.temporary import owned_folder
from arena.net.addresses import UNIX, callable_here, split_address
from arena.net.tls import Identity

LOCK_FILE: Final = "arena.lock"
LONGEST_SOCKET_PATH: Final = 107


@dataclass(frozen=True, slots=True)
class DataFolder:
    """A data folder that is ours for as long as the lock is held."""

    path: Path

    @property
    def logs(self) -> Path:
        """Where each process writes what it has to say."""
        return self.path / "logs"

    @property
    def token_file(self) -> Path:
        """The first admin token, readable by its owner only."""
        return self.path / ADMIN_TOKEN_FILE

    @contextmanager
    def announced(self, address: str, identity: Identity | None = None) -> Iterator[None]:
        """Let commands that are given this folder find the server, and know it again, while the block runs."""
        file = self.path / SERVER_FILE
        new = file.with_suffix(".new")
        called = callable_here(address)
        facts: dict[str, object] = {"grpc": called}
        if identity is not None:
            name = "" if called.startswith(UNIX) else identity.name_for(split_address(called)[0])
            facts["tls"] = {"certificate": identity.certificate.decode("ascii", "ignore"), "name": name}
        new.write_text(json.dumps(facts) + "\n", encoding="utf-8")
        new.replace(file)
        try:
            yield
        finally:
            file.unlink(missing_ok=True)

    @contextmanager
    def broker_socket(self) -> Iterator[Path]:
        """Yield where the broker's socket goes: here, or in a short temporary folder if this path is too long."""
        path = self.path / "broker.sock"
        if len(str(path).encode()) <= LONGEST_SOCKET_PATH:
            yield path
            return
        with owned_folder("whiteout-broker-") as folder:
            yield folder / path.name


@contextmanager
def locked_folder(path: Path) -> Iterator[DataFolder]:
    """Make the folder if need be and hold its lock.

    Raises Conflict if an arena runs on it already, UsageError if it cannot be a data folder.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path / LOCK_FILE, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise UsageError(f"data folder {path}: {error.strerror}; name another with --data DIR") from None
    with os.fdopen(descriptor, "r+") as file:
        _lock(file.fileno(), path, file.read)
        file.seek(0)
        file.truncate()
        file.write(f"{os.getpid()}\n")
        file.flush()
        folder = DataFolder(path.resolve())
        folder.logs.mkdir(exist_ok=True)
        yield folder


def _lock(descriptor: int, path: Path, holder: Callable[[], str]) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Conflict(
            f"an arena runs on the data folder {path} already (process {holder().strip() or 'unknown'}); stop it, or"
            " name another folder with --data DIR",
            reason="DATA_FOLDER_IN_USE",
        ) from None
