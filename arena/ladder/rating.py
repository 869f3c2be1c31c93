"""Ratings: the only module that knows the engine, TrueSkill.

Versions are frozen, so tau is 0: nothing decays and the order of time plays no role beyond the order of the fold. A
tied group is rated as the mean over its cyclic orders, since the engine treats tied players of a free-for-all by their
place in the list. A single seat plays the house, a fixed rating that never moves.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby, product
from typing import Final, TypeAlias, TypeVar

import trueskill

K = TypeVar("K", bound=Hashable)

MU: Final = 25.0
SIGMA: Final = MU / 3
BETA: Final = SIGMA / 2

HOUSE_SIGMA: Final = 0.001
"""The house is what it is: near 0, not 0, because the engine divides by it."""

DRAWS: Final = 0.1
"""Draw probability where the first rank can be shared and nobody has measured how often: the engine's own default."""

RARE_DRAWS: Final = 0.01
"""Draw probability where only lower ranks can be shared, or forfeits at the same moment; 0 would let sigma grow."""

PROVISIONAL_SIGMA: Final = SIGMA / 4
"""A rating with a larger sigma is provisional: its score can still move by several places."""

Rated: TypeAlias = tuple[Sequence[K], Sequence[int]] | tuple[Sequence[K], Sequence[int], Collection[int]]
"""Players and ranks of a match by seat and, if there are any, the absent seats (see update)."""

_W_MIN: Final = 1e-12
_W_MAX: Final = 1 - 1e-9


@dataclass(frozen=True, slots=True)
class Rating:
    """What is believed of a version's strength: a normal distribution."""

    mu: float = MU
    sigma: float = SIGMA

    @property
    def score(self) -> float:
        """What leaderboards sort by: a strength that is exceeded with 99.9 % probability."""
        return self.mu - 3 * self.sigma


HOUSE: Final = Rating(MU, HOUSE_SIGMA)


def draw_probability(*, seats: int, draws: bool, ties: Collection[tuple[int, float]] = ()) -> float:
    """Return the draw probability of a pool: as it was measured for so many seats, else a default.

    draws: whether the variant's first rank can be shared. ties: (seats, share of neighbouring places that equals
    share). Never 0 where two can tie, for then a tie would let sigma grow.
    """
    if seats == 1:
        return 0.0
    measured = dict(ties).get(seats)
    if measured is not None:
        return max(measured, RARE_DRAWS)
    return DRAWS if draws else RARE_DRAWS


def update(
    ratings: Sequence[Rating], ranks: Sequence[int], draws: float, absent: Collection[int] = ()
) -> tuple[Rating, ...]:
    """Return the ratings after a match, one per seat; ranks: 1 is best, equal numbers tie.

    draws: the pool's draw probability. One seat: rank 1 has beaten the house, rank 2 lost to it.
    absent: the seats that forfeited without having made one choice. They lose as their ranks say; the others are rated
    as if they had played without them, because a walkover says nothing about the one who got it. (FIDE, Rating
    Regulations 5.1: games decided without both players having moved are not rated; here the absent one is, or leaving
    would be a way out of a bad deal.)
    """
    if not absent or len(ratings) == 1:
        return _update(ratings, ranks, draws)
    present = [seat for seat in range(len(ratings)) if seat not in absent]
    among: Sequence[Rating] = [ratings[seat] for seat in present]
    if len(present) > 1:
        among = _update(among, [ranks[seat] for seat in present], draws)
    played = dict(zip(present, among, strict=True))
    return tuple(played.get(seat, lost) for seat, lost in enumerate(_update(ratings, ranks, draws)))


def fold(matches: Iterable[Rated[K]], draws: float) -> dict[K, Rating]:
    """Return all ratings of a pool from its rated matches in order of rating_seq; see Rated."""
    ratings: dict[K, Rating] = {}
    for match in matches:
        players, ranks = match[0], match[1]
        before = [ratings.get(player, Rating()) for player in players]
        absent = match[2] if len(match) == 3 else ()
        ratings.update(zip(players, update(before, ranks, draws, absent), strict=True))
    return ratings


