"""Payments in Frost Shelter: which cards a price takes, and what is left for the payer to choose."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

from arena.games.frost_shelter.actions import PAYS, RESOURCES, VALUES, Action, Pay, Resource
from arena.games.frost_shelter.components import Cost, Price
from arena.games.frost_shelter.phases import Phase, What

if TYPE_CHECKING:
    from arena.games.frost_shelter.rules import State

_ALL_VALUES = (1 << VALUES) - 1


class Bill(NamedTuple):
    """What is still to be paid: cards of a free price, resources that DIFFERENT has used up (a set), and for what."""

    price: Price
    due: int
    paid: int
    purpose: Phase


def count(colony: int, resource: int) -> int:
    """Return the number of cards of a resource in a set of cards."""
    return (colony >> VALUES * resource & _ALL_VALUES).bit_count()


def affordable(colony: int, cost: Cost, relic: int) -> bool:
    """Say whether a colony can pay a cost; a card pays for one thing only."""
    firm = 0
    for resource, number in cost.named[relic]:
        if count(colony, resource) < number:
            return False
        firm += number
    if cost.free is None:
        return True
    if cost.free == Price.ANY:
        return colony.bit_count() >= firm + cost.due
    counts = [count(colony, resource) for resource in RESOURCES]
    if cost.free == Price.SAME:
        return max(counts) >= cost.due
    return sum(number > 0 for number in counts) >= cost.due


def charge(state: State, cost: Cost, purpose: Phase) -> None:
    """Take the cards of the acting seat's colony, lowest first, asking where the resource is open (ruling 10).

    Afterwards the phase `purpose` goes on.
    """
    for resource, number in cost.named[state.relic]:
        for _ in range(number):
            _spend_lowest(state, resource)
    if cost.free is None:
        state.enter(purpose)
    else:
        state.bill = Bill(cost.free, cost.due, 0, purpose)
        settle(state)


def settle(state: State) -> None:
    """Pay all that leaves no choice; ask for the resource of the next card where there is one."""
    bill = state.bill
    while bill is not None and bill.due:
        choices = _payable(state, bill)
        if len(choices) > 1 and not _all_go(state, bill, choices):
            state.bill = bill
            state.phase = Phase.PAYMENT
            return
        bill = _pay(state, bill, choices[0])
    state.bill = None
    if bill is not None:
        state.enter(bill.purpose)


def payments(state: State) -> tuple[Action, ...]:
    """Return the resources that the next card may be of."""
    return tuple(PAYS[resource] for resource in _payable(state, cast(Bill, state.bill)))


def pay_one(state: State, action: Pay) -> None:
    """Pay the lowest card of the resource (all of them where the price says same), then what leaves no choice."""
    state.bill = _pay(state, cast(Bill, state.bill), action.resource)
    settle(state)


def _payable(state: State, bill: Bill) -> list[Resource]:
    colony = _colony(state)
    least = bill.due if bill.price == Price.SAME else 1
    return [kind for kind in RESOURCES if count(colony, kind) >= least and not bill.paid >> kind & 1]


def _all_go(state: State, bill: Bill, choices: list[Resource]) -> bool:
    """Say whether every order of paying ends in the same payment."""
    if bill.price == Price.ANY:
        return _colony(state).bit_count() == bill.due
    return bill.price == Price.DIFFERENT and len(choices) == bill.due


def _pay(state: State, bill: Bill, resource: Resource) -> Bill:
    if bill.price == Price.SAME:
        for _ in range(bill.due):
            _spend_lowest(state, resource)
        return bill._replace(due=0)
    _spend_lowest(state, resource)
    paid = bill.paid | 1 << resource if bill.price == Price.DIFFERENT else 0
    return bill._replace(due=bill.due - 1, paid=paid)


def _spend_lowest(state: State, resource: int) -> None:
    seat = cast(int, state.to_act)
    cards = state.colonies[seat] & _ALL_VALUES << VALUES * resource
    bit = cards & -cards
    state.colonies[seat] ^= bit
    state.spent |= bit
    state.record(What.PAID, seat, bit.bit_length() - 1)


def _colony(state: State) -> int:
    return state.colonies[cast(int, state.to_act)]
