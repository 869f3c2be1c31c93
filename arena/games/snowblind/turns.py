"""A turn of Snowblind: a die is taken and its action carried out, up to the roll."""

from __future__ import annotations

from functools import cache
from typing import Final

from arena.core.seat import Seat
from arena.games.snowblind.actions import (
    BARRELS as OPEN_BARRELS,
)
from arena.games.snowblind.actions import (
    BRINGS,
    HUNTS,
    LOADS,
    MOVES,
    PASS,
    POLE,
    TAKES,
    ZONES,
    Action,
    Bring,
    Hunt,
    Load,
    Man,
    Move,
    OpenBarrel,
    PlaceCamp,
    Take,
    Trade,
    Use,
)
from arena.games.snowblind.actions import (
    CAMPS as PLACE_CAMPS,
)
from arena.games.snowblind.exposure import revivals
from arena.games.snowblind.score import CRATES_IN_BARREL
from arena.games.snowblind.state import (
    BARRELS,
    CAMPS,
    CRATES,
    DICE,
    FACTS,
    FOOD,
    HAND,
    LYING,
    RESEARCH,
    SLOTS,
    TO_POLE,
    TRACK,
    Phase,
    SnowblindState,
    kinds,
)

HUNTED: Final = 2
TRADED: Final = 2
"""Food for a hunt and for a crate; a trade needs both pieces, a hunt takes what is left."""

_ALL: Final = (Man.CAPTAIN, Man.SCIENTIST, Man.SAILOR)
_MOVERS: Final = (
    (Man.CAPTAIN,),
    (Man.CAPTAIN,),
    (Man.SCIENTIST,),
    (Man.SCIENTIST,),
    (Man.SAILOR,),
    (Man.SAILOR,),
    (Man.SCIENTIST, Man.SAILOR),
    (),
    _ALL,
    _ALL,
    (),
)
"""By Use: who can move."""
_CARRIED: Final = (3, 4, 3, 3, 3, 3, 1, 0, 0, 2, 0)
"""By Use: crates that can come along."""
_CAPTAIN: Final = kinds(Man.CAPTAIN)
_SCIENTISTS: Final = kinds(Man.SCIENTIST)
_SAILORS: Final = kinds(Man.SAILOR)
_PRESENT: Final = bytes([0]) + bytes([1]) * 255
"""Turns counts into whether there is any."""
_SHUT: Final = kinds(BARRELS)
_SOMEBODY_LIES: Final = kinds(LYING, LYING + 1, LYING + 2)
_SOME_CAPTAIN, _SOME_SCIENTIST, _SOME_SAILOR, _SOME_FOOD, _SOME_HAND = 1, 2, 4, 8, 16
_DICE: Final = tuple(use.die for use in Use)
_PHASES: Final = tuple(
    Phase.HUNT if use is Use.PURPLE_D8 else Phase.CAMP if use is Use.GREY_CAMP else Phase.MOVE for use in Use
)


def begin_turn(state: SnowblindState, seat: Seat) -> None:
    """Ask this seat for a die or a pass."""
    state.phase = Phase.TURN
    state.seat = state.to_act = seat
    end_course(state)


def end_course(state: SnowblindState) -> None:
    """Forget the action that was under way."""
    state.use = None
    state.man = Man.CAPTAIN
    state.origin = state.zone = state.step = 0
    state.runner = False


def legal_turn(state: SnowblindState) -> tuple[Action, ...]:
    """Return dice whose action is possible, barrels and revivals, and the pass."""
    seat, track = state.seat, state.track
    first = seat * TRACK
    own = int.from_bytes(track[first : first + TRACK], "little")
    means = _SOME_HAND if state.facts[seat * FACTS + HAND] else 0
    if own & _CAPTAIN:
        means |= _SOME_CAPTAIN
    if own & _SCIENTISTS:
        means |= _SOME_SCIENTIST
    if own & _SAILORS:
        means |= _SOME_SAILOR
    if state.food:
        means |= _SOME_FOOD
    found = _takes(bytes(state.dice[:DICE]).translate(_PRESENT), means)
    if found and (shut := own & _SHUT):
        found += _barrels(shut)
    if own & _SOMEBODY_LIES:
        found += tuple(revivals(state, seat))
    return (*found, PASS)


@cache
def _takes(dice: bytes, means: int) -> tuple[Action, ...]:
    """Return the dice that can be taken, by the explorers who are up and by what else there is."""
    captain, scientist, sailor = means & _SOME_CAPTAIN, means & _SOME_SCIENTIST, means & _SOME_SAILOR
    mates = scientist or sailor
    anybody = captain or mates
    possible = (
        *(captain, captain, scientist, scientist, sailor, sailor),
        *(mates, anybody and means & _SOME_FOOD, anybody, anybody, anybody and means & _SOME_HAND),
    )
    return tuple([TAKES[use] for use in Use if possible[use] and dice[_DICE[use]]])


@cache
def _barrels(shut: int) -> tuple[Action, ...]:
    """Return the opening of each barrel of a track read as one number, of which barrels alone are left."""
    counts = shut.to_bytes(TRACK, "little")[BARRELS::SLOTS]
    return tuple([action for action, many in zip(OPEN_BARRELS, counts, strict=True) if many])


def open_barrel(state: SnowblindState, action: OpenBarrel) -> None:
    """Turn a barrel into crates."""
    at = state.start(state.seat, action.zone)
    state.track[at + BARRELS] -= 1
    state.track[at + CRATES] += CRATES_IN_BARREL


