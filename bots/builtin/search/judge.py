"""Turns what Greedy thinks of a position into the share of the points that each seat can expect."""

from __future__ import annotations

from math import exp
from typing import Any, Final, TypeAlias

from arena.core import AnyGame, Outcome, Seat
from bots.builtin.greedy.bot import find_evaluator

Shares: TypeAlias = tuple[float, ...]
"""The share of the points, 0 to 1, of each seat."""

LEADS: Final = {"first-snow": 5.0, "frost-shelter": 5.0}
"""Games whose evaluator says by how much a seat leads, and which lead gives 73 % of the points."""
POINTS: Final = {"snowblind": 5.0}
"""Games whose evaluator says how many points a seat will have, and which difference gives 73 %."""
OTHERS: Final = 1.0
"""That difference for the evaluator of any other game."""
ALONE: Final = {"snowblind": 200.0}
"""In a game played alone, the difference that stands for all the points; for any other game it is 1.

The evaluators of these games know the odds of what comes next: chance changes nothing in them on average."""


def points_shares(outcome: Outcome) -> Shares:
    """Return the share of the points that each of two or more seats has won: those it left behind, a tie for half."""
    ranks = outcome.ranks
    behind = [sum(other > rank for other in ranks) + (ranks.count(rank) - 1) / 2 for rank in ranks]
    return tuple(beaten / (len(ranks) - 1) for beaten in behind)


class Judge:
    """Values the positions of one match, by the evaluator beside Greedy or by how default play ends."""

    def __init__(self, game: AnyGame, seats: int) -> None:
        self._evaluate = find_evaluator(game)
        self._seats = tuple(Seat(number) for number in range(seats))
        name = game.spec.id
        self._leads = name in LEADS
        self._scale = ALONE.get(name, 1.0) if seats == 1 else LEADS.get(name) or POINTS.get(name, OTHERS)
        self._knows_odds = name in ALONE

    @property
    def alone(self) -> bool:
        """Whether the game is played alone."""
        return len(self._seats) == 1

    @property
    def knows_odds(self) -> bool:
        """Whether the evaluator, alone, expects of chance what it brings on average."""
        return self._knows_odds

    def shares(self, state: Any) -> Shares:
        """Return what each seat can expect; the state may be changed.

        Alone that is on the evaluator's own scale, ends included: an evaluator that weighs risks knows by how much an
        end is better than the way to it.
        """
        seats, scale = self._seats, self._scale
        if self.alone:
            return (self._evaluate(state, seats[0]) / scale,)
        if state.outcome is not None:
            return points_shares(state.outcome)
        if self._leads and len(seats) == 2:
            first = _share(self._evaluate(state, seats[0]) / scale)
            return (first, 1.0 - first)
        # What an evaluator changes, such as a trick it plays to its end, need not be done again for the next seat.
        worths = [self._evaluate(state, seat) / scale for seat in seats]
        if self._leads:
            return tuple(map(_share, worths))
        # Half a point too many comes from the comparison with itself.
        return tuple((sum(_share(mine - other) for other in worths) - 0.5) / (len(worths) - 1) for mine in worths)


def _share(lead: float) -> float:
    """Return the logistic function of a lead."""
    return 1.0 / (1.0 + exp(-lead)) if lead > -100.0 else 0.0
