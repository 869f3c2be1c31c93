"""Looks for what an earlier match may have left."""

import ctypes
import os

from bait import FACTS, call, done, got

mark = FACTS["mark"]
for top in ("/tmp", "/home", "/dev", "/run", "/bot"):
    for folder, _, names in os.walk(top):
        for name in names:
            if mark in name:
                got(f"{folder}/{name}")
if len([name for name in os.listdir("/proc") if name.isdigit()]) > 2:
    got("processes")
key = ctypes.c_long(0x57484954)
for name, more in {"shmget": (4096, 0), "semget": (1, 0), "msgget": (0,)}.items():
    if call(FACTS["calls"][name], key, *more) >= 0:
        got(name)
if call(FACTS["calls"]["request_key"], b"user", mark.encode(), None, ctypes.c_long(-4)) >= 0:
    got("a key")
done()
