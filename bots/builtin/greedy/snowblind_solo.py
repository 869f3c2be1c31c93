"""What Greedy thinks of a solo game of Snowblind: a timetable to the Pole and home, supplies, company, exact odds."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from math import exp
from typing import Final, NamedTuple

from arena.core.seat import Seat
from arena.games.snowblind.actions import POLE, Man, Use
from arena.games.snowblind.components import Die
from arena.games.snowblind.score import FLAG_PRESTIGE, is_won, prestige
from arena.games.snowblind.state import (
    BACK,
    CAMPS,
    CRATES,
    DICE,
    FLAG,
    FOOD,
    HAND,
    LYING,
    RESEARCH,
    SLOTS,
    TO_POLE,
    Phase,
    SnowblindState,
)

# All in one unit: a step of the captain that is behind the timetable counts BEHIND of them.
WON: Final = 200.0
LOST: Final = -120.0
HOME: Final = 100.0
DEATH: Final = 80.0
BEHIND: Final = 10.0
AHEAD: Final = 1.0
TIMETABLE: Final = (0.0, 2.5, 4.35, 6.02, 7.58, 9.06)
"""By rounds that follow: so many steps may be left then. The way out is slower, for it carries the supplies."""
SUPPLIES: Final = tuple(30.0 * (1 - exp(-pieces / 3.0)) for pieces in range(100))
"""By crates and food in the captain's zone."""
CRATE: Final = 0.3
MATES: Final = (0.0, 3.0, 4.5)
CAMP: Final = 2.5
CAMP_IN_HAND: Final = 2.0
LYING_CAPTAIN: Final = 16.0
LYING_BESIDE_SUPPLIES: Final = 0.3
RESCUE: Final = 2.5
NO_RESCUE: Final = 8
SUPPLIER: Final = 2.0
"""A sailor at the ship is company for the scientist who collects tokens there."""
NEAR: Final = ((1, 1.0, 1.5), (-1, 1.0, 1.5), (2, 0.4, 0.7), (-2, 0.4, 0.7), (-3, 0.5, 0.35), (-4, 0.35, 0.21))
"""Zones from the captain's, a piece of supplies there, a mate there."""
UNLED: Final = 0.6
PASSED_BY: Final = 0.4
TOKEN: Final = 0.3
PENDING: Final = 2.0
LYING_SCIENTIST: Final = 8.0
SCIENTIST_SUPPLY: Final = 0.6
SCIENTIST_AWAY: Final = 4.0
_CHOICES: Final = frozenset({Phase.MOVE, Phase.BRING, Phase.LOAD, Phase.TRADE, Phase.CAMP, Phase.REVIVE, Phase.FLAG})
_STARTS: Final = tuple((zone, (zone - 1) * SLOTS) for zone in range(1, POLE + 1))


class _Season(NamedTuple):
    """What stays as it is while a turn is thought through: rounds after this one, cards that may come next."""

    ship: int
    target: int
    left: int
    cards: tuple[int, ...]
    yellow: bool


class _Roll(NamedTuple):
    """A roll to come: in which zone, whose move it ends (None: nobody's), how many d6 and d8, which step of a dash."""

    zone: int
    man: int | None
    six: int
    eight: int
    step: int


def evaluate(state: SnowblindState, seat: Seat) -> float:
    """Return what the position is worth; what is asked next is answered in its best way."""
    if state.outcome is not None:
        return WON + prestige(state, seat) / 100 if state.outcome.ranks[0] == 1 else LOST
    if is_won(state):
        # Nothing is left to win but Prestige; each further roll can only cost some.
        return WON + prestige(state, seat) / 100 - (state.phase not in (Phase.WEATHER, Phase.FLAG))
    if state.phase in _CHOICES:
        best = LOST - WON
        for action in state.legal_actions():
            after = state.copy()
            after.apply(action)
            best = max(best, evaluate(after, seat))
        return best
    season = _season(state)
    if state.phase is Phase.WEATHER:
        return _passed(season, state.track, state.facts)
    if state.phase in (Phase.ROLL, Phase.LOSS):
        man = None if state.use in (None, Use.GREY_CAMP) else int(state.man)
        step = state.step if state.runner or state.phase is Phase.ROLL else 0
        roll = _Roll(state.zone, man, *_pool(state.dice), step)
        if state.phase is Phase.LOSS:
            return _after(season, state.track, state.facts, roll, state.hits)
        value = _rolled(season, state.track, state.facts, roll)
        return value if step == 1 else value + _gain_after(season, state, roll)
    return _worth(season, state.track, state.facts) + _gain(season, state, state.track, *_pool(state.dice))


