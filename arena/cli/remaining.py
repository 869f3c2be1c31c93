"""What remains of a tournament, in words."""

from __future__ import annotations

from arena.cli.output import counted
from arena.v1 import tournament_pb2 as pb


def remaining(counts: pb.TournamentProgress) -> str:
    """Return how many matches have a result and where the others stand, as the server counts its rows."""
    parts = [f"{counts.finished} of {counted(counts.total, 'match')} with a result"]
    others = ((counts.running, "running"), (counts.queued, "to be played"), (counts.without_result, "without a result"))
    return ", ".join([*parts, *(f"{number} {what}" for number, what in others if number)])
