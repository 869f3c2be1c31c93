"""Ends what is left of a sandbox whose maker was killed while it made it.

Whatever a worker has made ends with it. But bubblewrap's child waits, before anything can end it, for a word of the
bubblewrap that made it, and would wait for ever for one that is gone; a moment later it would run its bot for nobody.
That child is the first process of a namespace, and has lost its parent, which nothing of a sandbox has that lives.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from arena.hosting.sandbox import BOT_FOLDER

_MAKER: Final = "bwrap"
_OURS: Final = (b"--disable-userns", b"--json-status-fd", b"--block-fd", b"--chdir", str(BOT_FOLDER).encode())


def end_orphans() -> int:
    """Kill the first processes of sandboxes that nobody makes any more; return how many there were."""
    return sum(_end(int(folder.name)) for folder in Path("/proc").iterdir() if folder.name.isdecimal())


def _end(pid: int) -> bool:
    with contextlib.suppress(OSError, ValueError, KeyError):
        if not _is_orphan(pid):
            return False
        process = os.pidfd_open(pid)
        try:
            # The number may have gone to somebody else meanwhile.
            if _is_orphan(pid):
                signal.pidfd_send_signal(process, signal.SIGKILL)
                return True
        finally:
            os.close(process)
    return False


def _is_orphan(pid: int) -> bool:
    facts = _facts(pid)
    numbers = facts["NSpid"].split()
    if facts["Name"] != _MAKER or len(numbers) < 2 or numbers[-1] != "1":
        return False
    words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    return all(word in words for word in _OURS) and _facts(int(facts["PPid"]))["Name"] != _MAKER


def _facts(pid: int) -> Mapping[str, str]:
    """Return what /proc tells of a process. Raises OSError if there is none."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}
