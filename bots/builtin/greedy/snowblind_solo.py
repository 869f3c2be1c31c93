"""What Greedy thinks of a solo game of Snowblind: the chance to win after the roll to come, by its exact odds."""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple

from arena.core.seat import Seat
from arena.games.snowblind.actions import POLE, Action, Man, Move, Use
from arena.games.snowblind.components import Die
from arena.games.snowblind.score import is_won, prestige
from arena.games.snowblind.state import (
    BACK,
    CRATES,
    DICE,
    FOOD,
    LYING,
    RESEARCH,
    SLOTS,
    TO_POLE,
    Phase,
    SnowblindState,
)
from bots.builtin.greedy.snowblind_chance import Season, chance, threshold

WON: Final = 200.0
"""What a won game is worth; a chance to win is worth its share of it."""
_RARE: Final = 0.01
"""If more losses come so rarely, they count like the most that were looked at."""
_CHOICES: Final = frozenset({Phase.MOVE, Phase.BRING, Phase.LOAD, Phase.TRADE, Phase.CAMP, Phase.REVIVE, Phase.FLAG})


class _Roll(NamedTuple):
    """A roll to come: in which zone, whose move it ends (None: nobody's), which step of a dash it is (0: of none)."""

    zone: int
    man: int | None = None
    step: int = 0


def evaluate(state: SnowblindState, seat: Seat) -> float:
    """Return the chance to win as a share of WON; once it is won, Prestige counts, which a roll can only cost."""
    if _is_won(state):
        at_risk = state.outcome is None and state.phase not in (Phase.WEATHER, Phase.FLAG)
        return WON + prestige(state, seat) / 100 - at_risk
    # Of equals, food is spent before crates: it cannot be carried.
    return WON * _chance(state) + state.count(seat, CRATES) / 1000


def _chance(state: SnowblindState) -> float:
    """Return the chance to win when what is asked next is answered in its best way."""
    if state.outcome is not None or _is_won(state):
        return float(_is_won(state))
    if state.phase in _CHOICES:
        best = 0.0
        for action in sensible(state):
            after = state.copy()
            after.apply(action)
            best = max(best, _chance(after))
        return best
    season = _season(state)
    if state.phase is Phase.WEATHER:
        return _passed(season, state)
    if state.phase is Phase.ROLL:
        if state.use is Use.GREY_CAMP and not _has_captain(state):
            return 0.0
        return _rolled(season, state.track, state.facts, _Roll(state.zone, _mover(state), state.step))
    if state.phase is Phase.LOSS:
        roll = _Roll(state.zone, _mover(state), state.step if state.runner else 0)
        return _after(
            _next_round(season, state) if state.use is None else season, state.track, state.facts, roll, state.hits
        )
    return chance(state.track, state.facts, season)


def _is_won(state: SnowblindState) -> bool:
    return is_won(state) if state.outcome is None else state.outcome.ranks == (1,)


def _has_captain(state: SnowblindState) -> bool:
    """Return whether the captain is in the zone of the action; the only camp is for him."""
    at = (state.zone - 1) * SLOTS
    return bool(state.track[at] or state.track[at + LYING])


def sensible(state: SnowblindState) -> list[Action]:
    """Return the legal answers worth a look: the captain goes his way and carries most, others all or nothing."""
    legal = state.legal_actions()
    if state.phase is Phase.LOAD:
        return list(legal[-2:]) if state.man is Man.CAPTAIN else [legal[0], legal[-1]]
    if state.phase is not Phase.MOVE or state.step == 2:
        return list(legal)
    return [move for move in legal if isinstance(move, Move) and _is_sensible(state, move)]


def _is_sensible(state: SnowblindState, move: Move) -> bool:
    if move.man is Man.CAPTAIN:
        way = -1 if state.facts[TO_POLE] else 1
        return move.zone - move.origin == way or bool(state.facts[BACK])
    # A grey die is for the captain, unless the colour of the other is used up; nobody else dashes.
    own = Die.YELLOW_D6 if move.man is Man.SCIENTIST else Die.BLUE_D6
    return state.use is not Use.GREY_DASH and not (state.use is Use.GREY_HAUL and state.dice[own])


