"""Ends what is left of a sandbox whose maker was killed while it made it.

Whatever a worker has made ends with it. But bubblewrap's child waits, before anything can end it, for a word of the
bubblewrap that made it, and a moment later for one of the worker; if they are gone it waits for ever. That child is the
first process of a namespace, and has lost its parent, which nothing of a sandbox has that lives. A worker that is
killed in the moment in which bubblewrap starts leaves both; then the child waits longer than any worker lets it.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from arena.hosting.cgroups import started
from arena.hosting.kernel_files import read_kernel_file
from arena.hosting.sandbox import BOT_FOLDER

_MAKER: Final = b"bwrap"
_LONGEST_NAME: Final = 64
_OURS: Final = (b"--disable-userns", b"--json-status-fd", b"--block-fd", b"--chdir", str(BOT_FOLDER).encode())


_LONGEST_WAIT_S: Final = 60.0
"""No worker lets a sandbox wait so long: it gives its word as soon as it knows of it."""


def end_orphans(longest_wait_s: float = _LONGEST_WAIT_S) -> int:
    """Kill the first processes of sandboxes that nobody makes any more; return how many there were."""
    numbers = [int(folder.name) for folder in Path("/proc").iterdir() if folder.name.isdecimal()]
    return sum(_end(pid, longest_wait_s) for pid in numbers)


def _end(pid: int, longest_wait_s: float) -> bool:
    with contextlib.suppress(OSError, ValueError, KeyError):
        if not _is_orphan(pid, longest_wait_s):
            return False
        process = os.pidfd_open(pid)
        try:
            # The number may have gone to somebody else meanwhile.
            if _is_orphan(pid, longest_wait_s):
                signal.pidfd_send_signal(process, signal.SIGKILL)
                return True
        finally:
            os.close(process)
    return False


def _is_orphan(pid: int, longest_wait_s: float) -> bool:
    if not _is_maker(pid):
        return False
    facts = _facts(pid)
    numbers = facts["NSpid"].split()
    if len(numbers) < 2 or numbers[-1] != "1":
        return False
    words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    if not all(word in words for word in _OURS):
        return False
    return not _is_maker(int(facts["PPid"])) or (_waits(pid, words) and _age_s(pid) > longest_wait_s)


def _is_maker(pid: int) -> bool:
    """Whether it is a bubblewrap; all there is to learn of most processes of a machine."""
    return read_kernel_file(f"/proc/{pid}/comm", _LONGEST_NAME).rstrip() == _MAKER


def _waits(pid: int, words: list[bytes]) -> bool:
    """Whether it has what it waits at for the worker's word; before it runs anything it closes that."""
    number = words[words.index(b"--block-fd") + 1].decode()
    return str(Path(f"/proc/{pid}/fd/{number}").readlink()).startswith("socket:")


def _age_s(pid: int) -> float:
    began = int(started(pid)) / os.sysconf("SC_CLK_TCK")
    return float(Path("/proc/uptime").read_text().split()[0]) - began


def _facts(pid: int) -> Mapping[str, str]:
    """Return what /proc tells of a process. Raises OSError if there is none."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}
