"""The landscape of a round: which cards and spots are free, how it is finished, whose camp is where."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from arena.core.seat import Seat
from arena.games.first_snow.actions import COOLS, PLACES, TAKES, Action, Cool, Side
from arena.games.first_snow.components import CARDS, Half


class Camp(NamedTuple):
    """A camp die: whose it is, the card it stands on (also its number) and which half of it."""

    seat: Seat
    card: int
    half: Half


class Stay(NamedTuple):
    """A camp to be resolved: the location is the right half of the left card and the left half of the right card."""

    seat: Seat
    night: bool
    left: int
    right: int


CAMPS: Final = 4
"""Camps of a round, two a seat."""
ALL_CARDS: Final = (1 << len(CARDS)) - 1
_COOL_LISTS: Final = tuple(
    tuple(cool for cool in COOLS if not winter >> (cool.card - 1) & 1) for winter in range(ALL_CARDS + 1)
)
_TAKE_LISTS: Final[tuple[tuple[Action, ...], ...]] = tuple(
    tuple(take for take in TAKES if not closed >> (take.card - 1) & 1) for closed in range(ALL_CARDS + 1)
)
_START_LIST: Final[tuple[Action, ...]] = tuple(place for place in PLACES if place.side is Side.START)


def _spots(*, left_taken: bool, right_taken: bool) -> tuple[Action, ...]:
    inner_taken = {(Side.LEFT, Half.RIGHT): left_taken, (Side.RIGHT, Half.LEFT): right_taken}
    return tuple(
        place
        for place in PLACES
        if place.side is not Side.START and not inner_taken.get((place.side, place.half), False)
    )


_PLACE_LISTS: Final = tuple(
    tuple(_spots(left_taken=left, right_taken=right) for right in (False, True)) for left in (False, True)
)


def cool_list(winter: int) -> tuple[Cool, ...]:
    """Return the events of cooling the land, given the set of cards on their winter side."""
    return _COOL_LISTS[winter]


def take_list(row: Sequence[int], bear: int) -> tuple[Action, ...]:
    """Return the cards that can be taken: neither placed yet nor under one's own bear (ruling 2)."""
    closed = 1 << bear >> 1
    for card in row:
        closed |= 1 << (card - 1)
    return _TAKE_LISTS[closed]


def place_list(row: Sequence[int], camps: Sequence[Camp]) -> tuple[Action, ...]:
    """Return the spots for a taken card: an inner half completes a location, which may be occupied (ruling 4)."""
    if not row:
        return _START_LIST
    left_taken = right_taken = False
    for _, card, half in camps:
        if half == 0 and card == row[0]:
            left_taken = True
        elif half == 1 and card == row[-1]:
            right_taken = True
    return _PLACE_LISTS[left_taken][right_taken]


def finished(row: tuple[int, ...]) -> tuple[int, ...]:
    """Return the row with the two cards left over: the lower far left, the higher far right (ruling 7)."""
    low, high = (card for card in CARDS if card not in row)
    return (low, *row, high)


def attacked_camp(camps: Sequence[Camp], bears: Sequence[int]) -> int:
    """Return the index of the last camp on the other seat's bear, -1 if there is none (ruling 3)."""
    for index in range(len(camps) - 1, -1, -1):
        if camps[index].card == bears[1 - camps[index].seat]:
            return index
    return -1


def stays(row: Sequence[int], camps: Sequence[Camp], attacked: int) -> tuple[Stay, ...]:
    """Return the camps in the order they are resolved: the owner of the lowest die first, day before night.

    An attacked camp drops out and the owner's other camp is resolved as a night camp alone (rulings 5, 8, 9).
    """
    first = min(camps, key=_number).seat
    plan: list[Stay] = []
    for seat in (first, Seat(1 - first)):
        own = [camp for index, camp in enumerate(camps) if camp.seat == seat and index != attacked]
        for camp in own:
            at = row.index(camp.card) - (camp.half == Half.LEFT)
            plan.append(Stay(seat, camp is own[-1], row[at], row[at + 1]))
    return tuple(plan)


def next_order(camps: Sequence[Camp]) -> tuple[Seat, ...]:
    """Return the seats of the four camp dice by their numbers, ascending (ruling 17)."""
    return tuple(camp.seat for camp in sorted(camps, key=_number))


def _number(camp: Camp) -> int:
    return camp.card
