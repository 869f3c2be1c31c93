"""Frost Shelter's component numbers: Event and Relic cards, resources, hands, equipment, prices."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Final

from arena.games.frost_shelter.actions import Resource, card_of

MIN_SEATS: Final = 2
MAX_SEATS: Final = 5
MAX_ROUNDS: Final = 8
"""Events a game may have, by a component file."""
MAX_PRICE: Final = 6
"""Cards a price may have."""


class Status(Enum):
    """Where the numbers of a group come from."""

    PUBLISHED = "published"
    KNOWN = "known"
    RECONSTRUCTED = "reconstructed"
    PRINTED = "printed"


class Price(IntEnum):
    """One card of a price; the first four are resources."""

    FUEL = 0
    WATER = 1
    FOOD = 2
    TOOLS = 3
    RELIC = 4
    ANY = 5
    SAME = 6
    DIFFERENT = 7


FREE_PRICES: Final = (Price.ANY, Price.SAME, Price.DIFFERENT)
"""Prices that leave the resource to the payer."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What something costs, in cards of a colony.

    cards: as written. free: the kind of the cards whose resource the payer chooses, None without such; due: how many
    they are. named: for each Relic, the (resource, number) pairs that leave no choice.
    """

    cards: tuple[Price, ...]
    free: Price | None
    due: int
    named: tuple[tuple[tuple[int, int], ...], ...]

    @classmethod
    def of(cls, cards: tuple[Price, ...]) -> Cost:
        """Return the cost of these cards; at most one kind of free price may stand in it."""
        free = [price for price in cards if price in FREE_PRICES]
        named = []
        for relic in Resource:
            firm = [relic if price == Price.RELIC else price for price in cards if price not in FREE_PRICES]
            named.append(tuple((int(kind), firm.count(kind)) for kind in sorted(set(firm))))
        return cls(cards, free[0] if free else None, len(free), tuple(named))


@dataclass(frozen=True, slots=True)
class DefenceOption:
    """One of an Event's ways to prevent damage, once a player."""

    cost: Cost
    prevents: int


@dataclass(frozen=True, slots=True)
class EventCard:
    """An Event: its damage and the colony cards it makes necessary; more of them bring Frost Bite."""

    name: str
    damage: int
    necessary: int
    options: tuple[DefenceOption, ...]


@dataclass(frozen=True, slots=True)
class Course:
    """The rulebook's constants."""

    events: int
    frost_bite: int
    hibernation: int
    expedition: int
    purchases: int


@dataclass(frozen=True, slots=True)
class PieceNumbers:
    """A kind of equipment: how many there are, what one costs, how much it does (0 for the Harpoon)."""

    pieces: int
    cost: Cost
    effect: int


@dataclass(frozen=True, slots=True)
class FrostShelterComponents:
    """A checked component file.

    status: where each group's numbers come from. hands, winnings: indexed by number of players. relics: number of Relic
    cards by resource. equipment: by piece. events: the Event cards.
    """

    status: dict[str, Status]
    course: Course
    infirmary_heals: int
    infirmary_cost: Cost
    hands: tuple[int, ...]
    winnings: tuple[int, ...]
    relics: tuple[int, ...]
    equipment: tuple[PieceNumbers, ...]
    events: tuple[EventCard, ...]
    deck: int
    """The resource cards there are, as a set: bit n stands for card n."""
    digest: str
    """64 hex digits: sha256 over the canonical JSON of the numbers; names and status are none."""


def deck_of(values: tuple[tuple[int, ...], ...]) -> int:
    """Return the set of cards with these values of each resource."""
    return sum(1 << card_of(kind, value) for kind, row in zip(Resource, values, strict=True) for value in row)
