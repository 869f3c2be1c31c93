"""Makes system calls that a bot has no use for, in its own and in foreign ways."""

import ctypes
import mmap
import os
import platform

from bait import FACTS, REFUSALS, call, done, got, in_child

for name, number in FACTS["calls"].items():
    result = call(number, *[ctypes.c_long(-1)] * 6)
    if result >= 0 or -result not in REFUSALS:
        got(f"{name}: {os.strerror(-result) if result < 0 else result}")
for number in range(463, 520):
    if call(number, *[ctypes.c_long(-1)] * 6) != -38:
        got(f"system call {number}")


def by_interrupt() -> bool:
    """Ask for the process number as a 32-bit program does."""
    page = mmap.mmap(
        -1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
    )
    page.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")
    place = ctypes.addressof(ctypes.c_char.from_buffer(page))
    return bool(ctypes.CFUNCTYPE(ctypes.c_int)(place)() == os.getpid())


if platform.machine() == "x86_64":
    if in_child(by_interrupt):
        got("a system call of i386")
    if in_child(lambda: call(0x40000000 | 39) > 0):
        got("a system call of x32")
for request in (0x5412, 0x541C):
    typed = ctypes.create_string_buffer(b"\n")
    if in_child(lambda request=request, typed=typed: call(FACTS["ioctl"], 0, request, typed) >= 0):
        got("typing into a terminal")
done()
