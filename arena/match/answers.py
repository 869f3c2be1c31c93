"""Counts the choices that the seats of a played match made."""

from __future__ import annotations

import json
from typing import Final

_PLY: Final = '{"kind":"ply",'


def count_answers(log: str, seats: int) -> tuple[int, ...]:
    """Return how many choices each seat made; log: as the arena wrote it, forced and default plies do not count."""
    counts = [0] * seats
    for line in log.split("\n"):
        if line.startswith(_PLY):
            facts = json.loads(line)
            if "meta" in facts:  # which tells the times of who was asked
                counts[facts["actor"]] += 1
    return tuple(counts)
