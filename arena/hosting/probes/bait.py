"""What every probe knows: what lies outside of its sandbox to be reached, and how to tell that it was."""

import ctypes
import errno
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

FACTS: dict[str, Any] = json.loads(os.environ.get("BAIT", "{}"))
REFUSALS = {errno.EPERM, errno.EACCES, errno.ENOSYS, errno.EROFS, errno.EAFNOSUPPORT}
libc = ctypes.CDLL(None, use_errno=True)


def got(what: object) -> None:
    """Tell that something got through."""
    print("GOT", what, flush=True)


def done() -> None:
    """Tell that everything was tried."""
    print("DONE", flush=True)


@contextmanager
def refused(what: str, *kinds: type[BaseException]) -> Iterator[None]:
    """Tell of a block that is not refused."""
    try:
        yield
    except (OSError, *kinds):
        return
    got(what)


def call(number: int, *arguments: object) -> int:
    """Make a system call; return 0 or above if it came through to its work, else the negative error."""
    ctypes.set_errno(0)
    result = int(libc.syscall(ctypes.c_long(number), *arguments))
    return result if result >= 0 else -ctypes.get_errno()


def in_child(act: Callable[[], bool]) -> bool:
    """Do something in a process that it may cost; return whether it says that it came through."""
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(0 if act() else 1)
        except BaseException:
            os._exit(1)
    return os.waitpid(pid, 0)[1] == 0
