"""Draws a view of Snowblind as text."""

from __future__ import annotations

from textwrap import wrap
from typing import Final

from arena.games.snowblind.actions import POLE, ZONES
from arena.games.snowblind.components import SETUPS, SnowblindComponents
from arena.games.snowblind.scene import (
    course_line,
    dice_words,
    event_lines,
    expedition_facts,
    headline,
    pool_line,
    viewpoint,
    weather_line,
)
from arena.games.snowblind.v1 import snowblind_pb2 as pb

LEAST_WIDTH: Final = 80
_WIDE_CELL: Final = 18
_EVENTS: Final = 14
_LEGEND: Final = "C captain  Y scientist  B sailor, small letters are exhausted"
_SHORT: Final = "cr crates  fd food  ba barrels  ca camps"
_INDENT: Final = "  "


def render_text(view: pb.View, components: SnowblindComponents, width: int) -> str:
    """Return the view drawn as text, no line wider than width (at least 80) characters."""
    width = max(width, LEAST_WIDTH)
    lines = [_between(headline(view), viewpoint(view), width), "=" * width]
    lines += _wrapped(f"{weather_line(view)}; supply: {view.food} food, {view.research} research", width)
    lines += _wrapped(f"action board: {dice_words([*view.dice])}", width)
    ship = components.setups[view.variant if view.variant in SETUPS else "solo"].ship
    for seat in range(len(view.expeditions)):
        lines += _expedition(view, seat, ship, width)
    lines += [_LEGEND] if _cell(width) >= _WIDE_CELL else [_LEGEND, _SHORT]
    if course := course_line(view):
        lines += _wrapped(course, width)
    lines.append("-" * width)
    events = event_lines(view)
    if len(events) > _EVENTS:
        lines.append(f"({len(events) - _EVENTS} earlier turns)")
    for event in events[-_EVENTS:]:
        lines += _wrapped(event, width)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _expedition(view: pb.View, seat: int, ship: int, width: int) -> list[str]:
    own = view.expeditions[seat]
    pointer = ">" if view.HasField("to_act") and view.to_act == seat else " "
    lines = ["-" * width, *_wrapped(f"{pointer} seat {seat}: {', '.join(expedition_facts(view, seat))}", width)]
    if own.pool:
        lines += _wrapped(f"  pool: {pool_line(view, seat)}", width)
    cell = _cell(width)
    rows = [
        [_zone_name(zone, ship) for zone in ZONES],
        [_men(own, zone, cell) for zone in ZONES],
        [_pair(own.crates[zone - 1], ("crate", "cr"), own.food[zone - 1], ("food", "fd"), cell) for zone in ZONES],
        [_pair(own.barrels[zone - 1], ("barrel", "ba"), own.camps[zone - 1], ("camp", "ca"), cell) for zone in ZONES],
        ["flag" if zone == own.flag_zone else "" for zone in ZONES],
    ]
    return lines + [_INDENT + "|".join(f"{text[:cell]:<{cell}}" for text in row) for row in rows if any(row)]


def _cell(width: int) -> int:
    return (width - 2) // POLE - 1


def _zone_name(zone: int, ship: int) -> str:
    if zone == POLE:
        return f"{zone} POLE"
    return f"{zone} ship" if zone == ship else f"{zone}" if zone > ship else "."


def _men(own: pb.Expedition, zone: int, cell: int) -> str:
    at = zone - 1
    groups = (
        ("C", own.captain[at]),
        ("Y", own.scientists[at]),
        ("B", own.sailors[at]),
        ("c", own.lying_captain[at]),
        ("y", own.lying_scientists[at]),
        ("b", own.lying_sailors[at]),
    )
    full = " ".join(letter * many for letter, many in groups if many)
    return (
        full if len(full) <= cell else "".join(f"{many if many > 1 else ''}{letter}" for letter, many in groups if many)
    )


def _pair(first: int, names: tuple[str, str], second: int, others: tuple[str, str], cell: int) -> str:
    wide = cell >= _WIDE_CELL
    parts: list[str] = []
    for many, (long, short) in ((first, names), (second, others)):
        if many:
            plural = "s" if many > 1 and long != "food" else ""
            parts.append(f"{many} {long}{plural}" if wide else f"{many} {short}")
    return ", ".join(parts) if wide else " ".join(parts)


def _wrapped(text: str, width: int) -> list[str]:
    return wrap(text, width, subsequent_indent="    ", drop_whitespace=True)


def _between(left: str, right: str, width: int) -> str:
    return f"{left}{right:>{width - len(left)}}" if len(left) + len(right) < width else left
