"""Chance in Frost Shelter: odds, and draws that are named by what they are for."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from arena.core import Stream, pick_weighted
from arena.games.frost_shelter.actions import Action, DealEquipment, RevealRelic
from arena.games.frost_shelter.deal import relics_left
from arena.games.frost_shelter.phases import Phase

if TYPE_CHECKING:
    from arena.games.frost_shelter.rules import State


def weights(state: State) -> list[int]:
    """Return the odds of the legal actions of chance: cards of each kind that are left."""
    return [_cards_left(state, action) for action in state.legal_actions()]


def draw(state: State, stream: Stream) -> Action:
    """Return chance's action, by a label that names the card and never what was played before."""
    legal = state.legal_actions()
    if state.phase is Phase.EQUIPMENT or state.phase is Phase.RELIC:
        return pick_weighted(stream, label(state), legal, weights(state))
    return legal[stream.below(len(legal), label(state))]


def label(state: State) -> str:
    """Return the name of what chance draws now, such as "event 2/seat 0/card 7"."""
    number = len(state.revealed)
    if state.phase is Phase.DEAL:
        # By far the most frequent.
        return _card_label(number, state.pos, state.components.hands[state.seats])
    match state.phase:
        case Phase.FIRST_LEADER:
            return "first leader"
        case Phase.EQUIPMENT:
            return f"equipment/seat {state.pos}"
        case Phase.EVENT:
            return f"event {number + 1}"
        case _:
            return f"event {number}/relic"


@cache
def _card_label(event: int, dealt: int, hand: int) -> str:
    seat, card = divmod(dealt, hand)
    return f"event {event}/seat {seat}/card {card + 1}"


def _cards_left(state: State, action: Action) -> int:
    match action:
        case DealEquipment(piece):
            return state.row(piece)
        case RevealRelic(resource):
            return relics_left(state, resource)
        case _:
            return 1
