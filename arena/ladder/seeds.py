"""Where the luck of rated play comes from: a secret committed to before entry closes, and the archives entered.

All hashes are sha256, a seed is the first 16 bytes of one, and the words in front keep the uses apart:

- commitment: "whiteout commitment", secret. Shown from the start.
- tournament seed: "whiteout tournament", secret, the 32 bytes of every entered archive's sha256 in ascending order.
- deal seed: "whiteout deal", tournament seed, number of the deal as 4 bytes big-endian.

A revealed deal seed leads to no other; the secret, shown at the end, proves them all.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Final

from arena.core.chance import SEED_BYTES

SECRET_BYTES: Final = 16
"""128 random bits: the secret behind a published hash cannot be found by trying."""


def commitment_of(secret: bytes) -> str:
    """Return the 64 hex digits that are published before entry closes."""
    return sha256(b"whiteout commitment" + secret).hexdigest()


def tournament_seed(secret: bytes, archives: Iterable[str]) -> bytes:
    """Return the seed of a tournament; archives: the sha256 of every entered archive as hex digits, in any order."""
    return sha256(b"whiteout tournament" + secret + b"".join(sorted(map(bytes.fromhex, archives)))).digest()[
        :SEED_BYTES
    ]


def deal_seed(seed: bytes, number: int) -> bytes:
    """Return the seed of the deal with this number (from 1) of the tournament with this seed."""
    return sha256(b"whiteout deal" + seed + number.to_bytes(4, "big")).digest()[:SEED_BYTES]
