"""Prints 200 MB; the runner looks at what is kept of it, and at the time it takes."""

import os
import time

from bait import done

until = time.monotonic() + 1
while time.monotonic() < until:
    os.write(1, b"x" * 65536)
os.write(1, b"\n")
done()
