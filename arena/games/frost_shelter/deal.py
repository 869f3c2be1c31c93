"""How an Event of Frost Shelter begins: first Leader, first pieces, Event, Relic, hands, naming the Leader."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.core import CHANCE
from arena.games.frost_shelter.actions import (
    EQUIPMENT,
    EVENTS,
    LEADERS,
    RELICS,
    SEATS,
    Action,
    DealCard,
    DealEquipment,
    NameLeader,
    RevealEvent,
    RevealRelic,
    deals_from,
)
from arena.games.frost_shelter.phases import Phase

if TYPE_CHECKING:
    from arena.games.frost_shelter.rules import State


def receiver(state: State) -> int:
    """Return the seat that gets what chance deals next, -1 if it is for all."""
    if state.phase == Phase.DEAL:
        return state.pos // state.components.hands[state.seats]
    return state.pos if state.phase == Phase.EQUIPMENT else -1


def first_leaders(state: State) -> tuple[Action, ...]:
    """Return the seats that may lead first: any (ruling 6)."""
    return LEADERS[: state.seats]


def set_first_leader(state: State, action: NameLeader) -> None:
    """Give the Leader card and deal the first pieces of equipment."""
    state.leader = action.seat
    state.pos = 0
    state.ask(Phase.EQUIPMENT, CHANCE)


def first_pieces(state: State) -> tuple[Action, ...]:
    """Return the kinds of piece that the next seat may be dealt: Tarp or Chest."""
    return tuple(action for action in EQUIPMENT if state.row(action.piece))


def give_piece(state: State, action: DealEquipment) -> None:
    """Give the piece to the next seat."""
    state.kit[3 * state.pos + action.piece] += 1
    state.pos += 1
    if state.pos == state.seats:
        state.enter(Phase.EVENT)


def next_event(state: State) -> None:
    """Begin the next Event."""
    state.ask(Phase.EVENT, CHANCE)


def coming_events(state: State) -> tuple[Action, ...]:
    """Return the Event cards that were not revealed yet."""
    return tuple(EVENTS[n] for n in range(len(state.components.events)) if n not in state.revealed)


def reveal_event(state: State, action: RevealEvent) -> None:
    """Reveal the Event; its Relic comes next."""
    state.revealed += (action.index,)
    state.event = state.components.events[action.index]
    state.ask(Phase.RELIC, CHANCE)


def relics_left(state: State, resource: int) -> int:
    """Return how many Relic cards of a resource are still in their deck."""
    return state.components.relics[resource] - state.relics.count(resource)


def coming_relics(state: State) -> tuple[Action, ...]:
    """Return the resources whose Relic card may be revealed."""
    return tuple(action for action in RELICS if relics_left(state, action.resource))


def reveal_relic(state: State, action: RevealRelic) -> None:
    """Reveal the Relic; the hands are dealt next, from the whole deck (reconstructed rule)."""
    state.relics += (action.resource,)
    state.relic = action.resource
    state.pos = 0
    state.ask(Phase.DEAL, CHANCE)


def coming_cards(state: State) -> tuple[Action, ...]:
    """Return the cards that may be dealt next."""
    if state.deals is None:
        state.deals = deals_from(state.undealt())
    return state.deals


def give_card(state: State, action: DealCard) -> None:
    """Deal the card: seat by seat, each a whole hand."""
    hand = state.components.hands[state.seats]
    bit = 1 << action.card
    if state.deals is not None:
        # While hands are dealt, cards are in hands only: what is left without this card stands where it stood.
        left = state.components.deck - sum(state.hands)
        at = (left & bit - 1).bit_count()
        state.deals = state.deals[:at] + state.deals[at + 1 :]
    state.hands[state.pos // hand] |= bit
    state.pos += 1
    if state.pos == hand * state.seats:
        state.deals = None
        state.enter(Phase.LEADER)


def ask_leader(state: State) -> None:
    """Ask the most damaged seat for the Leader, from the second Event on (ruling 6)."""
    state.pos = 0
    if len(state.revealed) == 1:
        state.enter(Phase.HARPOON)
        return
    chooser = min(range(state.seats), key=lambda seat: (-state.damage[seat], state.after_leader(seat)))
    state.ask(Phase.LEADER, SEATS[chooser])


def possible_leaders(state: State) -> tuple[Action, ...]:
    """Return every seat: the most damaged one may name anybody, itself too."""
    return LEADERS[: state.seats]


def set_leader(state: State, action: NameLeader) -> None:
    """Give the Leader card to the named seat; Harpoons come next."""
    state.leader = action.seat
    state.enter(Phase.HARPOON)
