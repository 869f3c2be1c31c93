"""Buying equipment in Frost Shelter, cleaning up after an Event, and the end of the game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.core import Outcome
from arena.games.frost_shelter.actions import (
    BUYS,
    DECLINE,
    RESOURCES,
    SEATS,
    Action,
    Buy,
    Decline,
    cards_in,
    resource_of,
    value_of,
)
from arena.games.frost_shelter.payment import affordable, charge
from arena.games.frost_shelter.phases import Phase, What

if TYPE_CHECKING:
    from arena.games.frost_shelter.rules import State


def begin(state: State) -> None:
    """Let who took damage buy, most damaged first (ruling 13); after the last Event the game ends instead."""
    state.pos = 0
    if len(state.revealed) == state.components.course.events:
        _finish(state)
        return
    buyers = [seat for seat in range(state.seats) if state.hurt >> seat & 1]
    buyers.sort(key=lambda seat: (-state.damage[seat], state.after_leader(seat)))
    state.order = tuple(buyers)
    _ask(state)


def ask_buyer(state: State) -> None:
    """Go on after a purchase: the next buyer is asked."""
    state.pos += 1
    _ask(state)


def offers(state: State) -> tuple[Action, ...]:
    """Return the pieces in the row that the buyer can pay, and declining."""
    colony = state.colonies[state.order[state.pos % len(state.order)]]
    equipment = state.components.equipment
    legal: list[Action] = [
        buy for buy in BUYS if state.row(buy.piece) and affordable(colony, equipment[buy.piece].cost, state.relic)
    ]
    legal.append(DECLINE)
    return tuple(legal)


def buy(state: State, action: Buy | Decline) -> None:
    """Pay for a piece and take it, or pass this time."""
    if isinstance(action, Buy):
        state.kit[3 * state.order[state.pos % len(state.order)] + action.piece] += 1
        charge(state, state.components.equipment[action.piece].cost, Phase.PURCHASE)
    else:
        ask_buyer(state)


def _ask(state: State) -> None:
    while state.pos < len(state.order) * state.components.course.purchases:
        legal = offers(state)
        if len(legal) > 1:
            state.ask(Phase.PURCHASE, SEATS[state.order[state.pos % len(state.order)]])
            state.legal = legal
            return
        state.pos += 1
    _clean_up(state)


def _clean_up(state: State) -> None:
    state.record(What.CLEANUP, -1, len(state.revealed))
    state.event = None
    state.relic = -1
    state.colonies = [0] * state.seats
    state.pool = 0
    state.spent = 0
    state.expeditions = 0
    state.hurt = 0
    state.order = ()
    state.pos = 0
    state.enter(Phase.EVENT)


def _finish(state: State) -> None:
    state.phase = Phase.OVER
    state.to_act = None
    state.outcome = final_outcome(state.damage, state.colonies, state.relic)


def final_outcome(damage: list[int], colonies: list[int], relic: int) -> Outcome:
    """Rank by least damage, then the values left in the colony, then those of the last Relic (ruling 15).

    The scores are the damage. The reason is what singled out the winner: "damage", "resources" or "relic"; or it
    is "shared".
    """
    keys = []
    for hurt, colony in zip(damage, colonies, strict=True):
        cards = cards_in(colony)
        of_relic = [value_of(card) for card in cards if resource_of(card) == RESOURCES[relic]]
        keys.append((hurt, -sum(map(value_of, cards)), -sum(of_relic)))
    ranks = tuple(1 + sum(other < key for other in keys) for key in keys)
    best, second, *_ = sorted(keys)
    differ = [
        word
        for word, mine, theirs in zip(("damage", "resources", "relic"), best, second, strict=True)
        if mine != theirs
    ]
    return Outcome(ranks, tuple(damage), differ[0] if differ else "shared")
