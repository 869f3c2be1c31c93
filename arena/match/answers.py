"""Counts the choices that the seats of a played match made."""

from __future__ import annotations

import json

from arena.match.entries import Ply, from_json


def count_answers(log: str, seats: int) -> tuple[int, ...]:
    """Return how many choices each seat made; log: as the arena wrote it, forced and default plies do not count."""
    counts = [0] * seats
    for line in log.splitlines():
        facts = json.loads(line)
        entry = from_json(facts, facts.pop("meta", {}))
        if isinstance(entry, Ply) and entry.times is not None and isinstance(entry.actor, int):
            counts[entry.actor] += 1
    return tuple(counts)
