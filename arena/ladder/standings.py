"""How the entrants of a tournament stand: points, ranks, head-to-head, seat ends by cause, think times."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Generic, TypeVar

from arena.ladder.stats import Estimate, clustered_interval
from arena.match.result import MatchEnd, SeatEnd

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Thinking:
    """How a seat, or all seats of an entrant, used time: asked turns, and milliseconds of thought."""

    turns: int = 0
    total_ms: int = 0
    max_ms: int = 0

    @property
    def mean_ms(self) -> float:
        """Milliseconds a turn, 0.0 without one."""
        return self.total_ms / self.turns if self.turns else 0.0

    def __add__(self, other: Thinking) -> Thinking:
        return Thinking(self.turns + other.turns, self.total_ms + other.total_ms, max(self.max_ms, other.max_ms))


@dataclass(frozen=True, slots=True)
class Played(Generic[K]):
    """One final match: who sat where, and how it ended; ranks are not read when it is unrated.

    seat_ends: None where nothing was played. block: matches of one number share their deal and their players. deal: its
    number, which other blocks may share.
    thinking: one entry a seat, or empty where it is not asked for.
    """

    end: MatchEnd
    players: Sequence[K]
    ranks: Sequence[int]
    seat_ends: Sequence[SeatEnd | None]
    block: int = 0
    thinking: Sequence[Thinking] = ()
    deal: int = 0


@dataclass(frozen=True, slots=True)
class Standing:
    """One entrant's sums over the rated matches that are final.

    points: each match gives 0 .. 1, the share of opponents left behind, a tie counting half; alone against the house
    1 for won. share: points / matches, 0.0 without a match. ends: how its seats ended, unrated matches included.
    forfeits: rated matches its seat did not end PLAYED in. unrated: VOID and ABORTED matches. thinking: over all of
    its seats.
    """

    points: float
    share: float
    matches: int
    mean_rank: float
    forfeits: int
    unrated: int
    ends: Mapping[SeatEnd, int]
    thinking: Thinking = Thinking()


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """What two entrants have done in their common rated matches, seen from the first."""

    wins: int
    ties: int
    losses: int


def is_rated(end: MatchEnd) -> bool:
    """Whether a match that ended so counts for points and ratings."""
    return end in {MatchEnd.COMPLETED, MatchEnd.FORFEIT}


def points_of(ranks: Sequence[int]) -> tuple[float, ...]:
    """Return every seat's points, 0 .. 1: (n - rank) / (n - 1), where the ranks that a tie covers are averaged."""
    if len(ranks) == 1:
        return (2.0 - ranks[0],)
    return tuple(
        sum((other > mine) + (other == mine) / 2 for seat, other in enumerate(ranks) if seat != place)
        / (len(ranks) - 1)
        for place, mine in enumerate(ranks)
    )


def standings(entrants: Sequence[K], matches: Iterable[Played[K]]) -> dict[K, Standing]:
    """Return how every entrant stands, those without a match included, in the order given."""
    sums = {entrant: _Sum() for entrant in entrants}
    for match in matches:
        rated = is_rated(match.end)
        points = points_of(match.ranks) if rated else (0.0,) * len(match.players)
        for seat, player in enumerate(match.players):
            sums[player].add(match.seat_ends[seat], points[seat], match.ranks[seat] if rated else None)
            if match.thinking:
                sums[player].thinking += match.thinking[seat]
    return {entrant: total.standing() for entrant, total in sums.items()}


def share_intervals(matches: Iterable[Played[K]]) -> dict[K, Estimate]:
    """Return the 95 % interval of the points share of everybody with a rated match.

    A block's score counts once for each of its players; blocks against the same opponents are alike, and those of one
    deal may vary together (see arena.ladder.stats.clustered_interval). The mean is that of the blocks' scores: it
    differs from the points share where a leg of a block is unrated.
    """
    scores: dict[tuple[int, K], list[float]] = defaultdict(list)
    groups: dict[int, tuple[frozenset[K], int]] = {}
    for match in matches:
        if is_rated(match.end):
            groups[match.block] = (frozenset(match.players), match.deal)
            for player, points in zip(match.players, points_of(match.ranks), strict=True):
                scores[match.block, player].append(points)
    strata: dict[K, dict[frozenset[K], list[tuple[int, float]]]] = defaultdict(lambda: defaultdict(list))
    for (block, player), won in scores.items():
        group, deal = groups[block]
        strata[player][group].append((deal, math.fsum(won) / len(won)))
    return {player: clustered_interval(list(values.values())) for player, values in strata.items()}


def places(entrants: Mapping[K, Standing]) -> list[tuple[int, K]]:
    """Return (place, entrant), best first: by points share, then mean rank; equal in both share a place.

    The share, not the sum, so that nobody leads for having played first. Who has no match comes last.
    """

    def order(entrant: K) -> tuple[bool, float, float]:
        standing = entrants[entrant]
        return (standing.matches == 0, -standing.share, standing.mean_rank)

    ranked = sorted(entrants, key=order)
    found: list[tuple[int, K]] = []
    for number, entrant in enumerate(ranked, 1):
        tied = found and order(found[-1][1]) == order(entrant)
        found.append((found[-1][0] if tied else number, entrant))
    return found


def head_to_head(matches: Iterable[Played[K]]) -> dict[tuple[K, K], HeadToHead]:
    """Return for every ordered pair that met in rated matches how the first fared against the second."""
    counts: Counter[tuple[K, K, int]] = Counter()
    for match in matches:
        if not is_rated(match.end):
            continue
        for one, other in combinations(range(len(match.players)), 2):
            difference = match.ranks[other] - match.ranks[one]
            sign = (difference > 0) - (difference < 0)
            counts[match.players[one], match.players[other], sign] += 1
            counts[match.players[other], match.players[one], -sign] += 1
    pairs = dict.fromkeys((one, other) for one, other, _ in counts)
    return {
        (one, other): HeadToHead(counts[one, other, 1], counts[one, other, 0], counts[one, other, -1])
        for one, other in pairs
    }


class _Sum:
    """Adds up one entrant's matches."""

    __slots__ = ("ends", "forfeits", "matches", "points", "ranks", "thinking", "unrated")

    def __init__(self) -> None:
        self.points = 0.0
        self.matches = self.ranks = self.forfeits = self.unrated = 0
        self.ends: Counter[SeatEnd] = Counter()
        self.thinking = Thinking()

    def add(self, end: SeatEnd | None, points: float, rank: int | None) -> None:
        """Count one match; rank None: it is unrated."""
        if end is not None:
            self.ends[end] += 1
        if rank is None:
            self.unrated += 1
            return
        self.matches += 1
        self.points += points
        self.ranks += rank
        self.forfeits += end is not SeatEnd.PLAYED

    def standing(self) -> Standing:
        """Return the sums as they are now."""
        played = max(self.matches, 1)
        return Standing(
            points=self.points,
            share=self.points / played,
            matches=self.matches,
            mean_rank=self.ranks / played,
            forfeits=self.forfeits,
            unrated=self.unrated,
            ends=dict(self.ends),
            thinking=self.thinking,
        )
