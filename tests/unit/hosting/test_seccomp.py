"""The system call filter, run by a small machine that does what the kernel does."""

import errno
import struct

import pytest

from arena.core.errors import Unavailable
from arena.hosting.seccomp import ALLOW, FORBIDDEN, KILL, UNKNOWN, filter_program
from arena.hosting.syscalls import ARCHITECTURES, HIGHEST_KNOWN

AF_UNIX, AF_INET, AF_INET6, AF_NETLINK, AF_VSOCK = 1, 2, 10, 16, 40
I386 = 0x40000003
DENIED, UNKNOWN_CALL, NO_FAMILY = (0x50000 | number for number in (errno.EPERM, errno.ENOSYS, errno.EAFNOSUPPORT))
MACHINES = pytest.mark.parametrize("machine", ARCHITECTURES)


def verdict(machine, number, *arguments, audit=None, **how):
    """Return what the filter says to a call."""
    arguments = (*arguments, *[0] * (6 - len(arguments)))
    facts = struct.pack("=IIQ6Q", number, audit or ARCHITECTURES[machine].audit, 0, *arguments)
    program = filter_program(machine, **how)
    at = value = 0
    while True:
        code, then, otherwise, constant = struct.unpack_from("=HBBI", program, at * 8)
        at += 1
        if code == 0x20:
            (value,) = struct.unpack_from("=I", facts, constant)
        elif code == 0x06:
            return constant
        else:
            hit = {0x15: value == constant, 0x25: value > constant, 0x45: bool(value & constant)}[code]
            at += then if hit else otherwise


def number(machine, name):
    return ARCHITECTURES[machine].number(name)


@MACHINES
def test_ordinary_calls_are_allowed(machine) -> None:
    named = {number(machine, name) for name in (*FORBIDDEN, *UNKNOWN, "socket", "socketpair", "clone", "ioctl")}
    others = set(range(HIGHEST_KNOWN + 1)) - named
    assert {verdict(machine, other) for other in others} == {ALLOW}
    assert len(others) > 370


@MACHINES
@pytest.mark.parametrize("name", FORBIDDEN)
def test_a_forbidden_call_is_denied(machine, name) -> None:
    asked = number(machine, name)
    assert asked is None or verdict(machine, asked) == DENIED


@MACHINES
@pytest.mark.parametrize("name", UNKNOWN)
def test_an_unwanted_call_seems_not_to_exist(machine, name) -> None:
    assert verdict(machine, number(machine, name)) == UNKNOWN_CALL


@MACHINES
@pytest.mark.parametrize("asked", [HIGHEST_KNOWN + 1, 999, 0x3FFFFFFF])
def test_calls_of_kernels_to_come_seem_not_to_exist(machine, asked) -> None:
    assert verdict(machine, asked) == UNKNOWN_CALL


@MACHINES
@pytest.mark.parametrize("call", ["socket", "socketpair"])
def test_only_unix_sockets_can_be_made(machine, call) -> None:
    families = {family: verdict(machine, number(machine, call), family) for family in range(64)}
    assert families.pop(AF_UNIX) == ALLOW
    assert set(families.values()) == {NO_FAMILY}
    assert {AF_INET, AF_INET6, AF_NETLINK, AF_VSOCK} <= set(families)


@MACHINES
def test_only_the_lower_half_of_a_family_counts_as_in_the_kernel(machine) -> None:
    assert verdict(machine, number(machine, "socket"), (1 << 32) | AF_INET) == NO_FAMILY
    assert verdict(machine, number(machine, "socket"), (1 << 32) | AF_UNIX) == ALLOW


@MACHINES
def test_threads_and_children_may_be_made_but_no_namespaces(machine) -> None:
    clone = number(machine, "clone")
    assert verdict(machine, clone, 0x11) == ALLOW  # fork
    assert verdict(machine, clone, 0x3D0F00) == ALLOW  # a thread as glibc makes it
    for flag in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert verdict(machine, clone, flag | 0x11) == DENIED


@MACHINES
def test_nothing_can_be_typed_into_a_terminal(machine) -> None:
    assert verdict(machine, number(machine, "ioctl"), 0, 0x5412) == DENIED
    assert verdict(machine, number(machine, "ioctl"), 0, 0x5401) == ALLOW


@MACHINES
def test_memory_shared_without_a_file_is_refused_where_nobody_counts_it(machine) -> None:
    mmap = number(machine, "mmap")
    shared, private, of_a_file = 0x21, 0x22, 0x01
    assert verdict(machine, mmap, 0, 4096, 3, shared) == ALLOW
    assert verdict(machine, mmap, 0, 4096, 3, shared, shared_memory=False) == DENIED
    assert verdict(machine, mmap, 0, 4096, 3, 0x23, shared_memory=False) == DENIED
    assert verdict(machine, mmap, 0, 4096, 3, private, shared_memory=False) == ALLOW
    assert verdict(machine, mmap, 0, 4096, 3, of_a_file, shared_memory=False) == ALLOW


@MACHINES
def test_calls_of_another_architecture_end_the_process(machine) -> None:
    assert verdict(machine, 1, audit=I386) == KILL


def test_calls_of_the_x32_kind_end_the_process() -> None:
    assert verdict("x86_64", 0x40000000 | 41, AF_INET) == KILL


def test_a_processor_nobody_listed_has_no_filter() -> None:
    with pytest.raises(Unavailable, match="no system call filter for riscv64"):
        filter_program("riscv64")
