"""Sees, signals and reads processes that are not its own."""

import contextlib
import fcntl
import os
import signal
import socket

from bait import FACTS, call, done, got, refused

NUMBERS = FACTS["calls"]
signal.signal(signal.SIGTERM, signal.SIG_IGN)
listed = {int(name) for name in os.listdir("/proc") if name.isdigit()}
strangers = listed - {1, 2, os.getpid()}
if strangers:
    got(f"processes {sorted(strangers)}")
for pid in {*FACTS["pids"], *range(3, 400)} - {os.getpid()}:
    with refused(f"a signal to {pid}"):
        os.kill(pid, 0)
ours, theirs = socket.socketpair()
for number in FACTS["pids"]:
    for owner in (number, -number):  # a process or a group that is to be told, by a signal, of what can be read
        with refused(f"a socket's signals for {owner}"):
            fcntl.fcntl(ours, fcntl.F_SETOWN, owner)
            fcntl.fcntl(ours, fcntl.F_SETFL, os.O_ASYNC)
            theirs.send(b"!")
for group in FACTS["pids"]:
    with refused(f"a signal to group {group}"):
        os.killpg(group, signal.SIGTERM)
    for name in ("mem", "environ", "maps", "root", "cwd", "fd"):
        with refused(f"/proc/{group}/{name}"):
            os.close(os.open(f"/proc/{group}/{name}", os.O_RDONLY))
if not strangers:  # it would end what belongs to whoever tries a broken sandbox out
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1, signal.SIGTERM)  # reaches everybody it may reach; the runner looks who is left
child = os.fork()
if child == 0:
    signal.pause()
for name, arguments in {
    "ptrace": (16, child, 0, 0),
    "process_vm_readv": (child, 0, 0, 0, 0, 0),
    "process_vm_writev": (child, 0, 0, 0, 0, 0),
    "kcmp": (os.getpid(), child, 0, 0, 0),
}.items():
    if call(NUMBERS[name], *arguments) >= 0:
        got(name)
os.kill(child, signal.SIGKILL)
os.waitpid(child, 0)
done()
