"""The system calls a bot may make: a filter for bubblewrap's --seccomp, without any library."""

from __future__ import annotations

import errno
import os
import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Final

from arena.core.errors import Unavailable
from arena.hosting.bpf import JUMP_ANY_BIT, JUMP_EQUAL, JUMP_GREATER, Jump, Label, Load, Return, Step, assemble
from arena.hosting.syscalls import ARCHITECTURES, HIGHEST_KNOWN, Architecture

KILL: Final = 0x80000000
ALLOW: Final = 0x7FFF0000
_ERRNO: Final = 0x00050000

_NUMBER_AT: Final = 0
_ARCHITECTURE_AT: Final = 4
_ARGUMENTS_AT: Final = 16
_ARGUMENT_BYTES: Final = 8

_AF_UNIX: Final = 1
_NEW_NAMESPACES: Final = 0x7E020000
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. CLONE_NEWTIME means something else in clone."""
_MAP_SHARED: Final = 0x01
_MAP_ANONYMOUS: Final = 0x20
_TIOCSTI: Final = 0x5412
_TIOCLINUX: Final = 0x541C

# Whoever calls these is told that he may not.
FORBIDDEN: Final = (
    # other processes' memory and descriptors
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp", "pidfd_getfd",
    # mounts, roots, namespaces (listmount and statmount tell the host's path names)
    "mount", "umount2", "pivot_root", "chroot", "open_tree", "move_mount", "fsopen", "fsconfig", "fsmount", "fspick",
    "mount_setattr", "listmount", "statmount", "unshare", "setns", "name_to_handle_at", "open_by_handle_at",
    # doors into the kernel that a bot needs for nothing and that had many faults
    "bpf", "perf_event_open", "userfaultfd", "add_key", "request_key", "keyctl", "fanotify_init", "fanotify_mark",
    "modify_ldt", "personality", "uselib", "lookup_dcookie", "nfsservctl",
    # the machine itself
    "acct", "adjtimex", "clock_adjtime", "clock_settime", "settimeofday", "delete_module", "init_module",
    "finit_module", "kexec_load", "kexec_file_load", "iopl", "ioperm", "quotactl", "quotactl_fd", "reboot",
    "sethostname", "setdomainname", "swapon", "swapoff", "syslog", "vhangup",
    # placement of memory on other nodes
    "mbind", "migrate_pages", "move_pages", "set_mempolicy",
)  # fmt: skip

# These are answered as if the kernel did not know them: programs then do without. io_uring would go round this filter,
# clone3's flags cannot be looked at, and the rest makes memory that no process is seen to have.
UNKNOWN: Final = (
    "clone3", "io_uring_setup", "io_uring_enter", "io_uring_register", "memfd_create", "memfd_secret", "shmget",
    "msgget", "semget", "mq_open",
)  # fmt: skip


@cache
def filter_program(machine: str | None = None, *, shared_memory: bool = True) -> bytes:
    """Return the compiled filter; machine: as platform.machine() says, None for this one.

    shared_memory: whether memory may be mapped that is shared but no file: a process can hold it without being seen to
    have it, so where no control group counts it, it is refused.

    Raises Unavailable for a processor whose system calls are not listed.
    """
    name = platform.machine() if machine is None else machine
    architecture = ARCHITECTURES.get(name)
    if architecture is None or sys.byteorder != "little":
        raise Unavailable(
            f"no system call filter for {name}, only for {', '.join(ARCHITECTURES)}; "
            "--unsafe-no-sandbox runs bots unprotected",
            reason="NO_SANDBOX",
        )
    return assemble(_steps(architecture, shared_memory=shared_memory))


@contextmanager
def filter_descriptor(*, shared_memory: bool) -> Iterator[int]:
    """Yield a descriptor from which the filter for this machine can be read once."""
    program = filter_program(shared_memory=shared_memory)
    reader, writer = os.pipe()
    try:
        with os.fdopen(writer, "wb") as pipe:
            pipe.write(program)  # some 900 bytes: a pipe takes them at once
        yield reader
    finally:
        os.close(reader)


def _steps(architecture: Architecture, *, shared_memory: bool) -> list[Step]:
    foreign: list[Step] = []
    if architecture.foreign_from is not None:
        foreign = [Jump(JUMP_GREATER, architecture.foreign_from - 1, then="kill")]
    return [
        Load(_ARCHITECTURE_AT),
        Jump(JUMP_EQUAL, architecture.audit, otherwise="kill"),
        Load(_NUMBER_AT),
        *foreign,
        Jump(JUMP_GREATER, HIGHEST_KNOWN, then="unknown"),
        *_each(architecture, ("socket", "socketpair"), "family"),
        *_each(architecture, ("clone",), "namespaces"),
        *_each(architecture, ("ioctl",), "terminal"),
        *([] if shared_memory else _each(architecture, ("mmap",), "mapping")),
        *_each(architecture, FORBIDDEN, "forbidden"),
        *_each(architecture, UNKNOWN, "unknown"),
        Return(ALLOW),
        Label("family"), Load(_argument(0)), Jump(JUMP_EQUAL, _AF_UNIX, then="allow", otherwise="no family"),
        Label("namespaces"), Load(_argument(0)), Jump(JUMP_ANY_BIT, _NEW_NAMESPACES, then="forbidden"), Return(ALLOW),
        Label("terminal"), Load(_argument(1)),
        Jump(JUMP_EQUAL, _TIOCSTI, then="forbidden"),
        Jump(JUMP_EQUAL, _TIOCLINUX, then="forbidden"),
        Label("allow"), Return(ALLOW),
        Label("mapping"), Load(_argument(3)),
        Jump(JUMP_ANY_BIT, _MAP_ANONYMOUS, otherwise="private"),
        Jump(JUMP_ANY_BIT, _MAP_SHARED, then="forbidden"),
        Label("private"), Return(ALLOW),
        Label("forbidden"), Return(_ERRNO | errno.EPERM),
        Label("no family"), Return(_ERRNO | errno.EAFNOSUPPORT),
        Label("unknown"), Return(_ERRNO | errno.ENOSYS),
        Label("kill"), Return(KILL),
    ]  # fmt: skip


def _each(architecture: Architecture, names: tuple[str, ...], label: str) -> list[Step]:
    numbers = (architecture.number(name) for name in names)
    return [Jump(JUMP_EQUAL, number, then=label) for number in numbers if number is not None]


def _argument(position: int) -> int:
    """Return the offset of the lower half of an argument; the kernel reads those of these calls as 32 bits."""
    return _ARGUMENTS_AT + position * _ARGUMENT_BYTES
