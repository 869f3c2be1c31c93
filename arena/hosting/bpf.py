"""A small assembler for the classic BPF programs that the kernel takes as system call filters."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final

LOAD_WORD: Final = 0x20
"""Load 32 bits of the call's facts (struct seccomp_data) from a fixed offset."""
JUMP_EQUAL: Final = 0x15
JUMP_GREATER: Final = 0x25
JUMP_ANY_BIT: Final = 0x45
RETURN: Final = 0x06

FARTHEST: Final = 255
"""A jump's distance is one byte."""
MOST: Final = 4096
"""The kernel takes no longer program (BPF_MAXINSNS)."""


@dataclass(frozen=True, slots=True)
class Load:
    """Put the 32 bits at an offset of struct seccomp_data into the accumulator."""

    offset: int


@dataclass(frozen=True, slots=True)
class Jump:
    """Compare the accumulator with a value and go to a label; without a label, on to the next instruction."""

    test: int
    value: int
    then: str = ""
    otherwise: str = ""


@dataclass(frozen=True, slots=True)
class Return:
    """End the filter with an action of the kernel."""

    action: int


@dataclass(frozen=True, slots=True)
class Label:
    """A place to jump to; no instruction."""

    name: str


Step = Load | Jump | Return | Label


def assemble(steps: list[Step]) -> bytes:
    """Return the program as the kernel reads it (an array of struct sock_filter, this machine's byte order).

    Raises ValueError for a jump to nowhere, backwards or too far, and for a program that is too long or does not end.
    """
    places: dict[str, int] = {}
    at = 0
    for step in steps:
        if isinstance(step, Label):
            places[step.name] = at
        else:
            at += 1
    if not 0 < at <= MOST or not isinstance(steps[-1], Return):
        raise ValueError(f"a filter has 1 to {MOST} instructions and ends with a return")
    program = bytearray()
    at = 0
    for step in steps:
        if not isinstance(step, Label):
            program += _encode(step, at, places)
            at += 1
    return bytes(program)


def _encode(step: Load | Jump | Return, at: int, places: dict[str, int]) -> bytes:
    if isinstance(step, Load):
        return struct.pack("=HBBI", LOAD_WORD, 0, 0, step.offset)
    if isinstance(step, Return):
        return struct.pack("=HBBI", RETURN, 0, 0, step.action)
    then, otherwise = (_distance(name, at, places) for name in (step.then, step.otherwise))
    return struct.pack("=HBBI", step.test, then, otherwise, step.value)


def _distance(name: str, at: int, places: dict[str, int]) -> int:
    if not name:
        return 0
    if name not in places:
        raise ValueError(f"no label {name!r}")
    distance = places[name] - at - 1
    if not 0 <= distance <= FARTHEST:
        raise ValueError(f"label {name!r} is {distance} instructions away, not 0 to {FARTHEST}")
    return distance
