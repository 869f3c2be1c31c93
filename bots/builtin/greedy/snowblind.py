"""What Greedy thinks of a Snowblind position: prestige, the way to the Pole and home, and the cost of the next roll.

A solo game has a module of its own.
"""

from __future__ import annotations

from math import exp
from typing import Final

from arena.core.seat import Seat
from arena.games.snowblind.actions import POLE, Man
from arena.games.snowblind.components import Die
from arena.games.snowblind.exposure import threshold
from arena.games.snowblind.score import CRATES_IN_BARREL, FLAG_PRESTIGE, prestige
from arena.games.snowblind.state import (
    BARRELS,
    CAMPS,
    CRATES,
    DICE,
    FACTS,
    FLAG,
    FOOD,
    LYING,
    MEDAL,
    SLOTS,
    TRACK,
    Phase,
    SnowblindState,
    Standing,
)
from bots.builtin.greedy.snowblind_solo import evaluate as evaluate_solo
from bots.builtin.greedy.snowblind_solo import hit_chances

CAPTAIN: Final = 25.0
"""What losing the captain costs, in points."""
SUPPLY: Final = 12.0
ENOUGH: Final = 4.0
MOST: Final = 8
NEAR: Final = 0.5
MATE_NEARNESS: Final = 0.4
COMPANY: Final = 1.6
CAMP: Final = 1.2
LYING_CAPTAIN: Final = 5.0
_NEARNESS: Final = tuple(tuple(NEAR ** abs(zone - other) for zone in range(1, POLE + 1)) for other in range(POLE + 1))
_MATES: Final = tuple(
    tuple(MATE_NEARNESS ** abs(zone - other) for zone in range(1, POLE + 1)) for other in range(POLE + 1)
)
# A member of an enum costs several times as much as a number, and these are asked for in every zone.
_SCIENTIST: Final = int(Man.SCIENTIST)
_SAILOR: Final = int(Man.SAILOR)
_CHOICES: Final = frozenset(
    {Phase.MOVE, Phase.BRING, Phase.LOAD, Phase.TRADE, Phase.HUNT, Phase.CAMP, Phase.REVIVE, Phase.FLAG}
)


def evaluate(state: SnowblindState, seat: Seat) -> float:
    """Return what the seat can expect in points of its own; what is asked next is answered in its best way."""
    if state.mode.solo:
        return evaluate_solo(state, seat)
    if state.outcome is not None:
        return _final(state, seat)
    if state.to_act == seat and state.phase in _CHOICES:
        best = -1e9
        for action in state.legal_actions():
            after = state.copy()
            after.apply(action)
            best = max(best, evaluate(after, seat))
        return best
    if state.standing(seat) is Standing.ELIMINATED:
        return -CAPTAIN
    worth = _worth(state, seat)
    if state.seat == seat and state.zone:
        if state.phase is Phase.ROLL:
            loss = _expected_loss(state, seat)
            if state.step == 1:
                return _second_step(state, seat) - loss
            worth -= loss
        elif state.phase is Phase.LOSS:
            worth -= _loss(state, seat, state.hits, _supplies_of_captain(state, seat))
    return worth


def _second_step(state: SnowblindState, seat: Seat) -> float:
    """Return the value of a dash with the better of its second steps, if nobody is lost in the first."""
    after = state.copy()
    after.step, after.phase, after.to_act = 2, Phase.MOVE, seat
    after.pending = ()
    after.forget_legal_actions()
    return evaluate(after, seat)


def _final(state: SnowblindState, seat: Seat) -> float:
    assert state.outcome is not None  # noqa: S101 - narrows the type
    score = state.outcome.scores[seat]
    return -CAPTAIN if score is None else float(score)


def _rounds_left(state: SnowblindState) -> float:
    """Return how many rounds are still to come after this one."""
    if state.drawn and not state.drawn[-1]:
        return 0.0
    left = state.mode.setup.weather + 1 - len(state.drawn)
    return left - 1.0 if left > 3 else (left + 1) / 2


def _worth(state: SnowblindState, seat: Seat) -> float:
    """Return the value of the position with no roll to come."""
    facts, mine = state.facts, seat * FACTS
    left = _rounds_left(state)
    zone = _captain(state, seat)
    back = zone - state.mode.setup.ship
    worth = float(prestige(state, seat))
    worth += _homeward(state, zone, left) if facts[mine + FLAG] == POLE else _northward(state, seat, zone, left)
    if back:
        worth += _party(state, seat, zone) * min(1.0, 0.4 + 0.3 * left)
    elif not state.captain_zone(seat):
        worth -= 2.0
    return worth + _men(state, seat, zone, left)


def _captain(state: SnowblindState, seat: Seat) -> int:
    zone = state.captain_zone(seat)
    if zone:
        return zone
    return state.track[seat * TRACK + LYING : (seat + 1) * TRACK : SLOTS].find(1) + 1


def _northward(state: SnowblindState, seat: Seat, zone: int, left: float) -> float:
    """Return what the way to the Pole is worth that lies behind the captain; nothing if it is too far."""
    distance = POLE - zone
    if distance > 3 * (left + 1):
        return 0.0
    return (15 - FLAG_PRESTIGE[state.facts[seat * FACTS + FLAG]]) * (0.75 - 0.16 * distance)


