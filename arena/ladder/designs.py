"""Groups of three or more in which every pair meets equally often, or as nearly so as can be: block designs.

The entrants are the elements of a group, and the groups of a deal are all translates of a few base blocks. Then
everybody plays equally often, and how often a pair has met depends on its difference alone: instead of some hundred
pairs, a dozen classes of differences have to come out level (R. C. Bose, On the construction of balanced incomplete
block designs, 1939). Base blocks are found by exchanging one element after the other while the sum of squares falls;
the search draws its numbers from a fixed sequence, so that the same question has the same answer everywhere.

Exact, every pair once a deal: for three seats and 6t + 1 or 6t + 3 entrants, four and 12t + 1 or 12t + 4, five and
20t + 1 or 20t + 5, the sizes for which such designs exist at all; made here for up to 41 entrants. Exact, too, with one
entrant more than seats. Otherwise pairs have met at most once more than others at the end of each deal, counted over
all deals so far; the tests prove it for up to 40 entrants. Beyond, it is the best that the search comes to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import repeat
from typing import Final, TypeAlias

Group: TypeAlias = tuple[int, ...]

RESTARTS: Final = 8
"""Searches begun anew before another base block is added; nearly all succeed in the first or never."""

STEPS: Final = 600
"""Exchanges tried in one search for each base block."""

MORE_BASES: Final = 4
"""Base blocks that a deal may have beyond the fewest: where those cannot come out level, one more nearly always can."""

_AFFINE: Final = frozenset({3, 4, 5})
"""Orders of the affine planes made here: lines of as many points as there are seats."""

_KNOWN: Final[dict[tuple[int, int], tuple[tuple[int, ...], tuple[Group, ...]]]] = {
    (28, 4): ((3, 3, 3), ((0, 6, 10, 14), (0, 16, 9, 24))),
    (37, 4): ((37,), ((0, 4, 9, 31), (0, 1, 30, 18), (0, 34, 21, 23))),
    (41, 5): ((41,), ((0, 38, 30, 9, 2), (0, 16, 17, 31, 35))),
}
"""Moduli and base blocks of exact designs that a search as long as this would take seconds to find, or never find."""


def deals_of_groups(entrants: int, seats: int) -> Iterator[tuple[Group, ...]]:
    """Yield the groups of deal 1, 2, 3, ... without an end; 3 <= seats <= entrants.

    In each deal everybody is in equally many groups, at least as many as it takes to meet everybody.
    """
    exact = _exact_design(entrants, seats)
    if exact is not None:
        yield from repeat(exact)
    space = _Space.of(entrants)
    fewest = _fewest_bases(entrants, seats)
    met = (0,) * len(space.weights)
    while True:
        bases, met = _next_bases(space, met, seats, fewest)
        yield tuple(group for base in bases for group in space.translates(base))


def least_groups(entrants: int, seats: int) -> int:
    """Return the fewest groups that a deal can have; no deal is searched for."""
    exact = _exact_design(entrants, seats)
    return entrants * _fewest_bases(entrants, seats) if exact is None else len(exact)


def _fewest_bases(entrants: int, seats: int) -> int:
    """Return how many base blocks it takes for everybody to be able to meet everybody."""
    return -(-(entrants - 1) // (seats * (seats - 1)))


@cache
def _exact_design(entrants: int, seats: int) -> tuple[Group, ...] | None:
    """Return groups in which every pair is once, or None where there are none or none are found."""
    if entrants == seats:
        return (tuple(range(entrants)),)
    step = seats * (seats - 1)
    if (entrants - 1) % (seats - 1) or entrants * (entrants - 1) % step:
        return None
    if entrants == seats * seats and seats in _AFFINE:
        return tuple(_affine_plane(seats))
    if (entrants, seats) in _KNOWN:
        moduli, known = _KNOWN[entrants, seats]
        space = _Space.of(*moduli)
        found = [group for base in known for group in space.translates(base)]
        if space.size < entrants:  # one more point, which no translation moves, goes with the cosets of a subgroup
            found += [(space.size, *coset) for coset in space.cosets(space.subgroup(seats - 1) or ())]
        return tuple(found)
    for moduli in _moduli(entrants):
        space = _Space.of(*moduli)
        short = space.subgroup(seats) if (entrants - seats) % step == 0 else None
        if short is None and (entrants - 1) % step:
            continue
        met = [int(short is not None and space.inside(short, kind)) for kind in range(len(space.weights))]
        bases = (entrants - (1 if short is None else seats)) // step
        level = _search(space, met, seats, bases, restarts=RESTARTS)
        if level is not None:
            groups = [group for base in level[0] for group in space.translates(base)]
            return tuple(groups + ([] if short is None else space.cosets(short)))
    return None


@cache
def _next_bases(space: _Space, met: tuple[int, ...], seats: int, fewest: int) -> tuple[list[Group], tuple[int, ...]]:
    """Return base blocks after which pairs have met as equally often as can be, and how often then, less the least."""
    best: tuple[list[Group], list[int]] | None = None
    for bases in range(fewest, fewest + MORE_BASES + 1):
        found = _search(space, met, seats, bases, restarts=RESTARTS)
        if found is not None:
            best = found
            break
    if best is None:
        best = _climb(space, met, _first_bases(space, seats, fewest, _Numbers(1)), _Numbers(1))
    least = min(best[1])
    return best[0], tuple(count - least for count in best[1])


def _search(
    space: _Space, met: Sequence[int], seats: int, bases: int, *, restarts: int
) -> tuple[list[Group], list[int]] | None:
    """Return base blocks that level how often pairs have met, with the new counts; None if none were found."""
    for start in range(restarts):
        numbers = _Numbers(start + 1)
        found = _climb(space, met, _first_bases(space, seats, bases, numbers), numbers)
        if max(found[1]) - min(found[1]) <= 1:
            return found
    return None


def _first_bases(space: _Space, seats: int, bases: int, numbers: _Numbers) -> list[list[int]]:
    """Return base blocks of random elements, 0 the first of each: a translate of any block has it."""
    made = []
    for _ in range(bases):
        base = [0]
        while len(base) < seats:
            one = numbers.below(space.size)
            if one not in base:
                base.append(one)
        made.append(base)
    return made


def _climb(
    space: _Space, met: Sequence[int], bases: list[list[int]], numbers: _Numbers
) -> tuple[list[Group], list[int]]:
    """Exchange elements while the sum of squares over all pairs does not grow, now and then a little against it."""
    counts = list(met)
    for base in bases:
        for at, one in enumerate(base):
            for other in base[:at]:
                kind = space.kind(one, other)
                counts[kind] += space.weights[kind]
    for _ in range(STEPS * len(bases) if bases else 0):
        if max(counts) - min(counts) <= 1:
            break
        base = bases[numbers.below(len(bases))]
        at = 1 + numbers.below(len(base) - 1)
        new = numbers.below(space.size)
        if new in base:
            continue
        change: dict[int, int] = {}
        for mate in (*base[:at], *base[at + 1 :]):
            for one, sign in ((base[at], -1), (new, 1)):
                kind = space.kind(one, mate)
                change[kind] = change.get(kind, 0) + sign * space.weights[kind]
        growth = sum((2 * counts[kind] * more + more * more) * space.pairs_of(kind) for kind, more in change.items())
        if growth <= 0 or (growth <= 2 * space.size and not numbers.below(40)):
            base[at] = new
            for kind, more in change.items():
                counts[kind] += more
    return [tuple(base) for base in bases], counts


@dataclass(frozen=True, slots=True)
class _Space:
    """A group of residues, its elements numbered; kinds: of differences, d and -d alike.

    weights: how much all translates of one pair add to each pair of its kind: 2 where d = -d, since each then comes
    twice.
    """

    size: int
    minus: tuple[tuple[int, ...], ...]
    plus: tuple[tuple[int, ...], ...]
    kinds: tuple[int, ...]
    weights: tuple[int, ...]

    def __hash__(self) -> int:
        return hash((self.size, self.kinds))

    @staticmethod
    @cache
    def of(*moduli: int) -> _Space:
        """Return the group Z_a x Z_b x ... of these moduli."""
        size = 1
        for modulus in moduli:
            size *= modulus

        def combined(one: int, other: int, sign: int) -> int:
            found, scale = 0, 1
            for modulus in moduli:
                found += (one % modulus + sign * (other % modulus)) % modulus * scale
                scale *= modulus
                one, other = one // modulus, other // modulus
            return found

        minus = tuple(tuple(combined(one, other, -1) for other in range(size)) for one in range(size))
        plus = tuple(tuple(combined(one, other, 1) for other in range(size)) for one in range(size))
        kinds = [-1] * size
        weights: list[int] = []
        for difference in range(1, size):
            opposite = minus[0][difference]
            if kinds[difference] < 0:
                kinds[difference] = kinds[opposite] = len(weights)
                weights.append(2 if opposite == difference else 1)
        return _Space(size, minus, plus, tuple(kinds), tuple(weights))

    def kind(self, one: int, other: int) -> int:
        """Return the kind of the difference of two elements."""
        return self.kinds[self.minus[one][other]]

    def pairs_of(self, kind: int) -> int:
        """Return how many pairs have a difference of this kind."""
        return self.size // self.weights[kind]

    def translates(self, base: Group) -> list[Group]:
        """Return the block moved by every element."""
        return [tuple(self.plus[one][by] for one in base) for by in range(self.size)]

    def subgroup(self, size: int) -> Group | None:
        """Return a subgroup of this size, generated by at most two elements; None if there is none."""
        for first in range(1, self.size):
            for second in range(first + 1):
                found = self._closure({0, first, second}, size)
                if found is not None:
                    return found
        return None

    def inside(self, subgroup: Group, kind: int) -> bool:
        """Whether the differences of this kind lie in a subgroup."""
        return any(self.kinds[one] == kind for one in subgroup if one)

    def cosets(self, subgroup: Group) -> list[Group]:
        """Return every translate of a subgroup once."""
        return sorted({tuple(sorted(group)) for group in self.translates(subgroup)})

    def _closure(self, elements: set[int], size: int) -> Group | None:
        while len(elements) <= size:
            more = elements | {self.plus[one][other] for one in elements for other in elements}
            if more == elements:
                return tuple(sorted(elements)) if len(elements) == size else None
            elements = more
        return None


class _Numbers:
    """A fixed sequence of numbers that look random (Knuth's MMIX generator), the same on every machine."""

    __slots__ = ("_state",)

    def __init__(self, start: int) -> None:
        self._state = start * 2862933555777941757 + 3037000493

    def below(self, bound: int) -> int:
        """Return a number from 0 to bound - 1."""
        self._state = (self._state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        return (self._state >> 33) % bound


def _moduli(size: int) -> list[tuple[int, ...]]:
    """Return the groups of this size to look for designs in: the cyclic one first."""
    return [(size,), *((prime, size // prime) for prime in (2, 3, 5, 7) if size % (prime * prime) == 0)]


def _affine_plane(order: int) -> Iterator[Group]:
    """Yield the lines of the affine plane over the field with 3, 4 or 5 elements; point (x, y) is x * order + y."""
    for slope in range(order):
        for shift in range(order):
            yield tuple(x * order + _sum(order, _product(order, slope, x), shift) for x in range(order))
    for x in range(order):
        yield tuple(x * order + y for y in range(order))


def _sum(order: int, one: int, other: int) -> int:
    return one ^ other if order == 4 else (one + other) % order


def _product(order: int, one: int, other: int) -> int:
    if order != 4:
        return one * other % order
    # Without 0, the field of four is the cyclic group of 1, a = 2, a + 1 = 3.
    return 1 + (one + other - 2) % 3 if one and other else 0
