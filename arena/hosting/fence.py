"""What keeps one sandbox within its limits: those of each process, its control groups, else the watch."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import Final

from arena.core.errors import Unavailable
from arena.hosting.cgroups import ControlGroups, Sizes
from arena.hosting.kernel_files import write_kernel_file
from arena.hosting.limits import set_limits
from arena.hosting.sandbox import DISKS, Limits
from arena.hosting.watch import Watched, watch

FIRST_TO_GO: Final = 500
"""Added to the kernel's reckoning when the machine itself runs out of memory: bots go before the arena."""
_MB: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class BrakeAt:
    """How a sandbox can be stopped: by its control group's file, or, if that is None, by its first process."""

    freezer: Path | None
    first: int


def word() -> tuple[int, int]:
    """Return what a sandbox waits at for a word, and where that is said.

    A pipe would be at its end once this process is killed, and what waits there run its program, limited by nothing.
    These sockets have no end: whoever waits for somebody who has died waits until it is ended.
    """
    waits, says = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    return waits.detach(), says.detach()


class Gate(Enum):
    """What keeps a stranger's program from running before all limits hold."""

    SANDBOX = auto()
    """The sandbox itself: it runs nothing until it is told."""
    START = auto()
    """The arena's own program, which it begins with and which then waits to be told a second time."""
    ORDER = auto()
    """The arena's own program, which waits for the order to become a bot; watched only from wake() on."""


class Fence:
    """The limits of one sandbox. go: a descriptor; once it is written to, the sandbox runs its program.

    uid: the user id it runs under, None for the arena's own. gate: what a stranger's program waits at; where it is the
    arena's own program, that is not kept waiting for the control groups, of which the kernel changes the members
    some 10 ms after it has been asked to.
    """

    def __init__(
        self, limits: Limits, groups: ControlGroups, go: int, *, uid: int | None, gate: Gate = Gate.SANDBOX
    ) -> None:
        self._uid = uid
        self._gate = gate
        self._asleep = gate is Gate.ORDER
        self._limits = limits
        # Not what the sandbox waits at: the first process of one keeps its standard input, which a bot can come by, and
        # a socket would be one of this machine's network namespace, by which others' abstract sockets can be reached.
        self.begins: int | None = os.eventfd(0, os.EFD_CLOEXEC) if gate is Gate.START else None
        """What the arena's own program waits at for the second word, as its standard input; it has no end either."""
        self._group = groups.make(Sizes(limits.memory_mb * _MB, limits.processes, limits.cores))
        self._go: int | None = go
        self._watched: Watched | None = None
        self._failure: Unavailable | None = None
        self.brake: BrakeAt | None = None

    @property
    def counts_memory(self) -> bool:
        """Whether a control group counts the memory of the sandbox, all of it."""
        return "memory" in self._group.active

    def enclose(self, first: int, end: Callable[[], object]) -> None:
        """Put the sandbox's first process under its limits and let it run its program. end: kills the sandbox.

        A sandbox that cannot be limited is ended and runs nothing of a stranger's; one may do without control groups
        where it was made for that: with memory that a group is to count it can do more than the watch sees.
        """
        try:
            self._enclose(first, end)
        except ProcessLookupError:  # its maker has failed, and tells why
            return
        except Unavailable as error:
            self._failure = error
            end()
        except Exception as error:  # noqa: BLE001 - else it would wait for ever for its word, and the bot be blamed
            self._failure = _unlimited(error)
            end()

    def _enclose(self, first: int, end: Callable[[], object]) -> None:
        set_limits(first, self._limits, self._uid)
        with contextlib.suppress(OSError):
            write_kernel_file(f"/proc/{first}/oom_score_adj", str(FIRST_TO_GO))
        if self._gate is not Gate.SANDBOX:
            self._tell()
        active = self._group.active
        try:
            self._group.admit(first)
        except ProcessLookupError:
            raise
        except OSError as error:
            if self.counts_memory:
                raise _unlimited(error) from None
            active = frozenset()
        short = self._group.ran_out_of_memory if "memory" in active else None
        self._watched = Watched(first, DISKS, self._limits.memory_mb, short, self._limits.files, end)
        if not self._asleep:
            watch().add(self._watched)
        self.brake = BrakeAt(self._group.freezer if "freezer" in active else None, first)
        if self._gate is Gate.SANDBOX:
            self._tell()
        elif self.begins is not None:
            os.eventfd_write(self.begins, 1)

    def _tell(self) -> None:
        """Let go of the sandbox, which runs its program then."""
        if self._go is not None:
            with contextlib.suppress(OSError):
                os.write(self._go, b"\0")

    def wake(self) -> None:
        """Watch from now on what goes on inside: a stranger's program is about to run."""
        if self._asleep:
            self._asleep = False
            if self._watched is not None:
                watch().add(self._watched)

    def verdict(self) -> str:
        """Return which limit has ended the sandbox, "" for none. Raises Unavailable if limits could not be set."""
        if self._failure is not None:
            raise self._failure
        if self._watched is not None and self._watched.verdict:
            return self._watched.verdict
        if self._group.ran_out_of_memory():
            return f"it used more than {self._limits.memory_mb} MB of memory"
        return ""

    def open(self) -> None:
        """Let go of everything, once the sandbox is empty; doing it twice is harmless."""
        if self._watched is not None:
            watch().remove(self._watched)
            self._watched = None
        self._group.remove()
        for descriptor in (self._go, self.begins):
            if descriptor is not None:
                os.close(descriptor)
        self._go = self.begins = None


def _unlimited(error: Exception) -> Unavailable:
    return Unavailable(
        f"a bot cannot be limited here: {error}; see arena doctor, or use --unsafe-no-sandbox", reason="NO_SANDBOX"
    )
