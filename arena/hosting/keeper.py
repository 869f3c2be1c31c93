"""Runs one unprotected bot: `python keeper.py COMMAND...`; ends with it everything it started, daemons included.

Run as a program, not imported: it needs nothing but the interpreter. It is the kernel's "subreaper" of the bot, so that
whatever the bot leaves behind becomes a child of this process. SIGTERM ends the bot; the end of whoever started this
process does, too. Its exit status is the bot's.
"""

import ctypes
import os
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Final

_SUBREAPER: Final = 36
_PARENT_DEATH_SIGNAL: Final = 1


def main(command: list[str]) -> int:
    """Run the command and return its exit code; does not return if a signal ended it."""
    libc = ctypes.CDLL(None)
    libc.prctl(_SUBREAPER, 1)
    libc.prctl(_PARENT_DEATH_SIGNAL, signal.SIGTERM)
    signal.signal(signal.SIGTERM, _on_term)
    bot = os.posix_spawnp(command[0], command, os.environ, setsigmask=[], setsigdef=[signal.SIGTERM, signal.SIGPIPE])
    status = _wait(bot)
    while _kill_children():
        try:
            os.wait()
        except ChildProcessError:
            break
    if status < 0:
        if -status != signal.SIGKILL:
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    return status


def _wait(bot: int) -> int:
    while True:
        pid, status = os.wait()
        if pid == bot:
            return os.waitstatus_to_exitcode(status)


def _on_term(_number: int, _frame: FrameType | None) -> None:
    _kill_children()


def _kill_children() -> bool:
    """Kill all children; those of a killed one become children of this process. Return whether there were any."""
    children = Path("/proc/self/task", str(os.getpid()), "children").read_text().split()
    for pid in children:
        try:
            os.kill(int(pid), signal.SIGKILL)
        except ProcessLookupError:
            continue
    return bool(children)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except OSError as error:
        print(f"cannot start {sys.argv[1]}: {error.strerror}", file=sys.stderr)
        sys.exit(127)
