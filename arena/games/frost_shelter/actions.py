"""Frost Shelter's resources, pieces, cards and actions, and the fixed table of them all."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final, TypeAlias

from arena.core import ActionTable, Seat

VALUES: Final = 10
"""Cards a resource can have: values 1 .. 10."""
CARDS: Final = 40
"""Card numbers run 0 .. 39: 10 x resource + value - 1."""
MAX_EVENTS: Final = 24
"""Event cards a component file may hold."""
MAX_OPTIONS: Final = 8
"""Defence options an Event card may have."""
SEATS: Final = tuple(Seat(number) for number in range(5))


class Resource(IntEnum):
    """The four resources; a Relic card names one of them."""

    FUEL = 0
    WATER = 1
    FOOD = 2
    TOOLS = 3


class Piece(IntEnum):
    """The kinds of equipment."""

    TARP = 0
    CHEST = 1
    HARPOON = 2


@dataclass(frozen=True, slots=True)
class RevealEvent:
    """Chance: the Event card at this place of the component file."""

    index: int


@dataclass(frozen=True, slots=True)
class RevealRelic:
    """Chance: the Relic of the Event."""

    resource: Resource


@dataclass(frozen=True, slots=True)
class DealEquipment:
    """Chance: the next seat's first piece."""

    piece: Piece


@dataclass(frozen=True, slots=True)
class DealCard:
    """Chance: the next card of a hand."""

    card: int


