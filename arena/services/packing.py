"""How logs, outputs and times are kept: zstd, and how they are read back."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from typing import Final

import zstandard

LEVEL: Final = 3
"""zstd's default: a log of 100 KB takes half a millisecond."""


def pack(plain: bytes) -> bytes:
    """Compress bytes."""
    return zstandard.ZstdCompressor(level=LEVEL).compress(plain)


def unpack(packed: bytes) -> bytes:
    """Return what pack was given."""
    return zstandard.ZstdDecompressor().decompress(packed)


def pack_times(think_ms: Sequence[int], charged_ms: Sequence[int]) -> bytes:
    """Compress two equally long lists of milliseconds, as int32 little-endian, one list after the other."""
    return pack(_swapped(array("i", [*think_ms, *charged_ms])).tobytes())


def unpack_times(packed: bytes) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the two lists that pack_times was given."""
    numbers = array("i")
    numbers.frombytes(unpack(packed))
    numbers = _swapped(numbers)
    half = len(numbers) // 2
    return tuple(numbers[:half]), tuple(numbers[half:])


def _swapped(numbers: array[int]) -> array[int]:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
