"""Computes without end, in two processes; the runner looks who is ended by what."""

import os

from bait import got

os.fork()
for _ in range(10**12):
    pass
got("all the time there is")
