"""How the entrants of a tournament stand: points, ranks, head-to-head, seat ends by cause."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from arena.match.result import SeatEnd


@dataclass(frozen=True, slots=True)
class Standing:
    """One entrant's sums over the rated matches that are final.

    points: 1 for every opponent beaten in a match, half for a tie, 0 for a loss, divided by the opponents in it, i.e. each
    match gives 0 .. 1; share: points / matches, 0.0 without a match. ends: how its seats ended, unrated matches
    included. forfeits: rated matches its seat did not end PLAYED in. unrated: VOID and ABORTED matches.
    """

    points: float
    share: float
    matches: int
    mean_rank: float
    forfeits: int
    unrated: int
    ends: Mapping[SeatEnd, int]
