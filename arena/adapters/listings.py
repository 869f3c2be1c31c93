"""How the lists in each game's view find room in an array of fixed size.

Keys read "Message.field". Each game's own components always fit; a component file with more of something may not, and
is then refused with a message that names the list. A list that is not named here, such as one of a game from another
package, gets DEFAULT_SLOTS.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

DEFAULT_SLOTS: Final = 16


@dataclass(frozen=True, slots=True)
class Slots:
    """Room for the first `most` items in their order, and for how many there are; empty slots are zeros."""

    most: int


@dataclass(frozen=True, slots=True)
class Counts:
    """How many items there are of each value, for lists whose order means nothing.

    ranges: lowest and highest value, one pair for numbers, one pair a field for messages of numbers and enums. An
    enum's own values need no pair: give none for a list of enums.
    """

    ranges: tuple[tuple[int, int], ...] = ()


Listing: TypeAlias = Slots | Counts
Listings: TypeAlias = Mapping[str, Listing]


def listings_of(game: str, seats: int) -> Listings:
    """Return the listings of one of the arena's own games; {} for any other."""
    makers = {"first-snow": _first_snow, "frost-shelter": _frost_shelter, "snowblind": _snowblind}
    maker = makers.get(game)
    return maker(seats) if maker else {}


def _first_snow(seats: int) -> Listings:
    return {
        "View.winter_cards": Counts(((1, 6),)),
        "View.turn_order": Slots(4),
        "View.landscape": Slots(6),
        "View.camps": Slots(4),
        "View.bears": Slots(seats),
        "View.players": Slots(seats),
        "Player.good_tools": Counts(),
        "Player.damaged_tools": Counts(),
        "Result.ranks": Slots(seats),
    }


def _frost_shelter(seats: int) -> Listings:
    cards = Counts(((1, 4), (1, 10)))
    return {
        "View.events_revealed": Counts(((0, 23),)),
        "View.relics_revealed": Counts(),
        "EventCard.options": Slots(8),
        "DefenceOption.cost": Counts(),
        "View.players": Slots(seats),
        "Player.colony": cards,
        "View.hand": cards,
        "View.trick": Slots(seats),
        "View.table": cards,
        "View.pool": cards,
        "View.spent": cards,
        "View.buyers": Slots(seats),
        "Bill.paid": Counts(),
        "View.ranks": Slots(seats),
    }


def _snowblind(seats: int) -> Listings:
    men = ("captain", "scientists", "sailors", "lying_captain", "lying_scientists", "lying_sailors")
    return {
        "View.dice": Slots(9),
        "View.weather": Counts(((0, 8),)),
        "View.expeditions": Slots(seats),
        "View.fallen": Slots(seats),
        "View.struck": Slots(seats),
        "Result.ranks": Slots(seats),
        "Expedition.pool": Slots(9),
        # Thirteen of the fourteen dice have faces, and their order says which die shows what.
        "Expedition.faces": Slots(13),
        "Course.rolled": Slots(13),
        **{f"Expedition.{counted}": Slots(6) for counted in (*men, "crates", "food", "barrels", "camps")},
    }
