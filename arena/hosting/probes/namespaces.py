"""Makes namespaces, enters those of others and takes on other users."""

import ctypes
import os
import signal
import subprocess

from bait import FACTS, call, done, got, in_child, libc, refused

FLAGS = (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000, 0x80)
for flag in FLAGS:
    if in_child(lambda flag=flag: libc.unshare(flag) == 0):
        got(f"unshare {flag:#x}")
    if flag != 0x80:
        child = call(FACTS["clone"], ctypes.c_long(flag | signal.SIGCHLD), None, None, None, None)
        if child == 0:
            os._exit(0)
        if child > 0:
            os.waitpid(child, 0)
            got(f"clone {flag:#x}")
structure = (ctypes.c_uint64 * 11)(0x10000000, 0, 0, 0, signal.SIGCHLD)
child = call(FACTS["clone3"], structure, ctypes.sizeof(structure))
if child == 0:
    os._exit(0)
if child > 0:
    got("clone3")
for name in os.listdir("/proc/1/ns"):
    with refused(f"entering {name}"):
        namespace = os.open(f"/proc/1/ns/{name}", os.O_RDONLY)
        if libc.setns(namespace, 0) != 0:
            raise OSError
for what, change in {"user": os.setuid, "group": os.setgid}.items():
    with refused(f"another {what}"):
        change(0)
with refused("other groups"):
    os.setgroups([0])
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
    if int(status[name], 16):
        got(f"capabilities: {name} {status[name].strip()}")
if status["NoNewPrivs"].strip() != "1":
    got("new privileges by exec")
for program in ("/usr/bin/su", "/usr/bin/mount", "/usr/bin/newgrp", "/usr/bin/sudo", "/usr/bin/pkexec"):
    try:
        with open("/dev/null") as nothing:
            shown = subprocess.run([program, "--version"], stdin=nothing, capture_output=True, timeout=5, check=False)
        if b"uid=0" in shown.stdout:
            got(program)
    except (OSError, subprocess.TimeoutExpired):
        pass
done()
