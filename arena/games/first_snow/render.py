"""Draws a view of First Snow: as text here, as SVG in picture.py."""

from __future__ import annotations

from textwrap import wrap
from typing import Final

from arena.games.first_snow.components import CARDS, FirstSnowComponents, Half, Print, Resource, Tool
from arena.games.first_snow.scene import (
    bear_line,
    camp_words,
    event_lines,
    headline,
    loads,
    order_line,
    stay_words,
    viewpoint,
    waiting_cards,
)
from arena.games.first_snow.v1 import first_snow_pb2 as pb

LEAST_WIDTH: Final = 80
_WIDE_HALF: Final = 9
_INDENT: Final = " " * 10
_EVENTS: Final = 14
_LEGEND: Final = (
    "N net  B bow  S spear  A axe: the tool it takes to reach it",
    "*  snow  o  snow a coat ignores  !  attacked by a bear  W winter side",
)


def render_text(view: pb.View, components: FirstSnowComponents, width: int) -> str:
    """Return the view drawn as text, no line wider than width (at least 80) characters."""
    width = max(width, LEAST_WIDTH)
    lines = [_between(headline(view), viewpoint(view), width), "=" * width]
    for seat in range(len(view.players)):
        lines += _player(view, seat, width)
    lines.append(f"  turn order {order_line(view)}")
    lines += _strip("landscape", [*view.landscape], view, components, width)
    lines += _strip("not placed", waiting_cards(view), view, components, width)
    lines += _LEGEND
    lines.append("-" * width)
    events = event_lines(view)
    if len(events) > _EVENTS:
        lines.append(f"({len(events) - _EVENTS} earlier events)")
    for event in events[-_EVENTS:]:
        lines += wrap(event, width, subsequent_indent="    ")
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _player(view: pb.View, seat: int, width: int) -> list[str]:
    player = view.players[seat]
    pointer = ">" if view.HasField("to_act") and view.to_act == seat else " "
    facts = f"{pointer} seat {seat}  {player.score:3} points  {bear_line(view.bears[seat])}"
    if view.HasField("stay") and view.stay.seat == seat:
        facts += f", in its {stay_words(view.stay)}"
    return [facts, *wrap(f"carries {loads(player)}", width, initial_indent=_INDENT, subsequent_indent=_INDENT)]


def _strip(title: str, cards: list[int], view: pb.View, components: FirstSnowComponents, width: int) -> list[str]:
    if not cards:
        return []
    half = ((width - 1) // len(CARDS) - 2) // 2
    boxes = [_box(card, view, components, half) for card in cards]
    height = max(map(len, boxes))
    for box in boxes:
        while len(box) < height:
            box.insert(-2, " " * (2 * half + 1))
    edge = "+" + ("-" * (2 * half + 1) + "+") * len(cards)
    rows = ["|" + "|".join(cells) + "|" for cells in zip(*boxes, strict=True)]
    return [title, edge, *rows, edge]


def _box(card: int, view: pb.View, components: FirstSnowComponents, half: int) -> list[str]:
    winter = card in view.winter_cards
    prints = [components.half(card, side, winter=winter) for side in Half]
    name = f"{card}{' W' if winter else ''}{' taken' if card == view.taken_card else ''}"
    columns = [[_resource(kind, tool, half) for kind, tool in shown.resources] for shown in prints]
    height = max(map(len, columns))
    cells = [[*column, *[""] * (height - len(column))] for column in columns]
    camps = camp_words(view)
    for column, shown, side in zip(cells, prints, Half, strict=True):
        column.append(_snow(shown, half))
        column.append(_camp(camps.get((card, side + 1)), half))
    return [name.center(2 * half + 1), *(f"{left:<{half}} {right:<{half}}" for left, right in zip(*cells, strict=True))]


def _resource(kind: Resource, tool: Tool | None, width: int) -> str:
    name = kind.name.lower()
    if width >= _WIDE_HALF:
        return name if tool is None else f"{name} {tool.name[0]}"
    return name[:width] if tool is None else f"{name[: width - 1]}{tool.name[0]}"


def _snow(shown: Print, width: int) -> str:
    flakes = "*" * (shown.snow - shown.coat) + "o" * shown.coat
    return flakes if len(flakes) <= width else f"{shown.snow}*{shown.coat}o"


def _camp(camp: tuple[int, str, bool] | None, width: int) -> str:
    if camp is None:
        return ""
    seat, time, attacked = camp
    words = f"{seat} {time}{'!' * attacked}"
    return words if len(words) <= width else f"{seat}{time[0]}{time[-2:]}{'!' * attacked}"


def _between(left: str, right: str, width: int) -> str:
    return f"{left}{right:>{width - len(left)}}" if len(left) + len(right) < width else left