def _season(state: SnowblindState) -> _Season:
    cards = list(state.components.solo_cards)
    for card in state.drawn:
        cards.remove(card)
    left = len(state.components.solo_cards) - state.round
    return _Season(state.mode.setup.ship, state.mode.target, left, tuple(cards), bool(state.dice[Die.YELLOW_D8]))


def _passed(season: _Season, track: bytearray, facts: bytearray) -> float:
    """Return the value of no further action in this round; a token that can no longer be had in time loses."""
    if season.target - facts[RESEARCH] > season.left:
        return LOST
    return _worth(season._replace(yellow=False), track, facts)


# The roll, by its exact odds


@cache
def hit_chances(six: int, eight: int, lowest: int) -> tuple[float, ...]:
    """Return the probability of 0, 1, 2, ... exposures from so many d6 and d8."""
    chances = [1.0]
    for sides in [6] * six + [8] * eight:
        hit = (sides + 1 - lowest) / sides
        grown = [0.0] * (len(chances) + 1)
        for hits, chance in enumerate(chances):
            grown[hits] += chance * (1 - hit)
            grown[hits + 1] += chance * hit
        chances = grown
    return tuple(chances)


def _pool(dice: bytearray) -> tuple[int, int]:
    """Return how many d6 and d8 are rolled; a solo game has no green die."""
    six = dice[DICE + Die.RED_D6] + dice[DICE + Die.YELLOW_D6] + dice[DICE + Die.BLUE_D6]
    return six, sum(dice[DICE:]) - six


def _threshold(track: bytearray, at: int) -> int:
    return 6 if track[at + CAMPS] else 5 if sum(track[at : at + LYING]) > 1 else 4


def _rolled(season: _Season, track: bytearray, facts: bytearray, roll: _Roll) -> float:
    """Return the value of a position with a roll to come."""
    chances = hit_chances(roll.six, roll.eight, _threshold(track, (roll.zone - 1) * SLOTS))
    return sum(chance * _after(season, track, facts, roll, hits) for hits, chance in enumerate(chances))


def _after(season: _Season, track: bytearray, facts: bytearray, roll: _Roll, hits: int) -> float:
    """Return the value after so many losses; a dash goes on in its better way."""
    at = (roll.zone - 1) * SLOTS
    if hits:
        track = track[:]
        if not lose(track, at, hits):
            return -DEATH
    if roll.man == Man.CAPTAIN and roll.zone == season.ship and facts[TO_POLE]:
        facts = _noted(facts, BACK)
    if facts[BACK] and facts[RESEARCH] >= season.target:
        return WON
    if roll.step != 1 or roll.man is None or not track[at + roll.man]:
        return _worth(season, track, facts)
    best = LOST - WON
    for zone in (roll.zone + 1, roll.zone - 1):
        if season.ship <= zone <= POLE:
            moved = _moved(track, at, (zone - 1) * SLOTS, (roll.man,), 0)
            seen = _noted(facts, TO_POLE) if roll.man == Man.CAPTAIN and zone == POLE else facts
            best = max(best, _rolled(season, moved, seen, roll._replace(zone=zone, step=2)))
    return best


def lose(track: bytearray, at: int, hits: int) -> bool:
    """Take losses in a zone as Greedy does: food first, the captain last; returns whether he lives."""
    for _ in range(hits):
        if track[at + FOOD]:
            track[at + FOOD] -= 1
        elif track[at + CRATES]:
            track[at + CRATES] -= 1
        elif any(track[at : at + LYING]):
            man = next(man for man in reversed(Man) if track[at + man])
            track[at + man] -= 1
            track[at + LYING + man] += 1
        elif any(track[at + LYING : at + 2 * LYING]):
            man = next(man for man in reversed(Man) if track[at + LYING + man])
            track[at + LYING + man] -= 1
            if man is Man.CAPTAIN:
                return False
    return True


def _moved(track: bytearray, at: int, to: int, men: tuple[int, ...], crates: int) -> bytearray:
    track = track[:]
    for man in men:
        track[at + man] -= 1
        track[to + man] += 1
    track[at + CRATES] -= crates
    track[to + CRATES] += crates
    return track


