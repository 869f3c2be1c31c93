"""Random numbers that anybody can recompute from a seed and a label.

A number below n for (seed, label) is found so: for counter c = 0, 1, 2, ... take
x = blake2b(label in UTF-8 + c as 4 bytes little-endian, key = seed, 8 bytes) read as a little-endian integer;
the first x below the largest multiple of n that fits in 64 bits gives x mod n. Nothing else is used, so a number
depends on its label alone and never on what was drawn before. Test vectors stand in docs/protocol.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from random import Random
from typing import Final, Protocol, TypeVar

from arena.core.errors import UsageError

T = TypeVar("T")

SEED_BYTES: Final = 16
_SPAN: Final = 1 << 64


class Stream(Protocol):
    """A source of uniform numbers."""

    def below(self, n: int, label: str) -> int:
        """Return a uniform integer in 0 .. n-1 (n >= 1) for this label."""


class KeyedStream:
    """The stream of rated play: equal seed and label give the equal number, on any machine."""

    __slots__ = ("_seed",)

    def __init__(self, seed: bytes) -> None:
        self._seed = seed

    def below(self, n: int, label: str) -> int:
        """Return the uniform integer in 0 .. n-1 that belongs to (seed, label)."""
        limit = _SPAN - _SPAN % n
        text = label.encode()
        counter = 0
        while True:
            digest = blake2b(text + counter.to_bytes(4, "little"), key=self._seed, digest_size=8).digest()
            number = int.from_bytes(digest, "little")
            if number < limit:
                return number % n
            counter += 1


class FastStream:
    """A stream for playouts: quick, ignores labels, makes no promise across Python versions."""

    __slots__ = ("_bits",)

    def __init__(self, seed: int) -> None:
        self._bits = Random(seed).getrandbits

    def below(self, n: int, label: str) -> int:
        """Return the next uniform integer in 0 .. n-1; the label is not used."""
        # What Random.randrange does, without its three calls.
        width = n.bit_length()
        number = self._bits(width)
        while number >= n > 0:
            number = self._bits(width)
        return number


def pick(stream: Stream, label: str, items: Sequence[T]) -> T:
    """Return one of the items, each equally likely."""
    return items[stream.below(len(items), label)]


def pick_weighted(stream: Stream, label: str, items: Sequence[T], weights: Sequence[int]) -> T:
    """Return one of the items with odds in proportion to its positive integer weight."""
    at = stream.below(sum(weights), label)
    for item, weight in zip(items, weights, strict=True):
        if at < weight:
            return item
        at -= weight
    raise UsageError("weights must be positive integers, at least one of them")


def seed_from_text(text: str) -> bytes:
    """Read a seed: a decimal number for local play, or 32 hex digits (with or without 0x) for a rated deal.

    Raises UsageError for anything else. The seed is the number as 16 bytes big-endian.
    """
    digits = text.removeprefix("0x")
    try:
        number = int(digits, 16) if text.startswith("0x") or len(digits) == 2 * SEED_BYTES else int(digits)
        return number.to_bytes(SEED_BYTES, "big")
    except (ValueError, OverflowError):
        raise UsageError(f"seed {text!r} is not a number below 2**128; give one like 7 or 32 hex digits") from None


def seed_to_text(seed: bytes) -> str:
    """Write a seed as it stands in a log: 32 lower-case hex digits."""
    return seed.hex()


def bot_seed(seed: bytes, seat: int) -> int:
    """Return the 32-bit number a bot may seed its own randomness with; it does not lead back to the match seed."""
    return int.from_bytes(blake2b(f"bot_seed/seat {seat}".encode(), key=seed, digest_size=4).digest(), "little")
