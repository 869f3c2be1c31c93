"""A disk so small that a drill can fill it."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SMALL_DISK_MB = 96


@contextmanager
def small_disk(place: Path) -> Iterator[bool]:
    """Put a small file system of its own under a folder while the block runs; yield whether that could be done."""
    command = ["mount", "-t", "tmpfs", "-o", f"size={SMALL_DISK_MB}m,mode=700", place.name, str(place)]
    mounted = os.geteuid() == 0 and subprocess.run(command, capture_output=True, check=False).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", str(place)], check=True)
