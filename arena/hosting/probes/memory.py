"""Fills memory by several processes, each of them below the limit of one; tells if all of it could be filled."""

import os
import sys
import time

from bait import FACTS, done, got

reader, writer = os.pipe()
for _ in range(FACTS["parts"]):
    if os.fork() == 0:
        filled = bytearray(FACTS["part_mb"] << 20)
        filled[::4096] = b"x" * len(filled[::4096])
        os.write(writer, b"x")
        time.sleep(60)
        sys.exit()
os.close(writer)
full = 0
while full < FACTS["parts"] and os.read(reader, 1):
    full += 1
time.sleep(0.5)
if full == FACTS["parts"]:
    got(f"{full} x {FACTS['part_mb']} MB of memory")
done()