def _update(ratings: Sequence[Rating], ranks: Sequence[int], draws: float) -> tuple[Rating, ...]:
    if len(ratings) == 1:
        return (_rate([ratings[0], HOUSE], [ranks[0], 3 - ranks[0]], draws)[0],)
    order = sorted(range(len(ratings)), key=lambda seat: ranks[seat])
    groups = [list(group) for _, group in groupby(order, key=lambda seat: ranks[seat])]
    results: list[list[Rating]] = [[] for _ in ratings]
    for turned in product(*(_rotations(group) for group in groups)):
        seats = [seat for group in turned for seat in group]
        rated = _rate([ratings[seat] for seat in seats], [ranks[seat] for seat in seats], draws)
        for seat, rating in zip(seats, rated, strict=True):
            results[seat].append(rating)
    return tuple(_mean(found) for found in results)


def _rotations(group: list[int]) -> list[list[int]]:
    return [group[shift:] + group[:shift] for shift in range(len(group))]


def _mean(found: list[Rating]) -> Rating:
    if len(found) == 1:
        return found[0]
    # fsum rounds once, so tied equals stay equal bit for bit in whichever order they were found.
    mu = math.fsum(rating.mu for rating in found) / len(found)
    return Rating(mu, math.fsum(rating.sigma for rating in found) / len(found))


def _rate(ratings: Sequence[Rating], ranks: Sequence[int], draws: float) -> list[Rating]:
    groups = [(trueskill.Rating(rating.mu, rating.sigma),) for rating in ratings]
    rated = _engine(draws).rate(groups, ranks=list(ranks))
    return [Rating(one.mu, one.sigma) for (one,) in rated]


@cache
def _engine(draws: float) -> trueskill.TrueSkill:
    return _Engine(mu=MU, sigma=SIGMA, beta=BETA, tau=0.0, draw_probability=draws)


class _Engine(trueskill.TrueSkill):  # type: ignore[misc]  # the package has no types
    """TrueSkill whose truncation functions have their limits where the original gives up on extreme gaps.

    v and w are the mean and variance corrections of a truncated normal distribution. Far out, their quotients of tiny
    numbers cancel to nothing and the original raises FloatingPointError. Their limits are known (Herbrich, Minka,
    Graepel: TrueSkill, 2006, section 4): a favourite's win teaches nothing (v and w go to 0), an upset of any size
    moves the loser's and winner's difference up to the margin (v to the distance) and narrows it most (w to 1); a tie
    far from the margin does the same on the other side. So every result is rated and none makes sigma grow.
    """

    def v_win(self, diff: float, draw_margin: float) -> float:
        x = diff - draw_margin
        below: float = self.cdf(x)
        # Below -30 the quotient loses its digits before it loses its value: asymptotic series of Mills' ratio.
        return float(self.pdf(x)) / below if x > -30 else -x - 1 / x

    def w_win(self, diff: float, draw_margin: float) -> float:
        v = self.v_win(diff, draw_margin)
        return min(max(v * (v + diff - draw_margin), _W_MIN), _W_MAX)

    def v_draw(self, diff: float, draw_margin: float) -> float:
        distance = abs(diff)
        a, b = draw_margin - distance, -draw_margin - distance
        inside: float = self.cdf(a) - self.cdf(b)
        v: float = (self.pdf(b) - self.pdf(a)) / inside if inside > 0 and a > -30 else a + 1 / a
        return -v if diff < 0 else v

    def w_draw(self, diff: float, draw_margin: float) -> float:
        distance = abs(diff)
        a, b = draw_margin - distance, -draw_margin - distance
        inside: float = self.cdf(a) - self.cdf(b)
        if inside <= 0 or a <= -30:
            return _W_MAX
        v = self.v_draw(distance, draw_margin)
        edges: float = a * self.pdf(a) - b * self.pdf(b)
        return min(max(v * v + edges / inside, _W_MIN), _W_MAX)