def take(state: SnowblindState, action: Take) -> None:
    """Move the die to the pool and ask what its action needs to know."""
    use = action.use
    die = _DICE[use]
    state.dice[die] -= 1
    state.dice[(state.seat + 1) * DICE + die] += 1
    state.use = use
    state.phase = _PHASES[use]
    if use is Use.GREY_DASH:
        state.step = 1
        state.runner = True


def legal_moves(state: SnowblindState) -> tuple[Action, ...]:
    """Return who can go where; the second step of a dash is the runner's."""
    use = state.use
    assert use is not None  # noqa: S101 - nobody moves without a die
    track, ship = state.track, state.mode.setup.ship
    if state.step == 2:
        return tuple([move for move in MOVES[state.man][state.zone - 1] if move.zone >= ship])
    first = state.seat * TRACK
    found: list[Action] = []
    for man in _MOVERS[use]:
        moves = MOVES[man]
        for zone in range(ship, POLE + 1):
            if track[first + (zone - 1) * SLOTS + man]:
                # Beyond the ship there is nowhere to go; from anywhere else both ways are open.
                found += moves[zone - 1] if zone > ship else moves[zone - 1][:1]
    return tuple(found)


def move(state: SnowblindState, action: Move) -> bool:
    """Move the explorer and ask what comes along; returns whether the action is done."""
    man = action.man
    state.man = man
    state.origin = action.origin
    state.zone = action.zone
    first, track = state.seat * TRACK, state.track
    origin = first + (action.origin - 1) * SLOTS
    track[origin + man] -= 1
    track[first + (action.zone - 1) * SLOTS + man] += 1
    if man is Man.CAPTAIN and action.zone == POLE:
        state.facts[state.seat * FACTS + TO_POLE] = 1
    if state.use is Use.RED_D8 and (track[origin + Man.SCIENTIST] or track[origin + Man.SAILOR]):
        state.phase = Phase.BRING
        return False
    return _ask_load(state)


def legal_companions(state: SnowblindState) -> tuple[Action, ...]:
    """Return nobody and each class that stands where the captain came from."""
    origin = state.start(state.seat, state.origin)
    mates = [action for action in BRINGS[1:] if action.man is not None and state.track[origin + action.man]]
    return (BRINGS[0], *mates)


def bring(state: SnowblindState, action: Bring) -> bool:
    """Move the companion; returns whether the action is done."""
    if action.man is not None:
        state.track[state.start(state.seat, state.origin) + action.man] -= 1
        state.track[state.start(state.seat, state.zone) + action.man] += 1
    return _ask_load(state)


def _ask_load(state: SnowblindState) -> bool:
    use = state.use
    assert use is not None  # noqa: S101 - nobody moves without a die
    if _CARRIED[use] and state.track[state.seat * TRACK + (state.origin - 1) * SLOTS + CRATES]:
        state.phase = Phase.LOAD
        return False
    return _bonus(state)


def legal_loads(state: SnowblindState) -> tuple[Action, ...]:
    """Return how many crates can come along."""
    use = state.use
    assert use is not None  # noqa: S101 - nobody moves without a die
    return LOADS[: min(_CARRIED[use], state.track[state.seat * TRACK + (state.origin - 1) * SLOTS + CRATES]) + 1]


def load(state: SnowblindState, action: Load) -> bool:
    """Move the crates; returns whether the action is done."""
    if crates := action.crates:
        state.track[state.start(state.seat, state.origin) + CRATES] -= crates
        state.track[state.start(state.seat, state.zone) + CRATES] += crates
    return _bonus(state)


def _bonus(state: SnowblindState) -> bool:
    """Give the yellow d8's bonus, ask for the blue one's; returns whether the action is done."""
    if state.use is Use.YELLOW_D8:
        if state.research:
            state.research -= 1
            state.facts[state.seat * FACTS + RESEARCH] += 1
    elif state.use is Use.BLUE_D8 and state.food >= TRADED:
        if not state.track[state.start(state.seat, state.zone) + CRATES]:
            return True
        state.phase = Phase.TRADE
        return False
    return True


def trade(state: SnowblindState, action: Trade) -> None:
    """Turn a crate of the zone reached into food, or not."""
    if action.trade:
        at = state.start(state.seat, state.zone)
        state.track[at + CRATES] -= 1
        state.track[at + FOOD] += TRADED
        state.food -= TRADED


def legal_hunts(state: SnowblindState) -> tuple[Action, ...]:
    """Return the zones with an active explorer, where food can be brought."""
    return tuple([HUNTS[zone - 1] for zone in _occupied(state)])


def hunt(state: SnowblindState, action: Hunt) -> None:
    """Bring food into the zone, as much as is left."""
    brought = min(HUNTED, state.food)
    state.food -= brought
    state.zone = action.zone
    state.track[state.start(state.seat, action.zone) + FOOD] += brought


def legal_camps(state: SnowblindState) -> tuple[Action, ...]:
    """Return the zones with an active explorer, where a camp can be placed."""
    return tuple([PLACE_CAMPS[zone - 1] for zone in _occupied(state)])


def place_camp(state: SnowblindState, action: PlaceCamp) -> None:
    """Place a camp from the hand."""
    state.facts[state.seat * FACTS + HAND] -= 1
    state.zone = action.zone
    state.track[state.start(state.seat, action.zone) + CAMPS] += 1


def _occupied(state: SnowblindState) -> list[int]:
    track, first = state.track, state.seat * TRACK
    starts = range(first, first + TRACK, SLOTS)
    return [zone for zone, at in zip(ZONES, starts, strict=True) if any(track[at : at + LYING])]
