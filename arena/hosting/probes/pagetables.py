"""Fills memory with the tables of a huge empty mapping, which belong to no page that it has."""

import mmap

from bait import FACTS, done, got

STEP = 2 << 20
held = 0
kept = []
try:
    while held < FACTS["tables_mb"] << 20:
        area = mmap.mmap(-1, 1 << 36, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, prot=mmap.PROT_READ)
        kept.append(area)
        for at in range(0, len(area), STEP):
            area[at]
        held += len(area) // STEP * 4096
except OSError:
    done()
else:
    got(f"{held >> 20} MB of page tables")
