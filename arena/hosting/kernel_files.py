"""Reads and writes the kernel's small files by plain calls of the system: every match does so some dozen times."""

from __future__ import annotations

import contextlib
import os
from typing import Final

_MOST_CHILDREN: Final = 4096


def read_kernel_file(path: str, most: int, folder: int | None = None) -> bytes:
    """Return the first bytes of a file, most at the most; folder: the open one below which path is. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC, dir_fd=folder)
    try:
        return os.read(descriptor, most)
    finally:
        os.close(descriptor)


def write_kernel_file(path: str, value: str) -> None:
    """Set a file to a value; it is made where there is none, as in a test's trees. Raises OSError."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
    try:
        os.write(descriptor, value.encode())
    finally:
        os.close(descriptor)


def tree_of(pid: int) -> list[int]:
    """Return a process and all that come from it; asking for children is cheaper than looking at everybody."""
    found = [pid]
    for each in found:
        with contextlib.suppress(OSError):
            found += map(int, read_kernel_file(f"/proc/{each}/task/{each}/children", _MOST_CHILDREN).split())
    return found
