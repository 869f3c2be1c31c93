"""A bot with everything it started, as one thing that can be ended and checked to be gone."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import Callable
from typing import Final, Protocol

import psutil

from arena.core.errors import Unavailable
from arena.hosting.readable import PipeReader, becomes_readable

_NO_PROGRAM: Final = "bwrap: execvp "
"""What is said of a bot whose program is not there, or is none; the sandbox itself was made."""
_NOT_FOUND: Final = 127
"""What a shell answers to such a command."""


class Tree(Protocol):
    """What launch needs to know of a tree."""

    known: asyncio.Future[None]
    """Done once kill() can reach the tree."""

    def kill(self) -> None:
        """Kill every process of the tree; harmless when there is none."""

    async def gone(self, timeout_s: float) -> None:
        """Return once no process is left. Raises Unavailable after the timeout."""

    def exit_status(self, status: int, *, killed: bool, output: str) -> int:
        """Return the bot's own exit status, given the one of the started program; killed: by us.

        Raises Unavailable for our fault.
        """


class NamespaceTree:
    """The tree of a sandbox: its process namespace, which ends with its first process.

    status_fd: the reading end of bubblewrap's --json-status-fd; a first line names the first process, a second one,
    which comes only if the bot was really started, its exit code. enclose: told of the first process, and how to kill
    it with all others, before the bot runs.
    """

    def __init__(self, status_fd: int, enclose: Callable[[int, Callable[[], None]], None]) -> None:
        self._enclose = enclose
        self.known: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._init_fd: int | None = None
        self._exit_code: int | None = None
        self._line = b""
        self._reader = PipeReader(status_fd, self._feed, lambda: False)

    def _feed(self, chunk: bytes) -> None:
        *lines, self._line = (self._line + chunk).split(b"\n")
        for line in lines:
            facts = json.loads(line)
            self._exit_code = facts.get("exit-code", self._exit_code)
            if "child-pid" in facts and not self.known.done():
                with contextlib.suppress(ProcessLookupError):
                    self._init_fd = os.pidfd_open(facts["child-pid"])
                    self._enclose(facts["child-pid"], self.kill)
                self.known.set_result(None)

    def kill(self) -> None:
        """Kill the namespace's first process, and with it all others."""
        if self._init_fd is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._init_fd, signal.SIGKILL)

    async def gone(self, timeout_s: float) -> None:
        """Return once the namespace is empty: the kernel reports its first process ended only after all others."""
        await self._reader.at_end(timeout_s)
        self.kill()
        if self._init_fd is None:
            return
        try:
            await asyncio.wait_for(becomes_readable(self._init_fd), timeout_s)
        except TimeoutError:
            raise Unavailable("the processes of a sandbox do not end", reason="STUCK_PROCESS") from None

    def exit_status(self, status: int, *, killed: bool, output: str) -> int:
        """Return the bot's exit status. Raises Unavailable if the sandbox failed before the bot ran, or was ended.

        Nothing inside can reach the started program: if a signal ended it, that came from this machine.
        """
        if killed and self._exit_code is None:
            return -signal.SIGKILL
        if status < 0 and not killed:
            cause = signal.Signals(-status).name
            raise Unavailable(f"a sandbox was ended from outside, by {cause}", reason="SANDBOX_KILLED")
        if self._exit_code is None and output.startswith(_NO_PROGRAM):
            return _NOT_FOUND  # bubblewrap's own words: nothing else has run
        if self._exit_code is None:
            last = output.strip().splitlines()[-1:] or [f"exit status {status}"]
            raise Unavailable(
                f"the sandbox cannot be made here: {last[0]}; see arena doctor, or use --unsafe-no-sandbox",
                reason="NO_SANDBOX",
            )
        return 128 - self._exit_code if self._exit_code > 128 else self._exit_code

    def close(self) -> None:
        """Let go of the descriptors."""
        self._reader.close()
        if self._init_fd is not None:
            os.close(self._init_fd)
            self._init_fd = None


class KeptTree:
    """The tree of an unprotected bot: its keeper (keeper.py), which all it starts comes back to, and all below.

    A bot may still end its keeper: it is unprotected.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._keeper_fd: int | None = os.pidfd_open(pid)
        self.known: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.known.set_result(None)
        self._seen: list[psutil.Process] = []

    def kill(self) -> None:
        """Kill all descendants; the keeper kills what they leave behind and ends."""
        if self._keeper_fd is None:
            return
        try:
            for number in (signal.SIGTERM, signal.SIGCONT):
                signal.pidfd_send_signal(self._keeper_fd, number)
            self._seen.extend(psutil.Process(self._pid).children(recursive=True))
        except (ProcessLookupError, PermissionError, psutil.NoSuchProcess):
            pass
        for process in self._seen:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()

    async def gone(self, timeout_s: float) -> None:
        """Return once the descendants that were seen are gone. Raises Unavailable after the timeout."""
        alive = await asyncio.to_thread(lambda: psutil.wait_procs(self._seen, timeout=timeout_s)[1])
        if alive:
            raise Unavailable(f"process {alive[0].pid} does not end", reason="STUCK_PROCESS")

    def exit_status(self, status: int, *, killed: bool, output: str) -> int:
        """Return the status as it is."""
        return status

    def close(self) -> None:
        """Let go of the descriptor."""
        if self._keeper_fd is not None:
            os.close(self._keeper_fd)
            self._keeper_fd = None
