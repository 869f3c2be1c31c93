"""What the policy looks at: a First Snow state as a short list of numbers, from one seat's side."""

from __future__ import annotations

import numpy as np

from arena.games.first_snow.components import Half, Resource, Tool, half_index

ROUNDS = 6
KINDS = tuple(Resource)
TOOLS = tuple(Tool)
COAT = 1 << Tool.COAT
OF_A_SEAT = 4 * len(KINDS) + 2 * len(TOOLS) + 3
SIZE = 2 + 2 * OF_A_SEAT


def features(state, seat):
    """Return an array of shape (SIZE,): a constant and the lead, then this seat's side, then the other's."""
    lead = state.scores[seat] - state.scores[1 - seat]
    numbers = [1.0, lead, *_side(state, seat), *_side(state, 1 - seat)]
    return np.array(numbers, dtype=np.float32)


def _side(state, seat):
    """Return what a seat carries, early and late in the game, and what its camps and its taken card promise."""
    tools = state.good[seat] | state.damaged[seat]
    left = (ROUNDS - state.round) / ROUNDS
    carried = _counts(state.pools[seat])
    promised, night, snow = [0.0] * len(KINDS), [0.0] * len(KINDS), 0.0
    for number, camp in enumerate(mine for mine in state.camps if mine.seat == seat):
        if len(state.camps) == 4 and not _is_ahead(state, seat, number):
            continue
        place = half_index(camp.card, camp.half, winter=_is_winter(state, camp.card))
        into = night if number else promised
        for kind, many in enumerate(_counts(state.components.access[place][tools])):
            into[kind] += many
        snow += number * state.components.demand[place][bool(tools & COAT)]
    card = state.taken if state.taken and state.to_act == seat else 0
    best = max((sum(_counts(_reach(state, card, half, tools))) for half in Half), default=0) if card else 0
    bear = state.bears[seat]
    refused = max(sum(_counts(_reach(state, bear, half, tools))) for half in Half) if bear and not state.camps else 0
    return [
        *carried,
        *(many * left for many in carried),
        *promised,
        *night,
        *(state.good[seat] >> tool & 1 for tool in TOOLS),
        *((state.damaged[seat] >> tool & 1) * (0.5 + left) for tool in TOOLS),
        snow,
        best,
        refused,
    ]


def _is_ahead(state, seat, number):
    """Return whether this camp of the seat (0: day, 1: night) is still to come; what it is at, it has gathered."""
    return any(stay.seat == seat and stay.night == bool(number) for stay in state.plan[state.stage + 1 :])


def _is_winter(state, card):
    return bool(state.winter >> (card - 1) & 1)


def _reach(state, card, half, tools):
    return state.components.access[half_index(card, half, winter=_is_winter(state, card))][tools]


def _counts(pool):
    return [pool >> 8 * kind & 0xFF for kind in KINDS]
