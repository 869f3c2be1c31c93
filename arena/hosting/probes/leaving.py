"""Leaves all it can for the next match: files, shared memory, semaphores, a process that wants to outlive it."""

import contextlib
import ctypes
import os
import time

from bait import FACTS, call, done, libc

mark = FACTS["mark"]
for folder in ("/tmp", os.environ["HOME"], "/dev/shm", "/run", "/var/tmp", "/bot", "/dev/mqueue"):
    with contextlib.suppress(OSError), open(f"{folder}/{mark}", "w") as file:
        file.write(mark)
with contextlib.suppress(AttributeError):
    libc.sem_open(f"/{mark}".encode(), os.O_CREAT, 0o666, 1)
    libc.mq_open(f"/{mark}".encode(), os.O_CREAT | os.O_RDWR, 0o666, None)
key = ctypes.c_long(0x57484954)
for name, more in {"shmget": (4096, 0o1666), "semget": (1, 0o1666), "msgget": (0o1666,)}.items():
    call(FACTS["calls"][name], key, *more)
call(FACTS["calls"]["add_key"], b"user", mark.encode(), b"x", 1, ctypes.c_long(-4))
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in range(3):
            os.close(number)
        time.sleep(600)
    os._exit(0)
time.sleep(0.2)
done()
