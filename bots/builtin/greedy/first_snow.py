"""What Greedy thinks of a First Snow position: points made, points in sight this round, and what is carried."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from operator import add
from typing import Final, TypeAlias

from arena.core.seat import Seat
from arena.games.first_snow.components import CARDS, FOOD, Half, Resource, Tool, half_index
from arena.games.first_snow.landscape import CAMPS, Camp, Stay
from arena.games.first_snow.phases import Phase
from arena.games.first_snow.rules import FirstSnowState

Counts: TypeAlias = Sequence[float]
"""Expected pieces of each resource, in the order of Resource."""

ROUNDS: Final = 6
BEAR_WORTH: Final = 0.5
"""Points that a bear is worth for each point by which the other seat wants its card more."""
_PIECE_WORTHS: Final = (0.75, 0.75, 0.75, 0.75, 1.4, 0.6, 0.6)
"""Points that one carried piece of each resource is worth, in the order of Resource; found by trying."""
_TOOL_WORTHS: Final = (1.15, 1.25, 1.1, 1.2, 1.2)
"""The same for each tool, in the order of Tool."""
_COAT: Final = 1 << Tool.COAT
_KINDS: Final = range(len(Resource))
_MOST_USEFUL_FIRST: Final = tuple(sorted(_KINDS, key=lambda kind: -_PIECE_WORTHS[kind]))


def evaluate(state: FirstSnowState, seat: Seat) -> float:
    """Return the lead that the seat can expect, in points."""
    other = Seat(1 - seat)
    if state.outcome is not None:
        return state.scores[seat] - state.scores[other] + (0.5 if state.outcome.ranks[seat] == 1 else -0.5)
    if state.phase is Phase.PLACE:
        return _best_place(state, seat)
    lead = _worth(state, seat) - _worth(state, other)
    if state.phase in (Phase.BEAR, Phase.TAKE) and not state.camps:
        lead += BEAR_WORTH * (_bear_worth(state, seat) - _bear_worth(state, other))
    return lead


def _best_place(state: FirstSnowState, seat: Seat) -> float:
    """Return the value of the spot that the owner of the taken card will like best."""
    values: list[float] = []
    for action in state.legal_actions():
        after = state.copy()
        after.apply(action)
        values.append(evaluate(after, seat))
    return max(values) if state.to_act == seat else min(values)


def _bear_worth(state: FirstSnowState, owner: Seat) -> float:
    """Return how much more the other seat wants the card under the owner's bear than the owner does."""
    card = state.bears[owner]
    if not card:
        return 0.0
    return _appeal(state, Seat(1 - owner), card) - _appeal(state, owner, card)


def _appeal(state: FirstSnowState, seat: Seat, card: int) -> float:
    return max(_pieces_worth(_half_counts(state, seat, card, half)) for half in Half)


def _worth(state: FirstSnowState, seat: Seat) -> float:
    """Return the seat's points and what it can expect from this round's camps and from what it carries."""
    counts = _counts(state.pools[seat])
    score: float = state.scores[seat]
    for night, gathered, demand in _visits(state, seat):
        if gathered is not None:
            counts = [*map(add, counts, gathered)]
        if night:
            points, counts = _night(state, counts, demand)
            score += points
        else:
            counts = _trim(state, seat, counts)
    return score + _carried_worth(state, seat, counts)


def _visits(state: FirstSnowState, seat: Seat) -> Iterable[tuple[bool, Counts | None, float]]:
    """Yield (night, what is gathered, snow that counts) for each camp of the seat still to be resolved this round.

    Nothing is gathered where the seat has begun the camp already; a night camp that is scored is left out.
    """
    if len(state.camps) < CAMPS:
        yield from _planned(state, seat)
        return
    for stay in state.plan[state.stage :]:
        if stay.seat != seat:
            continue
        if stay is state.stay:
            if stay.night and state.phase is Phase.FOOD:
                yield True, None, _stay_demand(state, stay)
            elif not stay.night:
                yield False, None, 0.0
        else:
            yield stay.night, _stay_counts(state, stay), _stay_demand(state, stay)


def _planned(state: FirstSnowState, seat: Seat) -> Iterable[tuple[bool, Counts, float]]:
    attacked = state.camps[state.attacked] if state.attacked >= 0 else None
    own = [camp for camp in state.camps if camp.seat == seat]
    for number, camp in enumerate(own):
        if camp is attacked:
            continue
        night = number == 1 or (len(own) == 2 and attacked is own[1])
        yield night, *_camp_outlook(state, seat, camp)


