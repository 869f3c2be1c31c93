"""The chance to win a solo game of Snowblind from a position: log-odds, added up from the tables beside this file."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import lru_cache
from math import exp
from pathlib import Path
from typing import Any, Final, NamedTuple

from arena.games.snowblind.actions import POLE, Man
from arena.games.snowblind.state import BACK, CAMPS, CRATES, FOOD, HAND, LYING, RESEARCH, ROLLS, SLOTS, TO_POLE

_TABLES: Final[dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("snowblind_chance.toml").read_text(encoding="utf-8")
)
TIMETABLE: Final[Sequence[Sequence[float]]] = _TABLES["timetable"]
SUPPLIES: Final[Sequence[Sequence[float]]] = _TABLES["supplies"]
_WAYS: Final[Sequence[dict[str, Any]]] = (_TABLES["out"], _TABLES["home"])
RESEARCH_ODDS: Final[dict[str, Any]] = _TABLES["research"]
OFFSETS: Final = (1, 2, -1, -2, -3, -4)
"""Zones that are looked at beside the captain's, counted in the direction he goes."""
_MOST: Final = 8
_LONGEST: Final = len(TIMETABLE[0]) - 1
_STARTS: Final = tuple((zone, (zone - 1) * SLOTS) for zone in range(1, POLE + 1))


class Season(NamedTuple):
    """What bears on a position beside the track: ship, tokens asked for, rounds after this one, the pool, the board.

    six, eight: dice in the pool. reds: dice for the captain on the board. yellow: whether the yellow d8 is there.
    """

    ship: int
    target: int
    left: int
    six: int
    eight: int
    reds: int
    yellow: bool

    @property
    def hazard(self) -> int:
        """Return three times the losses that the next roll costs in company, in whole numbers and at most 8."""
        return min(_MOST, (2 * self.six + 3 * self.eight) // 2)


def chance(track: bytearray, facts: bytearray, season: Season) -> float:
    """Return the chance to win with this track and these facts, if it goes on as Greedy plays."""
    return _chance(bytes(track), bytes(facts[RESEARCH:ROLLS]), season)


@lru_cache(maxsize=1 << 14)
def _chance(counts: bytes, some: bytes, season: Season) -> float:
    """Return the same for copies; many ways lead to one position."""
    track, facts = bytearray(counts), bytearray(RESEARCH) + some
    need = season.target - facts[RESEARCH]
    if need <= 0 and facts[BACK]:
        return 1.0
    if need > season.left + season.yellow:
        return 0.0
    odds = TIMETABLE[0][min(_LONGEST, season.left)] if facts[BACK] else _journey(track, facts, season)
    if need > 0:
        odds += _research(track, season, need)
    return 1 / (1 + exp(-odds))


def threshold(track: bytearray, at: int) -> int:
    """Return the lowest number that is an exposure in the zone whose counts begin there."""
    return 6 if track[at + CAMPS] else 5 if track[at] + track[at + 1] + track[at + 2] > 1 else 4


def _journey(track: bytearray, facts: bytearray, season: Season) -> float:
    """Return the log-odds of the captain's way: his steps and rounds, what he has and what lies around him."""
    home = facts[TO_POLE]
    zone, at = next(start for start in _STARTS if track[start[1]] or track[start[1] + LYING])
    steps = max(1, zone - season.ship) if home else min(9, 2 * POLE - zone - season.ship)
    supplies = track[at + CRATES] + track[at + FOOD]
    way, last = _WAYS[home], not season.left
    odds = TIMETABLE[steps][min(_LONGEST, season.left)] + SUPPLIES[steps][min(_MOST, supplies)]
    odds += way["hazard"][last][season.hazard]
    if track[at]:
        odds += way["mates"][min(2, track[at + Man.SCIENTIST] + track[at + Man.SAILOR])]
        odds += way["reds"][last][min(3, season.reds)]
        if track[at + CAMPS]:
            odds += way["camp"]
    else:
        odds += way["lying"][0 if supplies else _rescue(track, zone)]
    if facts[HAND]:
        odds += way["camp_in_hand"]
    return float(odds) + _around(track, zone, way, -1 if home else 1)


def _around(track: bytearray, zone: int, way: dict[str, Any], direction: int) -> float:
    odds = 0.0
    for offset, supply, mate in zip(OFFSETS, way["supplies_near"], way["mates_near"], strict=True):
        near = zone + direction * offset
        if 1 <= near <= POLE:
            at = (near - 1) * SLOTS
            odds += supply * min(6, track[at + CRATES] + track[at + FOOD])
            odds += mate * min(2, track[at + Man.SCIENTIST] + track[at + Man.SAILOR])
    return odds


def _rescue(track: bytearray, captain: int) -> int:
    """Return how many steps the nearest man needs to bring a crate to the captain, at most 7."""
    crates = [zone for zone, at in _STARTS if track[at + CRATES]]
    men = [zone for zone, at in _STARTS if track[at + Man.SCIENTIST] or track[at + Man.SAILOR]]
    return min([7, *(abs(zone - there) + abs(there - captain) for zone in men for there in crates)])


def _research(track: bytearray, season: Season, need: int) -> float:
    """Return the log-odds of the tokens still needed: time to spare, the scientist, his supplies and company."""
    slack = season.left + season.yellow - need
    urgent = not slack and season.yellow
    odds = RESEARCH_ODDS["slack"][min(2, slack)] + RESEARCH_ODDS["need"] * need
    for zone, at in _STARTS:
        supplies = track[at + CRATES] + track[at + FOOD]
        if track[at + LYING + Man.SCIENTIST]:
            odds += RESEARCH_ODDS["lying"][urgent][bool(supplies)] + RESEARCH_ODDS["zone"][zone - 1]
        elif track[at + Man.SCIENTIST]:
            odds += RESEARCH_ODDS["zone"][zone - 1] + RESEARCH_ODDS["supplies"][min(_MOST, supplies)]
            if track[at + Man.SAILOR]:
                odds += RESEARCH_ODDS["sailor"]
            if urgent:
                odds += RESEARCH_ODDS["urgent"][season.hazard][min(4, supplies // 2)]
    return float(odds)
