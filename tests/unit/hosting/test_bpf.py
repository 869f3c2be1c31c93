"""The assembler of system call filters."""

import struct

import pytest

from arena.hosting.bpf import JUMP_EQUAL, MOST, Jump, Label, Load, Return, assemble


def test_every_instruction_takes_eight_bytes_and_a_label_none() -> None:
    program = assemble([Load(4), Label("here"), Return(7)])
    assert program == struct.pack("=HBBI", 0x20, 0, 0, 4) + struct.pack("=HBBI", 0x06, 0, 0, 7)


def test_a_jump_counts_the_instructions_between() -> None:
    steps = [Jump(JUMP_EQUAL, 9, then="far", otherwise="near"), Label("near"), Return(1), Label("far"), Return(2)]
    assert struct.unpack_from("=HBBI", assemble(steps)) == (JUMP_EQUAL, 1, 0, 9)


def test_a_jump_to_nowhere_is_refused() -> None:
    with pytest.raises(ValueError, match="no label 'lost'"):
        assemble([Jump(JUMP_EQUAL, 1, then="lost"), Return(0)])


def test_a_jump_backwards_is_refused() -> None:
    with pytest.raises(ValueError, match="-2 instructions away"):
        assemble([Label("back"), Load(0), Jump(JUMP_EQUAL, 1, then="back"), Return(0)])


def test_a_jump_that_is_too_far_is_refused() -> None:
    with pytest.raises(ValueError, match="256 instructions away"):
        assemble([Jump(JUMP_EQUAL, 1, then="far"), *[Load(0)] * 256, Label("far"), Return(0)])


@pytest.mark.parametrize("steps", [[], [Load(0)], [Return(0)] * (MOST + 1)])
def test_a_program_that_the_kernel_would_not_take_is_refused(steps) -> None:
    with pytest.raises((ValueError, IndexError)):
        assemble(steps)