def _camp_outlook(state: FirstSnowState, seat: Seat, camp: Camp) -> tuple[Counts, float]:
    """Return what the camp's location will hold, the mean over the cards that can complete it."""
    at = state.row.index(camp.card) + (1 if camp.half == Half.RIGHT else -1)
    if 0 <= at < len(state.row):
        neighbours: Sequence[int] = (state.row[at],)
    else:
        neighbours = [card for card in CARDS if card not in state.row]
    facing = Half(1 - camp.half)
    counts = _half_counts(state, seat, camp.card, camp.half)
    demand = float(_half_demand(state, seat, camp.card, camp.half))
    share = 1 / len(neighbours)
    for card in neighbours:
        more = _half_counts(state, seat, card, facing)
        counts = [have + share * extra for have, extra in zip(counts, more, strict=True)]
        demand += share * _half_demand(state, seat, card, facing)
    return counts, demand


def _night(state: FirstSnowState, counts: Counts, demand: float) -> tuple[float, Counts]:
    """Return (points of the night's food and warmth, what is left)."""
    food = [counts[kind] for kind in FOOD]
    balanced = sum(min(1.0, pieces) for pieces in food)
    balanced += balanced >= 3
    special = max(food)
    special += special >= 4
    after = list(counts)
    if balanced >= special:
        for kind in FOOD:
            after[kind] -= min(1.0, counts[kind])
        points = balanced
    else:
        after[food.index(max(food))] = 0.0
        points = special
    chance = min(1.0, max(0.0, 1.0 + counts[Resource.WOOD] - demand))
    after[Resource.WOOD] = max(0.0, counts[Resource.WOOD] - demand)
    return points + chance * state.round, after


def _carried_worth(state: FirstSnowState, seat: Seat, counts: Counts) -> float:
    """Return the worth of the best four items when the camp is left."""
    rounds_left = ROUNDS - state.round
    worths = _tool_worths(state, seat, rounds_left)
    if rounds_left or _has_night(state, seat):
        worths += _piece_worths(counts)
    return _best_four(worths)


def _has_night(state: FirstSnowState, seat: Seat) -> bool:
    return len(state.camps) < CAMPS or any(
        stay.seat == seat and stay.night and (stay is not state.stay or state.phase is Phase.FOOD)
        for stay in state.plan[state.stage :]
    )


def _tool_worths(state: FirstSnowState, seat: Seat, rounds_left: int) -> list[tuple[float, float]]:
    """Return (worth, share of a place) of each tool; at the very end only a good one counts."""
    good, damaged = state.good[seat], state.damaged[seat]
    worths: list[tuple[float, float]] = []
    for tool, worth in enumerate(_TOOL_WORTHS):
        if good >> tool & 1:
            worths.append((worth + 0.35 * min(rounds_left, 2) if rounds_left else 1.0, 1.0))
        if damaged >> tool & 1:
            worths.append((0.6 * worth if rounds_left else 0.0, 1.0))
    return worths


def _piece_worths(counts: Counts) -> list[tuple[float, float]]:
    return [(_PIECE_WORTHS[kind], pieces) for kind, pieces in enumerate(counts) if pieces > 0]


def _best_four(worths: list[tuple[float, float]]) -> float:
    room = 4.0
    total = 0.0
    for worth, share in sorted(worths, reverse=True):
        taken = min(room, share)
        total += worth * taken
        room -= taken
    return total


def _trim(state: FirstSnowState, seat: Seat, counts: Counts) -> Counts:
    """Return what of the resources can be carried on from a day camp, the most useful first."""
    room = max(0.0, 4.0 - state.good[seat].bit_count() - state.damaged[seat].bit_count())
    kept = [0.0] * len(counts)
    for kind in _MOST_USEFUL_FIRST:
        kept[kind] = min(counts[kind], room)
        room -= kept[kind]
    return kept


@cache
def _counts(pool: int) -> Counts:
    # Few pools ever occur, and this is asked more often than anything else.
    return tuple(float(pool >> 8 * kind & 0xFF) for kind in _KINDS)


def _pieces_worth(counts: Counts) -> float:
    return sum(worth * pieces for worth, pieces in zip(_PIECE_WORTHS, counts, strict=True))


def _half_counts(state: FirstSnowState, seat: Seat, card: int, half: Half) -> Counts:
    tools = state.good[seat] | state.damaged[seat]
    return _counts(state.components.access[_index(state, card, half)][tools])


def _half_demand(state: FirstSnowState, seat: Seat, card: int, half: Half) -> int:
    coat = bool((state.good[seat] | state.damaged[seat]) & _COAT)
    return state.components.demand[_index(state, card, half)][coat]


def _stay_counts(state: FirstSnowState, stay: Stay) -> Counts:
    left = _half_counts(state, stay.seat, stay.left, Half.RIGHT)
    right = _half_counts(state, stay.seat, stay.right, Half.LEFT)
    return [*map(add, left, right)]


def _stay_demand(state: FirstSnowState, stay: Stay) -> float:
    return _half_demand(state, stay.seat, stay.left, Half.RIGHT) + _half_demand(state, stay.seat, stay.right, Half.LEFT)


def _index(state: FirstSnowState, card: int, half: Half) -> int:
    return half_index(card, half, winter=bool(state.winter >> (card - 1) & 1))