def _noted(facts: bytearray, name: int) -> bytearray:
    facts = facts[:]
    facts[name] = 1
    return facts


# What the captain could still do in this round


def _gain_after(season: _Season, state: SnowblindState, roll: _Roll) -> float:
    """Return what one more move would add after a usual roll.

    So a load that is brought up before the captain moves on is worth what he gains by waiting for it.
    """
    track, at = state.track, (roll.zone - 1) * SLOTS
    if roll.man == Man.CAPTAIN and roll.zone == season.ship and state.facts[TO_POLE]:
        return 0.0
    chances = hit_chances(roll.six, roll.eight, _threshold(track, at))
    usual = round(sum(hits * chance for hits, chance in enumerate(chances)))
    if usual:
        track = track[:]
        if not lose(track, at, usual):
            return 0.0
    return _gain(season, state, track, roll.six, roll.eight)


def _gain(season: _Season, state: SnowblindState, track: bytearray, six: int, eight: int) -> float:
    """Return what one more move of the captain, or to him, would add with so many dice in the pool; 0 if nothing."""
    facts = state.facts
    if facts[BACK]:
        return 0.0
    here = best = _worth(season, track, facts)
    for after, zone, seen, more_six, more_eight in _moves(season, state.dice, track, facts):
        value = _rolled(season, after, seen, _Roll(zone, None, six + more_six, eight + more_eight, 0))
        best = max(best, value)
    return best - here


_Option = tuple[bytearray, int, bytearray, int, int]


def _moves(season: _Season, dice: bytearray, track: bytearray, facts: bytearray) -> Iterator[_Option]:
    zone, at = _captain(season, track)
    busy = facts[RESEARCH] < season.target
    crates = track[at + CRATES]
    ahead = zone - 1 if facts[TO_POLE] else zone + 1
    if track[at] and season.ship <= ahead <= POLE:
        to, seen = (ahead - 1) * SLOTS, facts
        if ahead in (POLE, season.ship):
            seen = _noted(facts, BACK if facts[TO_POLE] else TO_POLE)
        if dice[Die.RED_D8]:
            mate = Man.SAILOR if track[at + Man.SAILOR] else Man.SCIENTIST
            men = (Man.CAPTAIN, mate) if track[at + mate] and not (busy and mate is Man.SCIENTIST) else (Man.CAPTAIN,)
            yield _moved(track, at, to, men, min(4, crates)), ahead, seen, 0, 1
        if dice[Die.RED_D6]:
            yield _moved(track, at, to, (Man.CAPTAIN,), min(3, crates)), ahead, seen, 1, 0
        elif dice[Die.GREY_D8] and not dice[Die.RED_D8]:
            yield _moved(track, at, to, (Man.CAPTAIN,), min(2, crates)), ahead, seen, 0, 1
    for beside in (zone - 1, zone + 1):
        if not season.ship <= beside <= POLE:
            continue
        origin = (beside - 1) * SLOTS
        for mate, six in ((Man.SAILOR, Die.BLUE_D6), (Man.SCIENTIST, Die.YELLOW_D6)):
            if track[origin + mate] and not (busy and mate is Man.SCIENTIST) and (dice[six] or dice[six + 1]):
                after = _moved(track, origin, at, (mate,), min(3, track[origin + CRATES]))
                if after[at + LYING] and after[at + CRATES]:
                    after[at + LYING], after[at] = 0, 1
                    after[at + CRATES] -= 1
                yield after, zone, facts, int(bool(dice[six])), int(not dice[six])
                break


# The position


