"""Rounds of Snowblind: whose turn it is, the weather, what returns to the board, and the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from arena.core.seat import CHANCE, Seat
from arena.games.snowblind.actions import COMPASSES, PACK_ICE, POLE, WEATHERS, ZONES, Action, Compass, PackIce, Weather
from arena.games.snowblind.components import Die
from arena.games.snowblind.exposure import threshold
from arena.games.snowblind.score import outcome
from arena.games.snowblind.state import (
    DICE,
    FACTS,
    FLAG,
    LYING,
    PASSED,
    ROLLS,
    SEATS,
    SLOTS,
    STANDING,
    TRACK,
    Phase,
    SnowblindState,
    Standing,
)
from arena.games.snowblind.turns import begin_turn, end_course

BURIED: Final = 3
"""Pack Ice lies among so many cards at the bottom of the deck."""
ICE: Final = 0
"""Stands for Pack Ice among the cards turned up."""


def legal_compass(state: SnowblindState) -> tuple[Action, ...]:
    """Return every seat as the first holder of the compass."""
    return COMPASSES[: state.seats]


def give_compass(state: SnowblindState, action: Compass) -> None:
    """Begin the first round."""
    state.compass = action.seat
    begin_turn(state, action.seat)


def pass_turn(state: SnowblindState) -> None:
    """Note that the seat is out of the round."""
    state.facts[state.seat * FACTS + PASSED] = 1
    next_turn(state)


def next_turn(state: SnowblindState) -> None:
    """Give the turn to the next who has not passed, or end the round."""
    facts = state.facts
    for step in range(1, state.seats + 1):
        seat = SEATS[(state.seat + step) % state.seats]
        mine = seat * FACTS
        if not facts[mine + PASSED] and facts[mine + STANDING] == Standing.PLAYING:
            begin_turn(state, seat)
            return
    if not state.clockwise(SEATS[0]) or (state.drawn and state.drawn[-1] == ICE):
        finish(state)
        return
    state.phase = Phase.WEATHER
    state.to_act = CHANCE
    end_course(state)


# The weather


def deck(state: SnowblindState) -> Mapping[Action, int]:
    """Return the cards that can be turned up now, with their relative odds.

    Some of all number cards are in the deck, in unknown order, with Pack Ice among its last three cards. In a solo game
    it lies below six known ones.
    """
    solo = state.mode.solo
    cards = state.components.solo_cards if solo else state.components.cards
    left = state.mode.setup.weather + 1 - len(state.drawn)
    return _deck(cards, tuple(sorted(state.drawn)), left - 1 if left <= BURIED and not solo else None)


@cache
def _deck(all_cards: tuple[int, ...], drawn: tuple[int, ...], numbers: int | None) -> Mapping[Action, int]:
    """numbers: how many number cards are left beside Pack Ice once it may come, None before."""
    cards = list(all_cards)
    for number in drawn:
        cards.remove(number)
    buried = numbers is not None
    share = 1 if numbers is None else numbers
    odds: dict[Action, int] = {WEATHERS[n - 1]: share * cards.count(n) for n in sorted(set(cards)) if share}
    if buried:
        odds[PACK_ICE] = max(1, len(cards))
    return odds


def legal_weather(state: SnowblindState) -> tuple[Action, ...]:
    """Return the cards that can be turned up."""
    return tuple(deck(state))


def weights(state: SnowblindState) -> Sequence[int]:
    """Return the odds of each event at a chance ply."""
    if state.phase is Phase.WEATHER:
        return tuple(deck(state).values())
    return (1,) * len(state.legal_actions())


def turn_up(state: SnowblindState, action: Weather | PackIce) -> None:
    """Note the card; a number strikes every expedition under way, from the compass on."""
    if isinstance(action, PackIce):
        state.drawn = (*state.drawn, ICE)
        return
    state.drawn = (*state.drawn, action.number)
    state.struck = tuple(state.clockwise(state.compass))


def strike(state: SnowblindState) -> None:
    """Turn the weather on the next expedition: one hit at most, in its occupied zone nearest the Pole."""
    seat, *rest = state.struck
    state.struck = tuple(rest)
    state.seat = state.to_act = seat
    state.zone = state.hits = 0
    for zone in reversed(ZONES):
        at = seat * TRACK + (zone - 1) * SLOTS
        if any(state.track[at : at + LYING]):
            state.zone = zone
            state.hits = int(state.drawn[-1] >= threshold(state, seat, zone))
            return


# The end of a round and of the game


def close_round(state: SnowblindState) -> None:
    """Return the dice, pass the compass on, see who is finished, and begin the next round or end the game."""
    facts = state.facts
    state.dice[:] = bytes(DICE * (state.seats + 1))
    state.dice[:DICE] = state.mode.dice
    state.faces = [()] * state.seats
    for seat in range(state.seats):
        facts[seat * FACTS + PASSED] = facts[seat * FACTS + ROLLS] = 0
        if not state.mode.solo and facts[seat * FACTS + STANDING] == Standing.PLAYING and is_home(state, SEATS[seat]):
            facts[seat * FACTS + STANDING] = Standing.FINISHED
    holders = [SEATS[(state.compass + step) % state.seats] for step in range(1, state.seats + 1)]
    state.compass = next(seat for seat in holders if state.standing(seat) is not Standing.ELIMINATED)
    playing = state.clockwise(state.compass)
    if not playing or (state.mode.solo and state.round == len(state.components.solo_cards)):
        finish(state)
        return
    state.round += 1
    if len(playing) + len(state.fallen) < state.seats:
        for seat in playing[: state.dice[Die.GREY_D8]]:
            state.dice[(seat + 1) * DICE + Die.GREY_D8] = 1
            state.dice[Die.GREY_D8] -= 1
    begin_turn(state, playing[0])


def is_home(state: SnowblindState, seat: Seat) -> bool:
    """Return whether the flag stands at the Pole and every surviving explorer, lying or not, at the ship."""
    if state.facts[seat * FACTS + FLAG] != POLE:
        return False
    ship = state.mode.setup.ship
    starts = ((zone, state.start(seat, zone)) for zone in ZONES)
    return not any(any(state.track[at : at + 2 * LYING]) for zone, at in starts if zone != ship)


def finish(state: SnowblindState) -> None:
    """End the game."""
    state.phase = Phase.OVER
    state.to_act = None
    state.outcome = outcome(state)
