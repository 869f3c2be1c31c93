"""What is played for a seat that has forfeited: the action that touches the others least, fixed for each phase."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.games.frost_shelter.actions import (
    DECLINE,
    LEADERS,
    PLAYS,
    TAKES,
    VALUES,
    Action,
    cards_in,
    resource_of,
    value_of,
)
from arena.games.frost_shelter.phases import Phase

if TYPE_CHECKING:
    from arena.games.frost_shelter.rules import State


def default_action(state: State) -> Action:
    """Return the default of the phase.

    Naming the Leader: whoever was the last. Leading and following: the lowest card that cannot win, else the
    lowest, without the Expedition. Winnings: the lowest card. Payments under way: the first resource that is open.
    Everything else, from Harpoon to purchases: declined.
    """
    match state.phase:
        case Phase.LEADER:
            return LEADERS[state.leader]
        case Phase.PLAY:
            seat = (state.leader + len(state.trick)) % state.seats
            led = state.trick[0].card // VALUES if state.trick else state.relic
            return PLAYS[min(cards_in(state.hands[seat]), key=lambda card: _strength(card, led, state.relic))]
        case Phase.TAKE:
            return TAKES[min(cards_in(state.table), key=lambda card: (value_of(card), card))]
        case Phase.PAYMENT:
            return state.legal_actions()[0]
        case _:
            return DECLINE


def _strength(card: int, led: int, relic: int) -> tuple[bool, int, int]:
    return resource_of(card) in (led, relic), value_of(card), card
