"""Writes to every disk until it is full; tells if more than the limit went in."""

import os

from bait import FACTS, done, got

for folder in ("/tmp", os.environ["HOME"], "/dev/shm"):
    written = 0
    try:
        for number in range(FACTS["disk_mb"] * 2 + 2):
            with open(f"{folder}/{number}", "wb") as file:
                file.write(bytes(1 << 20))
            written += 1
    except OSError:
        pass
    if written > FACTS["disk_mb"]:
        got(f"{written} MB in {folder}")
done()
