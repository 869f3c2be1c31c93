"""Draws a view of First Snow as one SVG document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

from arena.games.first_snow.components import FirstSnowComponents, Half, Print, Resource, Tool
from arena.games.first_snow.scene import (
    bear_line,
    camp_words,
    event_lines,
    headline,
    order_line,
    viewpoint,
    waiting_cards,
)
from arena.games.first_snow.v1 import first_snow_pb2 as pb
from arena.games.first_snow.wire import read_resources, read_tools

_FONT: Final = "Verdana, DejaVu Sans, sans-serif"
_WIDTH: Final = 980
_CARD: Final = (150, 170)
_GAP: Final = 6
_LEFT: Final = 26
_FIRST_TOP: Final = 178
_STRIP_GAP: Final = 36
_ROWS: Final = 7
_LEGEND: Final = "N, B, S, A: reached with net, bow, spear, axe. A coat ignores a ringed snowflake."
_SEATS: Final = ("#c0392b", "#2468b2")
_SUMMER: Final = ("#e3efcf", "#7c9a4d")
_WINTER: Final = ("#e9f2fa", "#7f9fbd")
_RESOURCES: Final = {
    Resource.BERRY: "#b0357a",
    Resource.FISH: "#3f87b5",
    Resource.BIRD: "#8c7a2c",
    Resource.CARIBOU: "#8a5a3c",
    Resource.WOOD: "#6b4a26",
    Resource.GRASS: "#5b9440",
    Resource.STONE: "#7d7f86",
}


def render_svg(view: pb.View, components: FirstSnowComponents) -> str:
    """Return the view drawn as one SVG document, 980 wide and as high as it needs; without events, no room for them."""
    return _draw(view, components, viewpoint(view))


def render_all(shown: Sequence[pb.View], components: FirstSnowComponents) -> str:
    """Return what all seats know together; shown: their views of one position, in seat order."""
    together = pb.View()
    together.CopyFrom(shown[0])
    together.ClearField("seat")
    for bear, view in zip(together.bears, shown, strict=True):
        bear.CopyFrom(view.bears[view.seat])
    return _draw(together, components, "as all seats see it together")


def _draw(view: pb.View, components: FirstSnowComponents, who: str) -> str:
    strips = (("Landscape", [*view.landscape]), ("Not placed", waiting_cards(view)))
    body: list[str] = []
    top = _FIRST_TOP
    for title, cards in strips:
        if cards:
            body.append(_text(_LEFT, top - 12, title, weight="bold"))
            body += _cards(cards, top, view, components)
            top += _CARD[1] + _STRIP_GAP
    events = [
        _text(_LEFT + 475 * (number // _ROWS), top + 16 * (number % _ROWS), line, size=11, fill="#333")
        for number, line in enumerate(event_lines(view)[-2 * _ROWS :])
    ]
    height = top + 16 * _ROWS * bool(events) + 24
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {_size(_WIDTH, height)} font-family="{_FONT}">',
        f'<rect width="{_WIDTH}" height="{height}" fill="#f7f7f4"/>',
        _text(_LEFT, 34, headline(view), size=20, weight="bold"),
        _text(_WIDTH - _LEFT, 34, who, anchor="end", fill="#666"),
        *(_player(view, seat) for seat in range(len(view.players))),
        _text(_WIDTH - _LEFT, _FIRST_TOP - 12, f"turn order: {order_line(view)}", anchor="end", fill="#444"),
        *body,
        _stay_frame(view),
        *events,
        _text(_LEFT, height - 12, _LEGEND, size=10, fill="#888"),
        "</svg>",
    ]
    return "\n".join(part for part in parts if part) + "\n"


def _size(width: int, height: int) -> str:
    return f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'


def _player(view: pb.View, seat: int) -> str:
    player = view.players[seat]
    width = (_WIDTH - 2 * _LEFT - 20) // 2
    left = _LEFT + seat * (width + 20)
    acting = view.HasField("to_act") and view.to_act == seat
    parts = [
        _rect((left, 50, width, 92), "#ffffff", _SEATS[seat], stroke_width=3 if acting else 1),
        _text(left + 12, 72, f"Seat {seat}", weight="bold", fill=_SEATS[seat], size=15),
        _text(left + 12, 92, bear_line(view.bears[seat]), fill="#444"),
        _text(left + width - 12, 82, str(player.score), anchor="end", weight="bold", size=26),
        _text(left + width - 12, 98, "points", anchor="end", fill="#666", size=11),
    ]
    at = left + 110
    good, damaged = read_tools([*player.good_tools]), read_tools([*player.damaged_tools])
    tools = [(tool, state) for state, tools in (("", good), ("damaged", damaged)) for tool in Tool if tools >> tool & 1]
    for tool, state in tools:
        dash = ' stroke-dasharray="4 3"' if state else ""
        parts.append(_rect((at, 58, 56, 34), "#fdf6e3", "#8d6e3f", extra=dash))
        parts.append(_text(at + 28, 73, tool.name.lower(), anchor="middle", size=11))
        parts.append(_text(at + 28, 87, state or "good", anchor="middle", size=9, fill="#8d6e3f"))
        at += 60
    parts.append(_pool(left + 120, 118, read_resources(player.resources)))
    return "\n".join(parts)


def _pool(left: int, middle: int, pool: int) -> str:
    parts: list[str] = []
    for kind in Resource:
        number = pool >> 8 * kind & 0xFF
        if number:
            parts.append(_chip(left, middle, kind, None))
            parts.append(_text(left + 14, middle + 4, f"x{number}", size=12))
            left += 48
    return "\n".join(parts) or _text(left - 8, middle + 4, "carries no resources", fill="#999", size=11)


def _cards(cards: list[int], top: int, view: pb.View, components: FirstSnowComponents) -> Iterable[str]:
    for place, card in enumerate(cards):
        yield _card(card, _place_left(place, len(cards)), top, view, components)


def _place_left(place: int, places: int) -> int:
    width = _CARD[0] + _GAP
    return (_WIDTH - places * width + _GAP) // 2 + place * width


def _card(card: int, left: int, top: int, view: pb.View, components: FirstSnowComponents) -> str:
    width, height = _CARD
    winter = card in view.winter_cards
    fill, stroke = _WINTER if winter else _SUMMER
    taken = card == view.taken_card
    middle = left + width // 2
    fold = f'x1="{middle}" y1="{top + 28}" x2="{middle}" y2="{top + height - 8}"'
    parts = [
        f'<g data-spot="card-{card}">',
        _rect((left, top, width, height), fill, "#d08a00" if taken else stroke, stroke_width=4 if taken else 1),
        f'<line {fold} stroke="{stroke}" stroke-dasharray="3 4"/>',
        _text(left + 8, top + 20, f"{card}", weight="bold", size=17, fill=stroke),
        _text(left + width - 8, top + 18, "winter" if winter else "summer", anchor="end", size=10, fill=stroke),
    ]
    camps = camp_words(view)
    for half in Half:
        centre = left + width // 4 + half * width // 2
        parts.append(_half(components.half(card, half, winter=winter), centre, top))
        camp = camps.get((card, half + 1))
        if camp is not None:
            parts.append(_camp(*camp, centre, top + height - 24))
    parts.append("</g>")
    return "\n".join(parts)


def _half(shown: Print, centre: int, top: int) -> str:
    parts: list[str] = []
    for number, (kind, tool) in enumerate(shown.resources):
        parts.append(_chip(centre - 17 + 34 * (number % 2), top + 42 + 28 * (number // 2), kind, tool))
    for flake in range(shown.snow):
        coat = flake >= shown.snow - shown.coat
        at = centre + 18 * flake - 9 * (shown.snow - 1)
        parts.append(_text(at, top + 116, "❄", anchor="middle", size=16, fill="#3a78b5"))
        if coat:
            parts.append(f'<circle cx="{at}" cy="{top + 110}" r="9" fill="none" stroke="#b5651d"/>')
    return "\n".join(parts)


def _chip(x: int, y: int, kind: Resource, tool: Tool | None) -> str:
    ring = f'<circle cx="{x}" cy="{y}" r="11" fill="{_RESOURCES[kind]}"/>'
    label = _text(x, y + 4, kind.name[:2].capitalize(), anchor="middle", size=10, fill="#ffffff")
    if tool is None:
        return ring + label
    badge = f'<rect x="{x + 3}" y="{y + 3}" width="13" height="11" rx="2" fill="#fdf6e3" stroke="#8d6e3f"/>'
    return ring + label + badge + _text(x + 9, y + 12, tool.name[0], anchor="middle", size=9)


def _camp(seat: int, time: str, attacked: bool, x: int, y: int) -> str:  # noqa: FBT001 - a fact of the camp, spread in
    die = _rect((x - 24, y - 12, 48, 24), _SEATS[seat], "#222222")
    label = _text(x, y + 4, f"{seat} {time}", anchor="middle", fill="#ffffff", size=11, weight="bold")
    mark = _text(x, y - 18, "bear!", anchor="middle", size=11, weight="bold", fill="#7a1010") if attacked else ""
    return die + label + mark


def _stay_frame(view: pb.View) -> str:
    """Frame the location whose camp is being resolved."""
    if not view.HasField("stay"):
        return ""
    row = [*view.landscape]
    left = _place_left(row.index(view.stay.left_card), len(row)) + _CARD[0] // 2
    return (
        f'<rect x="{left + 2}" y="{_FIRST_TOP - 5}" width="{_CARD[0] + _GAP - 4}" height="{_CARD[1] + 10}" '
        f'rx="8" fill="none" stroke="{_SEATS[view.stay.seat]}" stroke-width="4"/>'
    )


def _rect(box: tuple[int, int, int, int], fill: str, stroke: str, *, stroke_width: int = 1, extra: str = "") -> str:
    x, y, width, height = box
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" fill="{fill}" stroke="{stroke}" '
        f'stroke-width="{stroke_width}"{extra}/>'
    )


def _text(
    x: int, y: int, text: str, *, size: int = 12, fill: str = "#111", anchor: str = "start", weight: str = "normal"
) -> str:
    return (
        f'<text x="{x}" y="{y}" font-size="{size}" fill="{fill}" text-anchor="{anchor}" font-weight="{weight}">'
        f"{escape(text, quote=False)}</text>"
    )
