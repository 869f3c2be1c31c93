"""Reads what belongs to the machine, the project and the data folder."""

import os

from bait import FACTS, done, got

ALLOWED_DEVICES = {"console", "core", "fd", "full", "null", "ptmx", "pts", "random", "shm", "stderr", "stdin", "stdout"}

for path in FACTS["files"]:
    for way in (path, f"/proc/self/root{path}", f"/proc/1/root{path}", f"/proc/1/cwd{path}", f"/bot/../..{path}"):
        try:
            with open(way, "rb") as file:
                got(f"{way}: {file.read(20)!r}")
        except IsADirectoryError:
            got(f"the folder {way}")
        except OSError:
            pass
for folder in ("/", "/home", "/run", "/etc", "/proc/1/root"):
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        if any(path.startswith(f"/{name}/") and os.path.isfile(path) for path in FACTS["files"]):
            got(f"{folder}/{name}")
for device in set(os.listdir("/dev")) - ALLOWED_DEVICES - {"tty", "urandom", "zero"}:
    got(f"/dev/{device}")
for pid in filter(str.isdigit, os.listdir("/proc")):
    for name in ("environ", "cmdline"):
        try:
            with open(f"/proc/{pid}/{name}", "rb") as file:
                if FACTS["secret"].encode() in file.read().replace(os.environ["BAIT"].encode(), b""):
                    got(f"the environment of process {pid}")
        except OSError:
            pass
if any(FACTS["secret"] in value for name, value in os.environ.items() if name != "BAIT"):
    got("the arena's environment")
for name in os.listdir("/proc/self/fd"):
    try:
        if int(name) > 2 and not os.readlink(f"/proc/self/fd/{name}").startswith("/proc/"):
            got(f"an open file of the arena: {os.readlink(f'/proc/self/fd/{name}')}")
    except OSError:
        pass
done()
