"""The second half of a round of First Snow: each camp step by step, then the order and the end of the game.

A step that has nothing to decide passes on to the next one at once (ruling 20).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.core.outcome import Outcome
from arena.core.seat import CHANCE, Seat
from arena.games.first_snow import camp
from arena.games.first_snow.actions import Craft, Done, Eat, LeaveResource, LeaveTool, Repair
from arena.games.first_snow.components import half_index
from arena.games.first_snow.events import Arrival, Bonus, Meal, TurnOrder, Warmth, Wear
from arena.games.first_snow.landscape import ALL_CARDS, Stay, next_order
from arena.games.first_snow.phases import Phase

if TYPE_CHECKING:
    from arena.games.first_snow.rules import FirstSnowState


def arrive(state: FirstSnowState) -> None:
    """Begin the next camp of the plan: what its owner's tools reach joins the pool, once (rulings 10, 11)."""
    if state.stage == len(state.plan):
        _close_round(state)
        return
    stay = state.plan[state.stage]
    seat = stay.seat
    state.to_act = seat
    tools = state.good[seat] | state.damaged[seat]
    left, right = _halves(state, stay)
    access = state.components.access
    gathered = access[left][tools] + access[right][tools]
    pool = state.pools[seat] + gathered
    state.pools = with_seat(state.pools, seat, pool)
    state.note(Arrival(stay, gathered))
    if not stay.night:
        _ask_craft(state, seat)
    elif pool & camp.FOOD_MASK:
        state.phase = Phase.FOOD
    else:
        _warm(state, seat)


def eat(state: FirstSnowState, action: Eat) -> None:
    """Eat what the diet names, score it, and go on to the night's wood and wear."""
    seat = state.seat
    eaten, points = camp.meal(state.pools[seat], action.diet)
    state.pools = with_seat(state.pools, seat, state.pools[seat] - eaten)
    state.scores = with_seat(state.scores, seat, state.scores[seat] + points)
    state.note(Meal(seat, eaten, points))
    _warm(state, seat)


def repair(state: FirstSnowState, action: Repair | Done) -> None:
    """Mend a damaged tool, or stop mending."""
    seat = state.seat
    if isinstance(action, Done):
        _ask_craft(state, seat)
        return
    bit = 1 << action.tool
    state.pools = with_seat(state.pools, seat, state.pools[seat] - (1 << 8 * action.resource))
    state.damaged = with_seat(state.damaged, seat, state.damaged[seat] ^ bit)
    state.good = with_seat(state.good, seat, state.good[seat] | bit)
    _ask_repair(state, seat)


def craft(state: FirstSnowState, action: Craft | Done) -> None:
    """Make a tool, or stop making any."""
    seat = state.seat
    if isinstance(action, Done):
        _ask_leave(state, seat)
        return
    state.pools = with_seat(state.pools, seat, state.pools[seat] - state.components.cost_pools[action.tool])
    state.good = with_seat(state.good, seat, state.good[seat] | 1 << action.tool)
    _ask_craft(state, seat)


def leave(state: FirstSnowState, action: LeaveResource | LeaveTool) -> None:
    """Leave one item behind."""
    seat = state.seat
    if isinstance(action, LeaveResource):
        state.pools = with_seat(state.pools, seat, state.pools[seat] - (1 << 8 * action.resource))
    elif action.damaged:
        state.damaged = with_seat(state.damaged, seat, state.damaged[seat] ^ 1 << action.tool)
    else:
        state.good = with_seat(state.good, seat, state.good[seat] ^ 1 << action.tool)
    _ask_leave(state, seat)


def settle(scores: tuple[int, int], order: tuple[Seat, ...]) -> Outcome:
    """Return the result: more points, else the owner of the lowest camp die, who comes first in order (ruling 19)."""
    if scores[0] != scores[1]:
        return Outcome((1, 2) if scores[0] > scores[1] else (2, 1), scores, "points")
    return Outcome((1, 2) if order[0] == 0 else (2, 1), scores, "lowest-camp")


def with_seat(pair: tuple[int, int], seat: Seat, value: int) -> tuple[int, int]:
    """Return the pair with this seat's half replaced."""
    return (value, pair[1]) if seat == 0 else (pair[0], value)


def _halves(state: FirstSnowState, stay: Stay) -> tuple[int, int]:
    winter = state.winter
    return (
        half_index(stay.left, 1, winter=bool(winter >> (stay.left - 1) & 1)),
        half_index(stay.right, 0, winter=bool(winter >> (stay.right - 1) & 1)),
    )


def _warm(state: FirstSnowState, seat: Seat) -> None:
    """Burn the night's wood (ruling 14)."""
    pool = state.pools[seat]
    has_coat = bool((state.good[seat] | state.damaged[seat]) & camp.COAT)
    left, right = _halves(state, state.plan[state.stage])
    demand = state.components.demand[left][has_coat] + state.components.demand[right][has_coat]
    burned = min(pool >> camp.WOOD_SHIFT & 0xFF, demand)
    points = state.winter.bit_count() if burned == demand else 0
    state.pools = with_seat(state.pools, seat, pool - (burned << camp.WOOD_SHIFT))
    state.scores = with_seat(state.scores, seat, state.scores[seat] + points)
    state.note(Warmth(seat, demand, burned, points))
    _wear(state, seat)


def _wear(state: FirstSnowState, seat: Seat) -> None:
    """Damage what is good and discard what was damaged (ruling 15)."""
    worn, broken = state.good[seat], state.damaged[seat]
    if worn or broken:
        state.good = with_seat(state.good, seat, 0)
        state.damaged = with_seat(state.damaged, seat, worn)
        state.note(Wear(seat, worn, broken))
    _ask_repair(state, seat)


def _ask_repair(state: FirstSnowState, seat: Seat) -> None:
    legal = camp.repair_list(state.components, state.pools[seat], state.damaged[seat])
    if legal:
        state.phase = Phase.REPAIR
        state.known_legal = legal
    else:
        _ask_craft(state, seat)


def _ask_craft(state: FirstSnowState, seat: Seat) -> None:
    tools = camp.craftable(state.components, state.pools[seat], state.good[seat])
    if tools:
        state.phase = Phase.CRAFT
        state.known_legal = camp.craft_list(tools)
    else:
        _ask_leave(state, seat)


def _ask_leave(state: FirstSnowState, seat: Seat) -> None:
    """Ask what stays behind while it is too much to carry, else go on to the next camp (ruling 11)."""
    if camp.items(state.pools[seat], state.good[seat], state.damaged[seat]) > camp.PLACES_TO_CARRY:
        state.phase = Phase.LEAVE
    else:
        state.stage += 1
        arrive(state)


def _close_round(state: FirstSnowState) -> None:
    """Sort the camp dice (ruling 17), then cool the land, or end the game if no summer card is left (ruling 18)."""
    state.order = next_order(state.camps)
    state.note(TurnOrder(state.order))
    if state.winter != ALL_CARDS:
        state.phase = Phase.COOL
        state.to_act = CHANCE
        return
    for seat in (Seat(0), Seat(1)):
        bonus = state.good[seat].bit_count()
        state.scores = with_seat(state.scores, seat, state.scores[seat] + bonus)
        state.note(Bonus(seat, bonus))
    state.phase = Phase.OVER
    state.to_act = None
    state.outcome = settle(state.scores, state.order)
