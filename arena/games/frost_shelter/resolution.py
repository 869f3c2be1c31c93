"""Event resolution of Frost Shelter: Frost Bite and Chests, defence options, Tarps, Hibernation, damage, Infirmary."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from arena.games.frost_shelter import purchases
from arena.games.frost_shelter.actions import (
    DECLINE,
    DEFENCES,
    HEAL,
    SEATS,
    USES,
    Action,
    Decline,
    Defend,
    Heal,
    Piece,
    UsePiece,
)
from arena.games.frost_shelter.payment import affordable, charge
from arena.games.frost_shelter.phases import Phase, What

if TYPE_CHECKING:
    from arena.games.frost_shelter.components import EventCard
    from arena.games.frost_shelter.rules import State


def begin(state: State) -> None:
    """Let the seats resolve one after the other, clockwise from the winner of the last trick (ruling 9)."""
    state.pos = 0
    _next_seat(state)


def chests(_state: State) -> tuple[Action, ...]:
    """Return using a Chest, and declining."""
    return (USES[Piece.CHEST], DECLINE)


def use_chest(state: State, action: UsePiece | Decline) -> None:
    """Let the Chest take in cards that are too many, or let Frost Bite come; any number of Chests (ruling 8)."""
    if isinstance(action, UsePiece):
        state.kit[3 * _resolving(state) + Piece.CHEST] -= 1
        state.excess = max(0, state.excess - state.components.equipment[Piece.CHEST].effect)
        _ask_chest(state)
    else:
        _frost_bite(state)


def ask_defence(state: State) -> None:
    """Ask for a defence option while one can be paid and damage is left to prevent, then go on to Tarps."""
    if state.pending:
        legal = defences(state)
        if len(legal) > 1:
            state.phase = Phase.DEFENCE
            state.legal = legal
            return
    _ask_tarp(state)


def defences(state: State) -> tuple[Action, ...]:
    """Return the options the seat has not used and can pay, and leaving it at that (ruling 10)."""
    colony = state.colonies[_resolving(state)]
    used, relic = state.options_used, state.relic
    legal: list[Action] = [
        DEFENCES[place]
        for place, option in enumerate(_event(state).options)
        if not used >> place & 1 and affordable(colony, option.cost, relic)
    ]
    legal.append(DECLINE)
    return tuple(legal)


def defend(state: State, action: Defend | Decline) -> None:
    """Pay for the option and prevent its damage, or leave it at that."""
    if isinstance(action, Defend):
        option = _event(state).options[action.option]
        state.options_used |= 1 << action.option
        state.pending = max(0, state.pending - option.prevents)
        charge(state, option.cost, Phase.DEFENCE)
    else:
        _ask_tarp(state)


def tarps(_state: State) -> tuple[Action, ...]:
    """Return using a Tarp, and declining."""
    return (USES[Piece.TARP], DECLINE)


def use_tarp(state: State, action: UsePiece | Decline) -> None:
    """Prevent some of the Event's damage with the Tarp, or let it come."""
    if isinstance(action, UsePiece):
        state.kit[3 * _resolving(state) + Piece.TARP] -= 1
        state.pending = max(0, state.pending - state.components.equipment[Piece.TARP].effect)
        _ask_tarp(state)
    else:
        _suffer(state)


def ask_infirmary(state: State) -> None:
    """Offer the Infirmary while there is damage and it can be paid, then let the next seat resolve (ruling 12)."""
    seat = _resolving(state)
    if state.damage[seat] and affordable(state.colonies[seat], state.components.infirmary_cost, state.relic):
        state.phase = Phase.INFIRMARY
        return
    state.pos += 1
    _next_seat(state)


def treatments(_state: State) -> tuple[Action, ...]:
    """Return healing, and declining."""
    return (HEAL, DECLINE)


def heal(state: State, action: Heal | Decline) -> None:
    """Pay the Infirmary and heal, or let the next seat resolve."""
    if isinstance(action, Heal):
        seat = _resolving(state)
        state.damage[seat] = max(0, state.damage[seat] - state.components.infirmary_heals)
        charge(state, state.components.infirmary_cost, Phase.INFIRMARY)
    else:
        state.pos += 1
        _next_seat(state)


def _next_seat(state: State) -> None:
    state.options_used = 0
    state.excess = 0
    state.pending = 0
    if state.pos == state.seats:
        purchases.begin(state)
        return
    seat = _resolving(state)
    state.to_act = SEATS[seat]
    event = _event(state)
    state.excess = max(0, state.colonies[seat].bit_count() - event.necessary)
    state.pending = event.damage
    _ask_chest(state)


def _ask_chest(state: State) -> None:
    if state.excess and state.kit[3 * _resolving(state) + Piece.CHEST]:
        state.phase = Phase.CHEST
    else:
        _frost_bite(state)


def _frost_bite(state: State) -> None:
    if state.excess:
        _hurt(state, What.FROST_BITE, state.excess * state.components.course.frost_bite)
        state.excess = 0
    ask_defence(state)


def _ask_tarp(state: State) -> None:
    if state.pending and state.kit[3 * _resolving(state) + Piece.TARP]:
        state.phase = Phase.TARP
    else:
        _suffer(state)


def _suffer(state: State) -> None:
    seat = _resolving(state)
    # A colony that is empty with no option used was empty from the start (ruling 11).
    if not state.colonies[seat] and not state.options_used and not state.expeditions >> seat & 1:
        prevented = min(state.pending, state.components.course.hibernation)
        state.pending -= prevented
        state.record(What.HIBERNATION, seat, prevented)
    _hurt(state, What.SUFFERED, state.pending)
    state.pending = 0
    ask_infirmary(state)


def _hurt(state: State, what: What, damage: int) -> None:
    seat = _resolving(state)
    state.record(what, seat, damage)
    state.damage[seat] += damage
    if damage:
        state.hurt |= 1 << seat


def _resolving(state: State) -> int:
    return (state.leader + state.pos) % state.seats


def _event(state: State) -> EventCard:
    # There is one from the first reveal on.
    return cast("EventCard", state.event)
