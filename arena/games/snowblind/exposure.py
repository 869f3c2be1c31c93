"""Exposure in Snowblind: the roll of the pool, what it costs, revival, and the flag after it."""

from __future__ import annotations

from functools import cache

from arena.core.seat import CHANCE, Seat
from arena.games.snowblind.actions import (
    EXHAUST_RUNNER,
    EXHAUSTS,
    GO_ON,
    PERISHES,
    POLE,
    REVIVES,
    ROLLS,
    SPENDS,
    ZONES,
    Action,
    Exhaust,
    Man,
    Perish,
    Plant,
    Revive,
    Roll,
    Spend,
    Supply,
    Use,
    die_name,
)
from arena.games.snowblind.components import Die
from arena.games.snowblind.score import CRATES_IN_BARREL, FLAG_PRESTIGE
from arena.games.snowblind.state import (
    BACK,
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
    STANDING,
    TO_POLE,
    TRACK,
    Phase,
    SnowblindState,
    Standing,
    kinds,
)
from arena.games.snowblind.state import (
    ROLLS as ROLL_COUNT,
)

SIDES = (6, 8, 6, 8, 6, 8, 0, 8, 8)
"""By Die; the green one is blank and never rolled."""
_FACES = tuple(ROLLS[:sides] for sides in SIDES)
_ROLLED = tuple(int(die) for die in Die if die is not Die.GREEN)
_FLAG_ZONES = tuple(zone for zone in reversed(ZONES) if FLAG_PRESTIGE[zone])
"""The better, the nearer to the Pole."""
_NAMES = tuple(die_name(die) for die in Die)
_SOMEBODY_LIES = kinds(LYING, LYING + 1, LYING + 2)


def threshold(state: SnowblindState, seat: Seat, zone: int) -> int:
    """Return the lowest number that is an exposure there: 6 with a camp, 5 in company, else 4."""
    at = seat * TRACK + (zone - 1) * SLOTS
    if state.track[at + CAMPS]:
        return 6
    return 5 if state.track[at] + state.track[at + 1] + state.track[at + 2] >= 2 else 4


# Revival


def revivals(state: SnowblindState, seat: Seat) -> list[Action]:
    """Return every revival that is possible on a seat's track; a barrel serves where no crate and no food is."""
    track = state.track
    found: list[Action] = []
    at = seat * TRACK
    # Mostly nobody lies anywhere, and this is asked before every turn and every roll.
    if not int.from_bytes(track[at : at + TRACK], "little") & _SOMEBODY_LIES:
        return found
    for actions in REVIVES:
        if track[at + LYING] or track[at + LYING + 1] or track[at + LYING + 2]:
            crates, food = track[at + CRATES], track[at + FOOD]
            if not crates and not food:
                crates = track[at + BARRELS]
            for man, (with_crate, with_food) in enumerate(actions, LYING):
                if track[at + man]:
                    if crates:
                        found.append(with_crate)
                    if food:
                        found.append(with_food)
        at += SLOTS
    return found


def revive(state: SnowblindState, action: Revive) -> None:
    """Spend the supply and stand the explorer up."""
    at = state.start(state.seat, action.zone)
    if not state.track[at + CRATES] and not state.track[at + FOOD]:
        _open_barrel(state, at)
    _spend(state, at, action.supply)
    state.track[at + LYING + action.man] -= 1
    state.track[at + action.man] += 1


def _open_barrel(state: SnowblindState, at: int) -> None:
    state.track[at + BARRELS] -= 1
    state.track[at + CRATES] += CRATES_IN_BARREL


def _spend(state: SnowblindState, at: int, supply: Supply) -> None:
    state.track[at + supply] -= 1
    if supply is Supply.FOOD:
        state.food += 1


def offer_revival(state: SnowblindState) -> bool:
    """Ask for revivals before the roll, if there are any; returns whether it is time to roll at once."""
    state.phase = Phase.REVIVE
    return not revivals(state, state.seat)


def legal_revivals(state: SnowblindState) -> tuple[Action, ...]:
    """Return the revivals before a roll."""
    return (*revivals(state, state.seat), GO_ON)


# The roll


def begin_roll(state: SnowblindState) -> bool:
    """Set the pool up for rolling; returns whether there is nothing to roll."""
    state.pending = pool_order(state)
    state.rolled = ()
    state.facts[state.seat * FACTS + ROLL_COUNT] += 1
    state.phase = Phase.ROLL
    state.to_act = CHANCE
    return not state.pending


def pool_order(state: SnowblindState) -> tuple[int, ...]:
    """Return the dice of the acting seat's pool in the order of the roll; the green one is not rolled."""
    first = (state.seat + 1) * DICE
    return _in_order(bytes(state.dice[first : first + DICE]))


@cache
def _in_order(pool: bytes) -> tuple[int, ...]:
    return tuple([die for die in _ROLLED for _ in range(pool[die])])