def _season(state: SnowblindState) -> Season:
    dice = state.dice
    six = dice[DICE + Die.RED_D6] + dice[DICE + Die.YELLOW_D6] + dice[DICE + Die.BLUE_D6]
    left = len(state.components.solo_cards) - state.round
    reds = dice[Die.RED_D6] + dice[Die.RED_D8]
    return Season(
        state.mode.setup.ship, state.mode.target, left, six, sum(dice[DICE:]) - six, reds, bool(dice[Die.YELLOW_D8])
    )


def _next_round(season: Season, state: SnowblindState) -> Season:
    dice = state.mode.dice
    reds = dice[Die.RED_D6] + dice[Die.RED_D8]
    return season._replace(left=season.left - 1, six=0, eight=0, reds=reds, yellow=bool(dice[Die.YELLOW_D8]))


def _mover(state: SnowblindState) -> int | None:
    """Return whose move the roll ends; nobody's if a camp was placed or the weather strikes."""
    return None if state.use in (None, Use.GREY_CAMP) else int(state.man)


def _passed(season: Season, state: SnowblindState) -> float:
    """Return the chance at the start of the next round, over the cards that may come before it."""
    if not season.left:
        return 0.0
    season = _next_round(season, state)
    cards = list(state.components.solo_cards)
    for card in state.drawn:
        cards.remove(card)
    spared = chance(state.track, state.facts, season)
    for zone in range(POLE, 0, -1):
        at = (zone - 1) * SLOTS
        if any(state.track[at : at + LYING]):
            share = sum(card >= threshold(state.track, at) for card in cards) / len(cards)
            return (1 - share) * spared + share * _after(season, state.track, state.facts, _Roll(zone), 1)
    return spared


# The roll, by its exact odds


@cache
def hit_chances(six: int, eight: int, lowest: int) -> tuple[float, ...]:
    """Return the probability of 0, 1, 2, ... exposures from so many d6 and d8."""
    chances = [1.0]
    for sides in [6] * six + [8] * eight:
        hit = (sides + 1 - lowest) / sides
        grown = [0.0] * (len(chances) + 1)
        for hits, odds in enumerate(chances):
            grown[hits] += odds * (1 - hit)
            grown[hits + 1] += odds * hit
        chances = grown
    return tuple(chances)


def _rolled(season: Season, track: bytearray, facts: bytearray, roll: _Roll) -> float:
    """Return the chance before a roll."""
    odds = hit_chances(season.six, season.eight, threshold(track, (roll.zone - 1) * SLOTS))
    value, rest = 0.0, 1.0
    for hits, likely in enumerate(odds):
        after = _after(season, track, facts, roll, hits)
        value += likely * after
        rest -= likely
        if rest < _RARE:
            return value + rest * after
    return value


def _after(season: Season, track: bytearray, facts: bytearray, roll: _Roll, hits: int) -> float:
    """Return the chance after so many losses; a dash goes on in its better way."""
    zone, man, at = roll.zone, roll.man, (roll.zone - 1) * SLOTS
    if hits:
        track = track[:]
        if not lose(track, at, hits):
            return 0.0
    if man == Man.CAPTAIN and zone == season.ship and facts[TO_POLE]:
        facts = _noted(facts, BACK)
    if roll.step != 1 or man is None or not track[at + man] or (facts[BACK] and facts[RESEARCH] >= season.target):
        return chance(track, facts, season)
    best = 0.0
    for beyond in (zone + 1, zone - 1):
        if season.ship <= beyond <= POLE:
            moved = track[:]
            moved[at + man] -= 1
            moved[(beyond - 1) * SLOTS + man] += 1
            seen = _noted(facts, TO_POLE) if man == Man.CAPTAIN and beyond == POLE else facts
            best = max(best, _rolled(season, moved, seen, _Roll(beyond, man, 2)))
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


def _noted(facts: bytearray, name: int) -> bytearray:
    facts = facts[:]
    facts[name] = 1
    return facts