@dataclass(frozen=True, slots=True)
class NameLeader:
    """The seat that leads the next trick; chance names the first of the game."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class UseHarpoon:
    """Return a Harpoon to the row: this resource becomes the Relic."""

    resource: Resource


@dataclass(frozen=True, slots=True)
class PlayCard:
    """Lay a card into the trick; with the Expedition card it does not compete."""

    card: int
    expedition: bool


@dataclass(frozen=True, slots=True)
class TakeCard:
    """Take a card of the trick as its winner, or of the pool on Expedition."""

    card: int


@dataclass(frozen=True, slots=True)
class Defend:
    """Use the defence option at this place of the Event card."""

    option: int


@dataclass(frozen=True, slots=True)
class UsePiece:
    """Return a Tarp or a Chest to the row for its effect."""

    piece: Piece


@dataclass(frozen=True, slots=True)
class Heal:
    """Pay the Infirmary."""


@dataclass(frozen=True, slots=True)
class Buy:
    """Buy a piece from the row."""

    piece: Piece


@dataclass(frozen=True, slots=True)
class Pay:
    """Pay with the lowest card of this resource."""

    resource: Resource


@dataclass(frozen=True, slots=True)
class Decline:
    """Pass, stop picking, or use nothing (more)."""


Action: TypeAlias = (
    RevealEvent
    | RevealRelic
    | DealEquipment
    | DealCard
    | NameLeader
    | UseHarpoon
    | PlayCard
    | TakeCard
    | Defend
    | UsePiece
    | Heal
    | Buy
    | Pay
    | Decline
)

# One object per action: the rules hand out these, so that comparing them is comparing identities.
EVENTS: Final = tuple(RevealEvent(index) for index in range(MAX_EVENTS))
RELICS: Final = tuple(RevealRelic(resource) for resource in Resource)
EQUIPMENT: Final = (DealEquipment(Piece.TARP), DealEquipment(Piece.CHEST))
DEALS: Final = tuple(DealCard(card) for card in range(CARDS))
LEADERS: Final = tuple(NameLeader(seat) for seat in SEATS)
HARPOONS: Final = tuple(UseHarpoon(resource) for resource in Resource)
PLAYS: Final = tuple(PlayCard(card, expedition=False) for card in range(CARDS))
EXPEDITIONS: Final = tuple(PlayCard(card, expedition=True) for card in range(CARDS))
TAKES: Final = tuple(TakeCard(card) for card in range(CARDS))
DEFENCES: Final = tuple(Defend(option) for option in range(MAX_OPTIONS))
USES: Final = (UsePiece(Piece.TARP), UsePiece(Piece.CHEST))
HEAL: Final = Heal()
BUYS: Final = tuple(Buy(piece) for piece in Piece)
PAYS: Final = tuple(Pay(resource) for resource in Resource)
DECLINE: Final = Decline()


def card_of(resource: Resource, value: int) -> int:
    """Return the number of the card of this resource and value (1 .. 10)."""
    return VALUES * resource + value - 1


def resource_of(card: int) -> Resource:
    """Return a card's resource."""
    return RESOURCES[card // VALUES]


def value_of(card: int) -> int:
    """Return a card's printed value, 1 .. 10."""
    return card % VALUES + 1


def card_text(card: int) -> str:
    """Return the card as it stands in notation, such as "fuel 7"."""
    return f"{resource_of(card).name.lower()} {value_of(card)}"


def cards_in(cards: int) -> list[int]:
    """Return the numbers of the cards in a set of cards (bit n: card n), ascending."""
    found = []
    while cards:
        low = cards & -cards
        found.append(low.bit_length() - 1)
        cards ^= low
    return found


def deals_from(cards: int) -> tuple[Action, ...]:
    """Return the dealing of each card of a set, by resource and value."""
    return _slices(_DEALS, cards)


def plays_from(cards: int) -> tuple[Action, ...]:
    """Return the playing of each card of a set, by resource and value."""
    return _slices(_PLAYS, cards)


def expeditions_from(cards: int) -> tuple[Action, ...]:
    """Return the playing of each card of a set on Expedition, by resource and value."""
    return _slices(_EXPEDITIONS, cards)


def takes_from(cards: int) -> tuple[Action, ...]:
    """Return the taking of each card of a set, by resource and value."""
    return _slices(_TAKES, cards)


def notation(action: Action) -> str:
    """Return the action's text in match logs."""
    match action:
        case RevealEvent(index):
            return f"event {index}"
        case PlayCard(card, expedition):
            return f"expedition {card_text(card)}" if expedition else f"play {card_text(card)}"
        case DealCard(card) | TakeCard(card):
            return f"{_VERBS[type(action)]} {card_text(card)}"
        case RevealRelic(name) | UseHarpoon(name) | Pay(name) | DealEquipment(name) | UsePiece(name) | Buy(name):
            return f"{_VERBS[type(action)]} {name.name.lower()}"
        case NameLeader(number) | Defend(number):
            return f"{_VERBS[type(action)]} {number}"
        case _:
            return _VERBS[type(action)]


RESOURCES: Final = tuple(Resource)
_VERBS: Final[dict[type, str]] = {
    RevealRelic: "relic",
    DealEquipment: "equip",
    DealCard: "deal",
    NameLeader: "leader",
    UseHarpoon: "harpoon",
    TakeCard: "take",
    Defend: "defend",
    UsePiece: "use",
    Heal: "heal",
    Buy: "buy",
    Pay: "pay",
    Decline: "decline",
}
_SLICE: Final = (1 << VALUES) - 1


def _subsets(actions: tuple[Action, ...]) -> list[tuple[Action, ...]]:
    """Return the actions of every set of a resource's cards; at place n those of the cards whose bits n has."""
    found: list[tuple[Action, ...]] = [()]
    for action in actions:
        found += [(*smaller, action) for smaller in found]
    return found


def _by_resource(actions: tuple[Action, ...]) -> list[list[tuple[Action, ...]]]:
    return [_subsets(actions[first : first + VALUES]) for first in range(0, CARDS, VALUES)]


def _slices(subsets: list[list[tuple[Action, ...]]], cards: int) -> tuple[Action, ...]:
    fuel, water, food, tools = subsets
    return fuel[cards & _SLICE] + water[cards >> 10 & _SLICE] + food[cards >> 20 & _SLICE] + tools[cards >> 30]


_DEALS: Final = _by_resource(DEALS)
_PLAYS: Final = _by_resource(PLAYS)
_EXPEDITIONS: Final = _by_resource(EXPEDITIONS)
_TAKES: Final = _by_resource(TAKES)


_ALL: Final[tuple[tuple[Action, ...], ...]] = (
    *(EVENTS, RELICS, EQUIPMENT, DEALS, LEADERS, HARPOONS),
    *(PLAYS, EXPEDITIONS, TAKES, DEFENCES, USES, (HEAL,), BUYS, PAYS, (DECLINE,)),
)
ACTIONS: Final[ActionTable[Action]] = ActionTable((action for row in _ALL for action in row), notation)
"""Every action of the game; its order is part of the rules version."""
