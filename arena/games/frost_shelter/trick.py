"""Tricks of Frost Shelter: Harpoons before the first, playing, who wins, winnings, Expeditions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.games.frost_shelter.actions import (
    DECLINE,
    HARPOONS,
    SEATS,
    VALUES,
    Action,
    Decline,
    Piece,
    PlayCard,
    TakeCard,
    UseHarpoon,
    expeditions_from,
    plays_from,
    takes_from,
)
from arena.games.frost_shelter.phases import Phase, What

if TYPE_CHECKING:
    from arena.games.frost_shelter.rules import State

_ALL_VALUES = (1 << VALUES) - 1
_ONE_AND_TEN = 1 | 1 << VALUES - 1


def ask_harpoons(state: State) -> None:
    """Ask the next seat clockwise from the Leader that holds a Harpoon; one pass (ruling 7)."""
    while state.pos < state.seats:
        seat = (state.leader + state.pos) % state.seats
        if state.kit[3 * seat + Piece.HARPOON]:
            state.ask(Phase.HARPOON, SEATS[seat])
            return
        state.pos += 1
    state.enter(Phase.PLAY)


def harpoons(state: State) -> tuple[Action, ...]:
    """Return each resource that is not the Relic now, and declining."""
    return (*(action for action in HARPOONS if action.resource != state.relic), DECLINE)


def use_harpoon(state: State, action: UseHarpoon | Decline) -> None:
    """Change the Relic and put the Harpoon back into the row, or leave it; the next seat is asked."""
    if isinstance(action, UseHarpoon):
        state.relic = action.resource
        state.kit[3 * ((state.leader + state.pos) % state.seats) + Piece.HARPOON] -= 1
    state.pos += 1
    ask_harpoons(state)


def open_trick(state: State) -> None:
    """Let the Leader open a trick."""
    state.trick = ()
    state.ask(Phase.PLAY, SEATS[state.leader])


def plays(state: State) -> tuple[Action, ...]:
    """Return any card of the hand, for followers also on Expedition once an Event (rulings 1 and 2)."""
    seat = (state.leader + len(state.trick)) % state.seats
    hand = state.hands[seat]
    if not state.trick or state.expeditions >> seat & 1:
        return plays_from(hand)
    return plays_from(hand) + expeditions_from(hand)


def play(state: State, action: PlayCard) -> None:
    """Lay the card into the trick; the last card decides it."""
    seat = (state.leader + len(state.trick)) % state.seats
    bit = 1 << action.card
    state.hands[seat] ^= bit
    state.table |= bit
    state.trick += (action,)
    if action.expedition:
        state.expeditions |= 1 << seat
    if len(state.trick) < state.seats:
        state.to_act = SEATS[(seat + 1) % state.seats]
    else:
        state.enter(Phase.TAKE)


def strongest(values: int) -> int:
    """Return the place of the highest of some values of one resource (bit n: value n + 1); 1 beats 10."""
    return 0 if values & _ONE_AND_TEN == _ONE_AND_TEN else values.bit_length() - 1


def winning_card(trick: tuple[PlayCard, ...], relic: int) -> int:
    """Return the card that wins: the highest Relic, else the highest of the led resource (rulings 2 and 3)."""
    competing = 0
    for laid in trick:
        if not laid.expedition:
            competing |= 1 << laid.card
    suit = relic
    if not competing >> VALUES * suit & _ALL_VALUES:
        suit = trick[0].card // VALUES
    return VALUES * suit + strongest(competing >> VALUES * suit & _ALL_VALUES)


def ask_winner(state: State) -> None:
    """Find the winner and let it choose its cards among those of the trick."""
    card = winning_card(state.trick, state.relic)
    place = [laid.card for laid in state.trick].index(card)
    state.winner = (state.leader + place) % state.seats
    state.record(What.WON, state.winner, card)
    state.left = state.components.winnings[state.seats]
    if state.left == state.seats:
        state.colonies[state.winner] |= state.table
        _clear_table(state, 0)
    else:
        state.ask(Phase.TAKE, SEATS[state.winner])


def winnings(state: State) -> tuple[Action, ...]:
    """Return the cards of the trick that the winner may take next."""
    return takes_from(state.table)


def take_winnings(state: State, action: TakeCard) -> None:
    """Add the card to the winner's colony; after the last one the leftovers go to the pool."""
    bit = 1 << action.card
    state.table ^= bit
    state.colonies[state.winner] |= bit
    state.left -= 1
    if not state.left:
        _clear_table(state, state.table)


def ask_expeditions(state: State) -> None:
    """Ask the next seat clockwise from the Leader that is on Expedition; then the trick is over (ruling 4)."""
    while state.pos < state.seats and state.pool:
        if state.trick[state.pos].expedition:
            state.left = state.components.course.expedition
            state.ask(Phase.EXPEDITION, SEATS[(state.leader + state.pos) % state.seats])
            return
        state.pos += 1
    _end_trick(state)


def picks(state: State) -> tuple[Action, ...]:
    """Return the cards of the pool, and stopping."""
    return (*takes_from(state.pool), DECLINE)


def pick(state: State, action: TakeCard | Decline) -> None:
    """Add the card to the colony; after the last one, or on stopping, the next seat is asked."""
    if isinstance(action, TakeCard):
        bit = 1 << action.card
        state.pool ^= bit
        state.colonies[(state.leader + state.pos) % state.seats] |= bit
        state.left -= 1
        if state.left and state.pool:
            return
    state.left = 0
    state.pos += 1
    ask_expeditions(state)


def _clear_table(state: State, leftovers: int) -> None:
    state.pool |= leftovers
    state.table = 0
    state.left = 0
    state.pos = 0
    ask_expeditions(state)


def _end_trick(state: State) -> None:
    state.leader = state.winner
    state.winner = -1
    state.trick = ()
    state.pos = 0
    if state.hands[state.leader]:
        state.enter(Phase.PLAY)
    else:
        state.enter(Phase.CHEST)