def _worth(season: _Season, track: bytearray, facts: bytearray) -> float:
    """Return the value of a position in which nothing more is done in this round."""
    research = _research(season, track, facts)
    if research is None:
        return LOST / 2
    worth = research + CRATE * sum(track[CRATES::SLOTS]) + FLAG_PRESTIGE[facts[FLAG]] / 100
    zone, at = _captain(season, track)
    home = bool(facts[TO_POLE])
    steps = zone - season.ship if home else 2 * POLE - zone - season.ship
    if facts[BACK] or not steps:
        return worth + HOME
    late = steps - TIMETABLE[min(season.left, len(TIMETABLE) - 1)]
    worth += AHEAD * (9 - steps) - BEHIND * max(0.0, late) + CAMP_IN_HAND * bool(facts[HAND])
    scale = min(1.0, 0.35 + 0.13 * steps)
    worth += scale * (SUPPLIES[track[at + CRATES] + track[at + FOOD]] + _surroundings(season, track, zone, home=home))
    if track[at]:
        worth += scale * MATES[min(2, track[at + Man.SCIENTIST] + track[at + Man.SAILOR])]
        worth += CAMP * bool(track[at + CAMPS])
    else:
        worth -= _lying(season, track, zone, at)
    base = (season.ship - 1) * SLOTS
    if zone != season.ship and track[base + Man.SAILOR] and facts[RESEARCH] < season.target:
        worth += SUPPLIER
    return worth - (_weather(season, track, zone, at, scale) if season.left else 0.0)


def _captain(season: _Season, track: bytearray) -> tuple[int, int]:
    """Return the zone of the captain, standing or lying, and where its counts begin; he is alive."""
    return next(found for found in _STARTS[season.ship - 1 :] if track[found[1]] or track[found[1] + LYING])


def _research(season: _Season, track: bytearray, facts: bytearray) -> float | None:
    """Return what tokens and the scientist are worth; None when the target is out of reach."""
    worth = TOKEN * min(facts[RESEARCH], season.target)
    need = season.target - facts[RESEARCH]
    if need <= 0:
        return worth
    if season.left + season.yellow < need:
        return None
    if season.left < need:
        worth -= PENDING
    for zone, at in _STARTS:
        supplies = track[at + CRATES] + track[at + FOOD]
        if track[at + Man.SCIENTIST]:
            # At base a roll costs crates that can be spared; out there it would cost the scientist.
            return worth + SCIENTIST_SUPPLY * min(supplies, 6) - SCIENTIST_AWAY * max(0, zone - season.ship - 1)
        if track[at + LYING + Man.SCIENTIST]:
            urgent = 2 if season.left <= need else 1
            return worth - LYING_SCIENTIST * urgent * (0.5 if track[at + CRATES] else 1.0)
    return None


def _surroundings(season: _Season, track: bytearray, captain: int, *, home: bool) -> float:
    """Return what supplies and mates near the captain are worth, where he has yet to pass or from where they come."""
    worth = 0.0
    for offset, piece, mate in NEAR:
        zone = captain + offset
        if not season.ship <= zone <= POLE:
            continue
        at = (zone - 1) * SLOTS
        mates = track[at + Man.SCIENTIST] + track[at + Man.SAILOR]
        led = mates or ((offset < 0) == home and track[at + CRATES])
        behind = home and offset > 0
        each = piece * (1.0 if led else UNLED) * (PASSED_BY if behind else 1.0)
        worth += each * min(track[at + CRATES] + track[at + FOOD], 5)
        if not behind:
            worth += mate * min(mates, 2)
    return worth


def _lying(season: _Season, track: bytearray, captain: int, at: int) -> float:
    """Return what it costs that the captain lies: the more, the longer the way by crates to him."""
    if track[at + CRATES] or track[at + FOOD]:
        return LYING_CAPTAIN * LYING_BESIDE_SUPPLIES
    nearest = NO_RESCUE
    crates = [zone for zone, start in _STARTS if track[start + CRATES]]
    for zone, start in _STARTS[season.ship - 1 :]:
        if track[start + Man.SCIENTIST] or track[start + Man.SAILOR]:
            nearest = min([nearest, *(abs(zone - there) + abs(there - captain) for there in crates)])
    return LYING_CAPTAIN + RESCUE * nearest


def _weather(season: _Season, track: bytearray, captain: int, at: int, scale: float) -> float:
    """Return what the next card costs the captain's party; it spares him while somebody is nearer the Pole."""
    if any(any(track[start : start + LYING]) for _, start in _STARTS[captain:]) or not any(track[at : at + LYING]):
        return 0.0
    lowest = _threshold(track, at)
    hit = sum(card >= lowest for card in season.cards) / max(1, len(season.cards))
    supplies = track[at + CRATES] + track[at + FOOD]
    if supplies:
        return hit * scale * (SUPPLIES[supplies] - SUPPLIES[supplies - 1])
    if track[at + Man.SCIENTIST] or track[at + Man.SAILOR]:
        return hit * scale * MATES[1]
    return hit * (LYING_CAPTAIN + 2 * RESCUE)
