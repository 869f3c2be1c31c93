"""Bots that play alone, compared: what each pair has made of the same deals, as paired differences."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Generic, TypeVar

from arena.ladder.stats import interval, student_t

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class SoloGame(Generic[K]):
    """One final match of one seat. score: the game's own count, None where the player kept none.

    played: it was COMPLETED, and not forfeited, void or aborted.
    """

    deal: int
    player: K
    played: bool
    won: bool
    score: int | None


@dataclass(frozen=True, slots=True)
class Difference:
    """A mean of differences with its 95 % interval; low and high are None where one deal alone tells none."""

    mean: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Paired:
    """What two players differ in on the deals both have played, seen from the first.

    won: difference of the shares won, -1 to 1. score: difference of the scores, none counting as 0. left_out: common
    deals that one of them has not played to the end.
    """

    deals: int
    left_out: int
    won: Difference
    score: Difference


def paired(players: Sequence[K], games: Iterable[SoloGame[K]]) -> dict[tuple[K, K], Paired]:
    """Return how every two players differ, in the order given; without a pair that has no deal in common yet."""
    by_player: dict[K, dict[int, SoloGame[K]]] = {player: {} for player in players}
    for game in games:
        by_player[game.player][game.deal] = game
    found: dict[tuple[K, K], Paired] = {}
    for one, other in combinations(players, 2):
        mine, yours = by_player[one], by_player[other]
        common = [(mine[deal], yours[deal]) for deal in sorted(mine.keys() & yours.keys())]
        counted = [(left, right) for left, right in common if left.played and right.played]
        if counted:
            found[one, other] = Paired(
                deals=len(counted),
                left_out=len(common) - len(counted),
                won=won_difference([left.won - right.won for left, right in counted]),
                score=mean_difference([(left.score or 0) - (right.score or 0) for left, right in counted]),
            )
    return found


def won_difference(differences: Sequence[int]) -> Difference:
    """Return the mean of differences that are -1, 0 or 1; the interval is that of shares, see stats.interval."""
    share = interval([(1 + difference) / 2 for difference in differences])
    return Difference(*(2 * value - 1 for value in (share.mean, share.low, share.high)))


def mean_difference(differences: Sequence[float]) -> Difference:
    """Return the mean of at least one difference with its interval by Student's t."""
    count = len(differences)
    mean = math.fsum(differences) / count
    if count == 1:
        return Difference(mean, None, None)
    variance = math.fsum((difference - mean) ** 2 for difference in differences) / (count - 1)
    half = student_t(count - 1) * math.sqrt(variance / count)
    return Difference(mean, mean - half, mean + half)
