"""How a match ended, how each seat ended, and who ranks where after forfeits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from arena.core.seat import Seat


class MatchEnd(StrEnum):
    """How the match as a whole ended."""

    COMPLETED = "COMPLETED"
    FORFEIT = "FORFEIT"
    VOID = "VOID"
    ABORTED = "ABORTED"


class SeatEnd(StrEnum):
    """How one seat's part ended; everything but PLAYED is a forfeit."""

    PLAYED = "PLAYED"
    ILLEGAL_ACTION = "ILLEGAL_ACTION"
    MALFORMED = "MALFORMED"
    TIMEOUT = "TIMEOUT"
    CRASHED = "CRASHED"
    DISCONNECTED = "DISCONNECTED"
    NO_SHOW = "NO_SHOW"
    RESIGNED = "RESIGNED"
    REPLACED = "REPLACED"


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The result of a match; end and seat_ends say why, ranks say who won.

    ranks: one per seat, 1 is best, equal numbers tie and the next rank is skipped; all 0 when VOID or ABORTED. A match
        for one seat gives 1 for won and 2 for lost. scores: the game's points, None where there are none.
    reason: the game's own word when the rules ended it, else a short text. plies: how many were applied.
    """

    end: MatchEnd
    seat_ends: tuple[SeatEnd, ...]
    ranks: tuple[int, ...]
    scores: tuple[int | None, ...]
    reason: str
    plies: int

    @property
    def ending(self) -> str:
        """The end with the word for it, such as "COMPLETED (most_points)", or alone if both are the same."""
        return f"{self.end} ({self.reason})" if self.reason.upper() != self.end else str(self.end)


def final_ranks(seats: int, ranks: Sequence[int] | None, moments: Mapping[Seat, int]) -> tuple[int, ...]:
    """Return the ranks of a match in which some seats forfeited.

    ranks: the game's own, None if it was not played out (then nobody is told apart by play). moments: for each
    forfeited seat the number of its forfeit, 0 for the first; seats that fail together share a number. Every seat that
    did not forfeit ranks above every one that did; the earlier forfeit ranks lower, the same moment ties. The one seat
    of a match against the house gets 2 when it forfeits.
    """
    if seats == 1:
        return (2,) if moments or ranks is None else (ranks[0],)

    def order(seat: int) -> tuple[int, int]:
        moment = moments.get(Seat(seat))
        if moment is not None:
            return (1, -moment)
        return (0, ranks[seat] if ranks is not None else 0)

    keys = [order(seat) for seat in range(seats)]
    return tuple(1 + sum(other < key for other in keys) for key in keys)
