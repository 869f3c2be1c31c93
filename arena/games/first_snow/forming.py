"""The first half of a round of First Snow: chance, the bears, and the landscape with its camps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.core.seat import CHANCE, Seat
from arena.games.first_snow import landscape
from arena.games.first_snow.actions import Cool, FirstSeat, Place, SetBear, Side, TakeCard
from arena.games.first_snow.events import Encounter, Finish
from arena.games.first_snow.landscape import CAMPS, Camp
from arena.games.first_snow.phases import Phase
from arena.games.first_snow.resolving import arrive

if TYPE_CHECKING:
    from arena.games.first_snow.rules import FirstSnowState


def first_seat(state: FirstSnowState, action: FirstSeat) -> None:
    """Fix the order A, B, B, A of the first round and ask for the first winter card (rulebook, Setup)."""
    first, second = action.seat, Seat(1 - action.seat)
    state.order = (first, second, second, first)
    state.phase = Phase.COOL
    state.to_act = CHANCE


def cool(state: FirstSnowState, action: Cool) -> None:
    """Flip a card and begin the next round with the secret choice of the bears."""
    state.winter |= 1 << (action.card - 1)
    state.bears = (0, 0)
    state.row = ()
    state.camps = ()
    state.attacked = -1
    state.plan = ()
    state.stage = 0
    state.phase = Phase.BEAR
    state.to_act = Seat(0)


def set_bear(state: FirstSnowState, action: SetBear) -> None:
    """Set the bear of the seat; once both are set the first card is asked for."""
    if state.seat == 0:
        state.bears = (action.card, 0)
        state.to_act = Seat(1)
    else:
        state.bears = (state.bears[0], action.card)
        state.phase = Phase.TAKE
        state.to_act = state.order[0]


def take(state: FirstSnowState, action: TakeCard) -> None:
    """Pick the card that joins the landscape next."""
    state.taken = action.card
    state.phase = Phase.PLACE


def place(state: FirstSnowState, action: Place) -> None:
    """Add the card with a camp on it, check for the bear, and finish the landscape after the fourth camp."""
    seat = state.seat
    card = state.taken
    state.taken = 0
    state.row = (card, *state.row) if action.side is Side.LEFT else (*state.row, card)
    state.camps = (*state.camps, Camp(seat, card, action.half))
    if card == state.bears[1 - seat]:
        state.attacked = len(state.camps) - 1
        state.note(Encounter(seat, card))
    if len(state.camps) < CAMPS:
        state.phase = Phase.TAKE
        state.to_act = state.order[len(state.camps)]
    else:
        _finish(state)


def _finish(state: FirstSnowState) -> None:
    state.row = landscape.finished(state.row)
    state.plan = landscape.stays(state.row, state.camps, state.attacked)
    attacked_card = state.camps[state.attacked].card if state.attacked >= 0 else 0
    state.note(Finish(state.row, state.bears, attacked_card))
    arrive(state)
