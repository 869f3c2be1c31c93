"""Counts the choices that the seats of a played match made."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

_CHOICE: Final = re.compile(r'^\{"kind":"ply","ply":\d+,"actor":(\d+),.*,"meta":\{', re.MULTILINE)
"""A ply of a seat that was asked: "meta" tells its times. No text holds such a mark, its quotes would be escaped."""


def count_answers(log: str, seats: int) -> tuple[int, ...]:
    """Return how many choices each seat made; log: as the arena wrote it, forced and default plies do not count."""
    counts = Counter(_CHOICE.findall(log))
    return tuple(counts[str(seat)] for seat in range(seats))
