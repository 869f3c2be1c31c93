"""Fills memory that is shared and then mapped by nobody: no process is seen to have it."""

import mmap
import os
import time

from bait import FACTS, done, got

zero = os.open("/dev/zero", os.O_RDWR)
for file in (-1, zero):
    flags = mmap.MAP_SHARED | (mmap.MAP_ANONYMOUS if file == -1 else 0)
    held = 0
    try:
        for _ in range(FACTS["parts"]):
            area = mmap.mmap(file, FACTS["part_mb"] << 20, flags=flags)
            for at in range(0, len(area), 4096):
                area[at] = 1
            area.madvise(mmap.MADV_DONTNEED)
            held += FACTS["part_mb"]
            if os.fork() == 0:
                time.sleep(60)
    except (OSError, ValueError):
        continue
    got(f"{held} MB of memory by file {file}")
time.sleep(0.5)
done()
