"""Sets the resource limits of a sandbox, from outside, before its program runs."""

from __future__ import annotations

import ctypes
import os
import platform
import resource
from typing import Final

from arena.core.errors import Unavailable
from arena.hosting.sandbox import Limits
from arena.hosting.syscalls import ARCHITECTURES

_SIGNALS: Final = 1024
_MB: Final = 1024 * 1024
_AS_IT_IS: Final = -1
_libc: Final = ctypes.CDLL(None, use_errno=True)


def set_limits(first: int, limits: Limits, uid: int | None) -> None:
    """Limit the first process of a sandbox, and so all that it will start; none of it can undo that.

    uid: the user id that the process runs under where the arena is root, None where it is the arena's own. The limit of
    processes is one of that sandbox alone: the kernel counts them by user namespace, too. The data limit counts
    writable private memory, not the address space that node and numpy reserve. Where the arena itself is allowed less,
    a bot is, too.

    Raises ProcessLookupError if there is no such process any more, Unavailable if a limit cannot be set.
    """
    name, most = "", 0
    own = os.getuid(), os.getgid()
    try:
        try:
            if uid is not None:
                _be(uid, uid)
            for name, most in _values(limits).items():
                which = getattr(resource, f"RLIMIT_{name}")
                _, allowed = resource.prlimit(first, which)
                least = most if allowed == resource.RLIM_INFINITY else min(most, allowed)
                resource.prlimit(first, which, (least, least))
        finally:
            if uid is not None:
                try:
                    _be(*own)
                finally:  # a signal's handler may have raised something there; no context manager would hold either
                    _be(*own)
    except ProcessLookupError:
        raise
    except (OSError, ValueError, OverflowError) as error:
        raise Unavailable(
            f"a bot cannot be limited here, RLIMIT_{name} to {most}: {error}; see arena doctor, or use "
            "--unsafe-no-sandbox",
            reason="NO_SANDBOX",
        ) from None


def _values(limits: Limits) -> dict[str, int]:
    return {
        "NPROC": limits.processes,
        "NOFILE": limits.open_files,
        "FSIZE": limits.file_mb * _MB,
        "DATA": limits.data_mb * _MB,
        "CPU": limits.cpu_s,
        "CORE": 0,
        "SIGPENDING": _SIGNALS,
        "MEMLOCK": _MB,
    }


def _be(user: int, group: int) -> None:
    """Have this thread's real ids, and no others of it, be these. Raises OSError.

    The kernel lets who has a process's ids limit it, else CAP_SYS_RESOURCE alone, which root need not have. The
    effective ids stay root's. glibc would change all threads, hence the plain calls. Nothing with a sandbox's ids can
    reach this thread meanwhile: the one sandbox that has them runs nothing yet.
    """
    for call, number in (("setresgid", group), ("setresuid", user)):
        which = ARCHITECTURES[platform.machine()].number(call)  # what is not listed has no filter, and so no sandbox
        if which is None or _libc.syscall(*map(ctypes.c_long, (which, number, _AS_IT_IS, _AS_IT_IS))) != 0:
            raise OSError(code := ctypes.get_errno(), os.strerror(code))