def legal_rolls(state: SnowblindState) -> tuple[Action, ...]:
    """Return the faces of the next die."""
    return _FACES[state.pending[len(state.rolled)]]


def roll_label(state: SnowblindState) -> str:
    """Return the name of the next die's roll: seat, round, roll of the round, die, and which of its kind from 2 on."""
    at = len(state.rolled)
    die = state.pending[at]
    copy = at - state.pending.index(die) + 1
    return _label(state.seat, state.round, state.facts[state.seat * FACTS + ROLL_COUNT], die, copy)


@cache
def _label(seat: int, number: int, roll: int, die: int, copy: int) -> str:
    return f"seat {seat}/round {number}/roll {roll}/die {_NAMES[die]}{f' {copy}' if copy > 1 else ''}"


def roll_die(state: SnowblindState, action: Roll) -> bool:
    """Note the face; returns whether the whole pool lies."""
    rolled = state.rolled = (*state.rolled, action.face)
    if len(rolled) == len(state.pending):
        return True
    state.legal = _FACES[state.pending[len(rolled)]]
    return False


def read_roll(state: SnowblindState) -> bool:
    """Turn the roll into losses, judged by company and camp as they are now; returns whether there are none."""
    seat = state.seat
    rolled = state.rolled
    state.faces[seat] = rolled
    lowest = threshold(state, seat, state.zone)
    state.hits = sum([face >= lowest for face in rolled])
    state.pending = state.rolled = ()
    state.to_act = seat
    return next_loss(state)


# Losses


def next_loss(state: SnowblindState) -> bool:
    """Go on to the next loss; returns whether there is none to take any more."""
    if state.hits:
        state.phase = Phase.LOSS
        at = state.seat * TRACK + (state.zone - 1) * SLOTS
        track = state.track
        if track[at + CRATES] or track[at + FOOD]:
            return False
        if track[at + BARRELS]:
            _open_barrel(state, at)
            return False
        if any(track[at : at + CRATES]):
            return False
        # In an empty zone further hits are lost.
        state.hits = 0
    return True


def legal_losses(state: SnowblindState) -> tuple[Action, ...]:
    """Return what can be lost: supplies first, then active men, then lying men."""
    at = state.seat * TRACK + (state.zone - 1) * SLOTS
    track = state.track
    crates, food = track[at + CRATES], track[at + FOOD]
    if crates:
        return SPENDS if food else SPENDS[:1]
    if food:
        return SPENDS[1:]
    active = [EXHAUSTS[man] for man in Man if track[at + man]]
    if active:
        # A dash has its second step to come only if the runner himself stays active: then it matters who it is.
        if state.step == 1 and state.runner and track[at + state.man] >= 2:
            return (*active, EXHAUST_RUNNER)
        return tuple(active)
    return tuple([PERISHES[man] for man in Man if track[at + LYING + man]])


def lose(state: SnowblindState, action: Action) -> bool:
    """Take one loss; returns whether it was the last. A captain who perishes takes his expedition with him."""
    at = state.seat * TRACK + (state.zone - 1) * SLOTS
    state.hits -= 1
    if isinstance(action, Spend):
        _spend(state, at, action.supply)
    elif isinstance(action, Perish):
        state.track[at + LYING + action.man] -= 1
        if action.man is Man.CAPTAIN:
            state.facts[state.seat * FACTS + STANDING] = Standing.ELIMINATED
            state.fallen = (*state.fallen, state.seat)
            state.hits = 0
            return True
    else:
        man = action.man if isinstance(action, Exhaust) else state.man
        if man is state.man and (not isinstance(action, Exhaust) or state.track[at + man] == 1):
            state.runner = False
        state.track[at + man] -= 1
        state.track[at + LYING + man] += 1
    return next_loss(state)


# After the losses


def offer_flag(state: SnowblindState) -> bool:
    """Ask whether the flag moves, where it would score more; returns whether there is nothing to ask."""
    state.phase = Phase.FLAG
    flag = state.facts[state.seat * FACTS + FLAG]
    for zone in _FLAG_ZONES:
        if zone <= flag:
            return True
        if state.track[state.seat * TRACK + (zone - 1) * SLOTS]:
            return False
    return True


def plant(state: SnowblindState, action: Plant) -> None:
    """Move the flag to the captain, or leave it."""
    if action.plant:
        state.facts[state.seat * FACTS + FLAG] = state.captain_zone(state.seat)


def come_home(state: SnowblindState) -> None:
    """Give the captain who has just come to the ship, and lives, what waits for him there."""
    if state.use is None or state.man is not Man.CAPTAIN or state.zone != state.mode.setup.ship:
        return
    if state.use in (Use.GREY_CAMP, Use.PURPLE_D8):
        return
    facts, mine = state.facts, state.seat * FACTS
    if facts[mine + TO_POLE]:
        facts[mine + BACK] = 1
    if facts[mine + FLAG] == POLE and not any(facts[MEDAL::FACTS]):
        facts[mine + MEDAL] = 1
