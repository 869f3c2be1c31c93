"""How a finished game stands: ranks, scores and the rule that ended it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result by the rules of the game alone; forfeits are the match's business.

    ranks: one per seat, 1 is best, equal numbers are a tie, and after a tie ranks are skipped (1, 1, 3).
        A game for one seat gives 1 for won and 2 for lost: the house holds the other rank.
    scores: one per seat in the game's own points; None where a seat has no score (eliminated).
    reason: a short stable lower-case word of the game, such as "points" or "tie-break".
    """

    ranks: tuple[int, ...]
    scores: tuple[int | None, ...]
    reason: str
