"""How evenly a schedule treats its entrants: seats, opponents and deals as counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Planned(Generic[K]):
    """One match of the schedule, played or to be played: its deal, and who sits where."""

    deal: int
    players: Sequence[K]


@dataclass(frozen=True, slots=True)
class Share:
    """What the schedule gives one entrant.

    seats: matches in each seat. deals: different deals. fewest, most: matches with the one opponent it meets least, and
    with the one it meets most; 0 without an opponent.
    """

    seats: tuple[int, ...]
    deals: int
    fewest: int
    most: int

    @property
    def matches(self) -> int:
        """Matches in all seats."""
        return sum(self.seats)


@dataclass(frozen=True, slots=True)
class Spread:
    """The smallest and the largest count of something."""

    fewest: int
    most: int


@dataclass(frozen=True, slots=True)
class Balance(Generic[K]):
    """How even a schedule is. matches, seats, pairs, deals: the spread over entrants, over all seats of all entrants,
    over all pairs of entrants (matches they have in common), and over entrants again.
    """

    shares: dict[K, Share]
    matches: Spread
    seats: Spread
    pairs: Spread
    deals: Spread


def balance(entrants: Sequence[K], seats: int, matches: Iterable[Planned[K]]) -> Balance[K]:
    """Return the balance of a schedule; every player has to be one of the entrants."""
    sat: dict[K, list[int]] = {entrant: [0] * seats for entrant in entrants}
    deals: dict[K, set[int]] = {entrant: set() for entrant in entrants}
    met: Counter[tuple[K, K]] = Counter()
    for match in matches:
        for seat, player in enumerate(match.players):
            sat[player][seat] += 1
            deals[player].add(match.deal)
        for one, other in combinations(match.players, 2):
            met[one, other] += 1
            met[other, one] += 1
    meetings = {one: [met[one, other] for other in entrants if other != one] for one in entrants}
    shares = {
        one: Share(
            seats=tuple(sat[one]),
            deals=len(deals[one]),
            fewest=min(meetings[one], default=0),
            most=max(meetings[one], default=0),
        )
        for one in entrants
    }
    return Balance(
        shares=shares,
        matches=_spread([share.matches for share in shares.values()]),
        seats=_spread([count for share in shares.values() for count in share.seats]),
        pairs=_spread([count for counts in meetings.values() for count in counts]),
        deals=_spread([share.deals for share in shares.values()]),
    )


def _spread(counts: Sequence[int]) -> Spread:
    return Spread(min(counts, default=0), max(counts, default=0))
