"""Looks into a running sandbox from outside: its processes, their memory, how much it has written."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Self

from arena.hosting.kernel_files import read_kernel_file

_MOST_READ: Final = 8192
_TABLES: Final = frozenset({b"VmPTE"})
_HELD: Final = _TABLES | {b"VmRSS", b"VmSwap"}
_SHARES: Final = frozenset({b"Pss", b"SwapPss"})


class Inside:
    """A sandbox seen through its own /proc, which lists its processes and no others.

    Belongs to whoever opened it; close() lets go. A sandbox that has ended has no processes.
    """

    def __init__(self, processes: int, disks: Sequence[int]) -> None:
        self._processes = processes
        self._disks = tuple(disks)

    @classmethod
    def open(cls, first: int, disks: Sequence[str] = ()) -> Self | None:
        """Open the sandbox whose first process this is; None while its file system is still being made.

        disks: paths in the sandbox, each a file system of its own. Raises OSError when the process is gone.
        """
        root = os.open(f"/proc/{first}/root", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        opened: list[int] = []
        try:
            # Until everything is mounted the process sees the machine's /proc, or none.
            processes = _open_below(root, "proc", os.O_RDONLY)
            if processes is None:
                return None
            opened.append(processes)
            if os.fstat(processes).st_dev == Path("/proc").stat().st_dev:
                return None
            for disk in disks:
                path = _open_below(root, disk.lstrip("/"), os.O_PATH)
                if path is None:
                    return None
                opened.append(path)
            found = cls(opened[0], opened[1:])
            opened = []
            return found
        finally:
            for descriptor in (root, *opened):
                os.close(descriptor)

    def pids(self) -> list[str]:
        """Return the processes, the oldest first, as the sandbox numbers them."""
        with contextlib.suppress(OSError):
            names = os.listdir(self._processes)  # noqa: PTH208 - a descriptor has no path
            return sorted((name for name in names if name.isdigit()), key=int)
        return []

    def memory_bytes(self) -> int:
        """Return the memory of all processes, page tables included; what they share is counted once for each."""
        return sum(self._sizes(f"{pid}/status", _HELD) for pid in self.pids())

    def own_memory_bytes(self) -> int:
        """Return the same with shared memory divided among those that share it; costs a millisecond and more."""
        total = 0
        for pid in self.pids():
            shares = self._sizes(f"{pid}/smaps_rollup", _SHARES)
            held = _TABLES if shares else _HELD
            total += shares + self._sizes(f"{pid}/status", held)
        return total

    def threads(self) -> int:
        """Return the number of processes and threads."""
        return sum(self._counts(f"{pid}/status") for pid in self.pids())

    def files(self) -> int:
        """Return the number of files and folders on its disks, the fullest one counting."""
        most = 0
        for disk in self._disks:
            with contextlib.suppress(OSError):
                facts = os.fstatvfs(disk)
                most = max(most, facts.f_files - facts.f_ffree)
        return most

    def send(self, number: int) -> int:
        """Send a signal to every process; return how many there were."""
        pids = self.pids()
        for pid in pids:
            with contextlib.suppress(OSError):
                process = os.open(pid, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=self._processes)
                try:
                    signal.pidfd_send_signal(process, number)
                finally:
                    os.close(process)
        return len(pids)

    def cpu_ticks(self) -> int:
        """Return the CPU time of all processes, in the kernel's ticks."""
        total = 0
        for pid in self.pids():
            words = self._read(f"{pid}/stat").rpartition(b")")[2].split()
            total += int(words[11]) + int(words[12]) if len(words) > 12 else 0
        return total

    def close(self) -> None:
        """Let go of the descriptors; to be done once."""
        for descriptor in (self._processes, *self._disks):
            os.close(descriptor)

    def _sizes(self, path: str, names: frozenset[bytes]) -> int:
        """Return the sum of the named lines in bytes; the kernel writes them as "Name: number kB"."""
        total = 0
        for line in self._read(path).splitlines():
            name, _, rest = line.partition(b":")
            if name in names:
                total += int(rest.split()[0]) * 1024
        return total

    def _counts(self, path: str) -> int:
        for line in self._read(path).splitlines():
            name, _, number = line.partition(b":")
            if name == b"Threads":
                return int(number)
        return 0

    def _read(self, path: str) -> bytes:
        try:
            return read_kernel_file(path, _MOST_READ, folder=self._processes)
        except OSError:
            return b""


def _open_below(folder: int, path: str, flags: int) -> int | None:
    try:
        return os.open(path, flags | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
    except OSError:
        return None