def _homeward(state: SnowblindState, zone: int, left: float) -> float:
    """Return what the Pole behind the captain is worth, and the way home from it."""
    distance = zone - state.mode.setup.ship
    if distance > 2.5 * (left + 1):
        return 0.0
    medal = 0.0 if any(state.facts[MEDAL::FACTS]) else 2.0
    return 2.0 + (2.0 + medal) * max(0.0, 1 - 0.22 * distance) if distance else 2.0


def _party(state: SnowblindState, seat: Seat, zone: int) -> float:
    """Return what company, a camp and supplies mean to a captain away from his ship; what is near counts in part."""
    track = state.track
    at = state.start(seat, zone)
    nearness = _NEARNESS[zone]
    company, lies = 0.0, seat * TRACK
    for near in _MATES[zone]:
        mates = track[lies + _SCIENTIST] + track[lies + _SAILOR]
        if mates:
            company += near * mates
        lies += SLOTS
    worth: float = COMPANY * (1 - 0.5**company) * 2 + CAMP * bool(track[at + CAMPS])
    worth += _supply_worth(_supplies(state, seat, nearness))
    if not track[at]:
        worth -= LYING_CAPTAIN + 1.0 * _rescue_distance(state, seat, zone)
    return worth


def _supplies(state: SnowblindState, seat: Seat, nearness: tuple[float, ...]) -> float:
    track, at = state.track, seat * TRACK
    supplies = 0.0
    for near in nearness:
        pieces = track[at + CRATES] + track[at + FOOD] + CRATES_IN_BARREL * track[at + BARRELS]
        if pieces:
            supplies += near * min(MOST, pieces)
        at += SLOTS
    return supplies


def _supply_worth(supplies: float) -> float:
    return SUPPLY * (1.0 - exp(-supplies / ENOUGH))


def _rescue_distance(state: SnowblindState, seat: Seat, captain: int) -> int:
    """Return how far the nearest man with a supply is from the lying captain."""
    track = state.track
    nearest = 6
    for zone in range(state.mode.setup.ship, POLE + 1):
        at = state.start(seat, zone)
        if any(track[at : at + LYING]) and (track[at + CRATES] or track[at + BARRELS]):
            nearest = min(nearest, abs(zone - captain))
    return nearest


def _men(state: SnowblindState, seat: Seat, captain: int, left: float) -> float:
    """Return what the other explorers may still be worth: on the way home, or at the captain's side."""
    ship, track = state.mode.setup.ship, state.track
    step = 0.3 if left > 1 else 0.6
    worth = 0.0
    at = state.start(seat, ship) - SLOTS
    for zone in range(ship, POLE + 1):
        at += SLOTS
        active = track[at + _SCIENTIST] + track[at + _SAILOR]
        lying = track[at + LYING + _SCIENTIST] + track[at + LYING + _SAILOR]
        if not active and not lying:
            continue
        if zone == ship:
            worth -= 0.6 * lying
        else:
            worth += active * max(0.0, 1.9 - step * (zone - ship)) + lying * 0.6 - 0.3 * active * (zone > captain)
    return worth


# The roll


def _expected_loss(state: SnowblindState, seat: Seat) -> float:
    lowest = threshold(state, seat, state.zone)
    first = (seat + 1) * DICE
    pool = state.dice[first : first + DICE]
    six = pool[Die.RED_D6] + pool[Die.YELLOW_D6] + pool[Die.BLUE_D6]
    eight = sum(pool) - six - pool[Die.GREEN]
    away = _supplies_of_captain(state, seat)
    return sum(
        chance * _loss(state, seat, hits, away) for hits, chance in enumerate(hit_chances(six, eight, lowest)) if hits
    )


def _supplies_of_captain(state: SnowblindState, seat: Seat) -> tuple[int, float]:
    """Return the captain's zone, lying or not, and the supplies within his reach; (0, 0) while he is at the ship."""
    captain = _captain(state, seat)
    return (0, 0.0) if captain == state.mode.setup.ship else (captain, _supplies(state, seat, _NEARNESS[captain]))


def _loss(state: SnowblindState, seat: Seat, hits: int, of_captain: tuple[int, float]) -> float:
    """Return what so many losses cost in the active zone, supplies first, the captain last."""
    track = state.track
    at = state.start(seat, state.zone)
    away = state.zone != state.mode.setup.ship
    food = track[at + FOOD]
    supplies = food + track[at + CRATES] + CRATES_IN_BARREL * track[at + BARRELS]
    with_captain = bool(track[at] or track[at + LYING])
    spent = min(hits, supplies)
    cost = 0.33 * max(0, spent - food)
    captain, have = of_captain
    if captain:
        near = _NEARNESS[captain]
        fewer = near[state.zone - 1] * (min(MOST, supplies) - min(MOST, supplies - spent))
        cost += _supply_worth(have) - _supply_worth(have - fewer)
    hits -= supplies
    if hits <= 0:
        return cost
    others = track[at + _SCIENTIST] + track[at + _SAILOR]
    cost += (2.0 if away else 1.0) * min(hits, others)
    hits -= others
    if hits > 0 and track[at]:
        cost += LYING_CAPTAIN + 3.0 if away else 2.0
        hits -= 1
    if hits <= 0:
        return cost
    lying = others + track[at + LYING + _SCIENTIST] + track[at + LYING + _SAILOR]
    cost += 2.0 * min(hits, lying)
    if hits > lying and with_captain:
        cost += CAPTAIN
    return cost
