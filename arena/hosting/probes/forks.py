"""Starts processes until it is refused; tells if it was never refused."""

import os
import signal

from bait import FACTS, done, got

made = 0
try:
    while made <= FACTS["processes"]:
        if os.fork() == 0:
            signal.pause()
        made += 1
except OSError:
    done()
else:
    got(f"{made} processes")
