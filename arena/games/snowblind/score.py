"""Prestige in Snowblind, and how a game ends."""

from __future__ import annotations

from typing import Final

from arena.core.outcome import Outcome
from arena.core.seat import Seat
from arena.games.snowblind.actions import Man
from arena.games.snowblind.state import (
    BACK,
    BARRELS,
    CAMPS,
    CRATES,
    FACTS,
    FLAG,
    LYING,
    MEDAL,
    RESEARCH,
    SnowblindState,
    Standing,
)

FLAG_PRESTIGE: Final = (0, 0, 0, 0, 5, 10, 15)
"""By zone; zone 0 is a captain who is nowhere."""
MEDAL_PRESTIGE: Final = 2
EXPLORER_PRESTIGE: Final = 2
CRATES_IN_BARREL: Final = 3
MEN: Final = LYING + len(Man)
"""Counts of a zone that are explorers, active and lying."""


def prestige(state: SnowblindState, seat: Seat) -> int:
    """Return what the expedition's pieces are worth now, by the rules of the final scoring."""
    facts, mine = state.facts, seat * FACTS
    ship = state.start(seat, state.mode.setup.ship)
    return (
        FLAG_PRESTIGE[facts[mine + FLAG]]
        + facts[mine + MEDAL] * MEDAL_PRESTIGE
        + state.count(seat, CAMPS) // 2
        + (state.count(seat, CRATES) + CRATES_IN_BARREL * state.count(seat, BARRELS)) // 3
        + sum(state.track[ship : ship + MEN]) * EXPLORER_PRESTIGE
        + facts[mine + RESEARCH]
    )


def is_won(state: SnowblindState) -> bool:
    """Return whether the solo objectives are met: the captain back from the Pole, and the research tokens."""
    return bool(state.facts[BACK]) and state.facts[RESEARCH] >= state.mode.target


def outcome(state: SnowblindState) -> Outcome:
    """Return the result of the finished game: the eliminated stand below all others, the later the better."""
    lost = [state.standing(Seat(seat)) is Standing.ELIMINATED for seat in range(state.seats)]
    scores = tuple(None if lost[seat] else prestige(state, Seat(seat)) for seat in range(state.seats))
    if state.mode.solo:
        won = is_won(state)
        return Outcome((1,) if won else (2,), scores, "objective" if won else "perished" if lost[0] else "too-late")
    marks = [
        state.fallen.index(Seat(seat)) - state.seats if score is None else score for seat, score in enumerate(scores)
    ]
    ranks = tuple(1 + sum(other > mark for other in marks) for mark in marks)
    return Outcome(ranks, scores, "eliminated" if all(lost) else "prestige")
