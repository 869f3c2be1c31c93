"""Draws a view of Frost Shelter as one SVG document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from textwrap import wrap
from typing import Final

from arena.games.frost_shelter.actions import Piece, Resource, resource_of, value_of
from arena.games.frost_shelter.components import Cost, FrostShelterComponents, Price
from arena.games.frost_shelter.v1 import frost_shelter_pb2 as pb
from arena.games.frost_shelter.wire import read_card
from arena.games.frost_shelter.words import (
    cost_words,
    counted_words,
    effect_words,
    event_of,
    headline,
    marks,
    relic_words,
    status_words,
    story,
    viewpoint,
    winnings_words,
)

Box = tuple[float, float, float, float]
"""Left, top, width, height in pixels."""

_FONT: Final = "Verdana, DejaVu Sans, sans-serif"
_WIDTH: Final = 1080
_LEFT: Final = 24
_BODY: Final = 710
_STORY: Final = _LEFT + _BODY + 20
_STORY_CHARACTERS: Final = 46
_EVENT_TOP: Final = 52
_EVENT_HEIGHT: Final = 132
_SEATS_TOP: Final = 196
_SEAT_HEIGHT: Final = 78
_HANDS: Final = 256
"""From the trick down to the hands."""
_OPTIONS: Final = 3
"""Options in a row of an Event card."""
_CARD: Final = (58, 78)
_SMALL: Final = (26, 34)
_GOLD: Final = "#d4a017"
_COLOURS: Final = {
    Resource.FUEL: "#c2571a",
    Resource.WATER: "#2b78b5",
    Resource.FOOD: "#4f8a34",
    Resource.TOOLS: "#6a6f78",
}
_SEATS: Final = ("#c0392b", "#2468b2", "#2f8f5b", "#8e44ad", "#b8860b")
_FREE: Final = {Price.ANY: "?", Price.SAME: "=", Price.DIFFERENT: "≠"}


def render_svg(view: pb.View, components: FrostShelterComponents) -> str:
    """Return the view drawn as one SVG document, as high as the number of players asks for.

    It is 1080 wide with a column for what happened, 758 where the view tells no events.
    """
    trick_top = _trick_top(view)
    hand_top = trick_top + _HANDS
    height = hand_top + (130 if view.HasField("seat") else 0)
    parts = [*_table(view, components, trick_top, height, viewpoint(view))]
    if view.HasField("seat"):
        title = f"Hand of seat {view.seat}" if view.hand else f"The hand of seat {view.seat} is empty"
        parts.append(_text(_LEFT, hand_top + 4, title, weight="bold"))
        parts += _cards([*map(read_card, view.hand)], (_LEFT, hand_top + 14), _CARD, view, _BODY)
    return "\n".join([*parts, "</svg>"]) + "\n"


def render_all(shown: Sequence[pb.View], components: FrostShelterComponents) -> str:
    """Return what all seats know together; shown: their views of one position, in seat order."""
    table = pb.View()
    table.CopyFrom(shown[0])
    table.ClearField("seat")
    trick_top = _trick_top(table)
    height = trick_top + _HANDS + 64 * len(shown)
    parts = [*_table(table, components, trick_top, height, "as all seats see it together")]
    for view in shown:
        top = trick_top + _HANDS + 64 * view.seat
        title = f"Hand of seat {view.seat}" if view.hand else f"The hand of seat {view.seat} is empty"
        parts.append(_text(_LEFT, top, title, weight="bold", size=12, fill=_SEATS[view.seat]))
        parts += _cards([*map(read_card, view.hand)], (_LEFT, top + 8), _SMALL, view, _BODY)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _trick_top(view: pb.View) -> int:
    return _SEATS_TOP + len(view.players) * (_SEAT_HEIGHT + 6) + 8


def _table(view: pb.View, components: FrostShelterComponents, trick_top: int, height: int, who: str) -> Iterable[str]:
    """Draw everything but hands, from the opening tag on."""
    width = _WIDTH if view.events else _LEFT + _BODY + _LEFT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {_size(width, height)} font-family="{_FONT}">',
        f'<rect width="{width}" height="{height}" fill="#f4f6f8"/>',
        _text(_LEFT, 34, headline(view, components), size=18, weight="bold"),
        _text(width - _LEFT, 34 if view.events else 14, who, anchor="end", fill="#666", size=14 if view.events else 10),
        *_event(view, components),
        *_relic(view, components),
        *_row(view, components),
    ]
    for seat in range(len(view.players)):
        parts += _seat(view, seat)
    parts += _trick(view, components, trick_top)
    parts += _piles(view, trick_top + 128)
    return [*parts, *(_story(view, components, height) if view.events else ())]


def _size(width: int, height: int) -> str:
    return f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'


def _event(view: pb.View, components: FrostShelterComponents) -> list[str]:
    event = event_of(view, components)
    parts = [_rect((_LEFT, _EVENT_TOP, 430, _EVENT_HEIGHT), "#dfe9f3", "#7f9fbd")]
    if event is None:
        return [*parts, _text(_LEFT + 14, _EVENT_TOP + 28, "No Event yet", fill="#666")]
    parts += [
        _text(_LEFT + 14, _EVENT_TOP + 26, event.name, size=18, weight="bold"),
        _text(_LEFT + 416, _EVENT_TOP + 24, status_words("events", components), anchor="end", fill="#666", size=11),
        _text(_LEFT + 14, _EVENT_TOP + 46, f"{event.damage} damage, {event.necessary} cards necessary", size=13),
    ]
    gap = 36 if len(event.options) <= 2 * _OPTIONS else 25
    for place, (shown, option) in enumerate(zip(view.event_card.options, event.options, strict=True)):
        left = _LEFT + 14 + place % _OPTIONS * 138
        top = _EVENT_TOP + 58 + place // _OPTIONS * gap
        parts += _option(option.cost, option.prevents, (left, top), used=shown.used)
    return parts


def _option(cost: Cost, prevents: int, at: tuple[float, float], *, used: bool) -> list[str]:
    left, top = at
    step = 27 if len(cost.cards) <= 2 else 14
    tokens = []
    for place, price in enumerate(cost.cards):
        box = (left + place * step, top, 25, 22)
        colour = _COLOURS[Resource(price)] if price < Price.RELIC else _GOLD
        tokens.append(_rect(box, colour, "#333", radius=4))
        letters = price.name[:2].title() if price <= Price.RELIC else _FREE[price]
        tokens.append(_text(box[0] + 12.5, top + 16, letters, size=12, anchor="middle", fill="#fff", weight="bold"))
    end = left + (len(cost.cards) - 1) * step + 31
    words = f"→ −{prevents}{' ✓' if used else ''}"
    tokens.append(_text(end, top + 16, words, size=13, weight="bold", fill="#1d7a3a" if used else "#222"))
    title = f"<title>{escape(cost_words(cost), quote=False)} prevents {prevents}</title>"
    return [f'<g opacity="{0.55 if used else 1}">{title}', *tokens, "</g>"]


def _relic(view: pb.View, components: FrostShelterComponents) -> list[str]:
    left = _LEFT + 440
    colour = _COLOURS[Resource(view.relic - 1)] if view.relic else "#b9c2cb"
    parts = [_rect((left, _EVENT_TOP, 96, _EVENT_HEIGHT), colour, _GOLD, stroke_width=4)]
    parts.append(_text(left + 48, _EVENT_TOP + 24, "Relic", anchor="middle", fill="#fff", weight="bold"))
    lines = wrap(relic_words(view), 11)
    size = 18 if len(lines) == 1 else 12
    for number, line in enumerate(lines):
        top = _EVENT_TOP + 60 + number * 16
        parts.append(_text(left + 48, top, line, anchor="middle", fill="#fff", size=size, weight="bold"))
    words = status_words("relics", components)
    return [*parts, _text(left + 48, _EVENT_TOP + 122, words, anchor="middle", fill="#fff", size=9)]


def _row(view: pb.View, components: FrostShelterComponents) -> list[str]:
    left = _LEFT + 548
    parts = [_rect((left, _EVENT_TOP, 162, _EVENT_HEIGHT), "#fff", "#9aa7b3")]
    parts.append(_text(left + 12, _EVENT_TOP + 22, "Equipment row", weight="bold"))
    counts = (view.row.tarps, view.row.chests, view.row.harpoons)
    for piece, count in zip(Piece, counts, strict=True):
        top = _EVENT_TOP + 44 + piece * 25
        parts.append(_text(left + 12, top, f"{count} × {piece.name.title()}", size=13))
        parts.append(_text(left + 12, top + 11, cost_words(components.equipment[piece].cost), size=9, fill="#666"))
        parts.append(_text(left + 150, top, effect_words(piece, components), size=9, fill="#666", anchor="end"))
    words = status_words("equipment", components)
    return [*parts, _text(left + 150, _EVENT_TOP + 126, words, size=9, fill="#666", anchor="end")]


def _seat(view: pb.View, seat: int) -> list[str]:
    player = view.players[seat]
    top = _SEATS_TOP + seat * (_SEAT_HEIGHT + 6)
    acting = view.HasField("to_act") and view.to_act == seat
    colour = _SEATS[seat]
    parts = [
        _rect(
            (_LEFT, top, _BODY, _SEAT_HEIGHT), "#fffbe8" if acting else "#fff", colour, stroke_width=3 if acting else 1
        ),
        _text(_LEFT + 12, top + 22, f"Seat {seat}", weight="bold", fill=colour, size=15),
        _text(_LEFT + 38, top + 58, str(player.damage), anchor="middle", size=26, weight="bold", fill="#a11"),
        _text(_LEFT + 38, top + 71, "damage", anchor="middle", size=10, fill="#666"),
        _text(_LEFT + 80, top + 22, ", ".join(marks(view, seat)), size=12, fill="#444"),
    ]
    right, counts = _LEFT + _BODY - 12, f"{len(player.colony)} in colony"
    if view.ranks:
        parts.append(_text(right, top + 22, f"{counts}: {counted_words(view, seat)}", anchor="end", size=12))
        parts.append(_text(right - 240, top + 22, f"rank {view.ranks[seat]}", anchor="end", weight="bold", size=15))
    else:
        parts.append(_text(right, top + 22, f"{player.hand_count} in hand, {counts}", anchor="end", size=12))
    cards = [*map(read_card, player.colony)]
    if cards:
        parts += _cards(cards, (_LEFT + 80, top + 34), _SMALL, view, 400)
    else:
        parts.append(_text(_LEFT + 80, top + 56, "empty colony", fill="#888", size=12))
    return parts + _held(player.equipment, (_LEFT + 490, top + 36))


def _held(pieces: pb.Pieces, at: tuple[float, float]) -> list[str]:
    parts: list[str] = []
    left, top = at
    for piece, count in zip(Piece, (pieces.tarps, pieces.chests, pieces.harpoons), strict=True):
        if count:
            words = f"{count} × {piece.name.title()}" if count > 1 else piece.name.title()
            parts.append(_rect((left, top, 66, 28), "#ece3d0", "#8a7448", radius=4))
            parts.append(_text(left + 33, top + 18, words, anchor="middle", size=10, fill="#5b4a23"))
            left += 70
    return parts


def _trick(view: pb.View, components: FrostShelterComponents, top: float) -> list[str]:
    parts = [_text(_LEFT, top + 12, "Trick", weight="bold")]
    words = winnings_words(view, components)
    parts.append(_text(_LEFT + 60, top + 12, words if view.trick else f"none under way; {words}", fill="#888", size=12))
    waiting = {read_card(card) for card in view.table}
    for place, laid in enumerate(view.trick):
        seat = (view.leader + place) % len(view.players)
        left, card = _LEFT + place * 118, read_card(laid.card)
        parts.append(f'<g opacity="{1 if card in waiting else 0.35}">')
        parts += [*_cards([card], (left, top + 22), _CARD, view, _BODY), "</g>"]
        notes = [f"Seat {seat}", "leads" if not place else "", "Expedition" if laid.expedition else ""]
        notes.append("wins" if view.HasField("winner") and view.winner == seat else "")
        notes.append(_whereabouts(view, card))
        for number, note in enumerate(note for note in notes if note):
            weight = "bold" if number == 0 else "normal"
            parts.append(_text(left + 62, top + 36 + number * 14, note, size=10, fill=_SEATS[seat], weight=weight))
    return parts


def _whereabouts(view: pb.View, card: int) -> str:
    """Return where a card of the trick went, "" while it lies there."""
    if card in map(read_card, view.pool):
        return "→ pool"
    for seat, player in enumerate(view.players):
        if card in map(read_card, player.colony):
            return f"→ seat {seat}"
    return ""


def _piles(view: pb.View, top: float) -> list[str]:
    parts = []
    for number, (name, cards) in enumerate(
        (("Pool (Expedition deck)", view.pool), ("Spent in this Event", view.spent))
    ):
        at = top + number * 62
        parts.append(_text(_LEFT, at, name, weight="bold", size=12))
        if cards:
            parts += _cards([*map(read_card, cards)], (_LEFT, at + 8), _SMALL, view, _BODY)
        else:
            parts.append(_text(_LEFT, at + 24, "empty", fill="#888", size=12))
    return parts


def _story(view: pb.View, components: FrostShelterComponents, height: float) -> list[str]:
    parts = [
        _rect((_STORY, _EVENT_TOP, _WIDTH - _STORY - _LEFT, height - _EVENT_TOP - 20), "#fff", "#c5ccd3"),
        _text(_STORY + 12, _EVENT_TOP + 22, "What happened", weight="bold"),
    ]
    lines = [
        piece for line in story(view, components) for piece in wrap(line, _STORY_CHARACTERS, subsequent_indent="   ")
    ]
    room = int((height - _EVENT_TOP - 66) // 15)
    if len(lines) > room:
        lines = ["...", *lines[1 - room :]]
    for number, line in enumerate(lines or ["nothing yet"]):
        indent = 10 if line.startswith("   ") else 0
        parts.append(_text(_STORY + 12 + indent, _EVENT_TOP + 42 + number * 15, line.strip(), size=11, fill="#333"))
    return parts


def _cards(
    cards: Sequence[int], at: tuple[float, float], size: tuple[int, int], view: pb.View, room: float
) -> Iterable[str]:
    """Draw cards side by side, closer where there is no room; cards of the Relic have a golden edge."""
    width, height = size
    step = min(width + 4.0, (room - width) / max(1, len(cards) - 1))
    for place, card in enumerate(cards):
        left, top = at[0] + place * step, at[1]
        resource = resource_of(card)
        relic = view.relic == resource + 1
        box = (left, top, width, height)
        edge = _rect(box, _COLOURS[resource], _GOLD if relic else "#fff", stroke_width=3 if relic else 1, radius=5)
        yield f'<g data-spot="card-{card}">{edge}'
        large = size == _CARD
        middle = left + width / 2
        value = str(value_of(card))
        yield _text(
            middle, top + height * 0.52, value, anchor="middle", fill="#fff", weight="bold", size=26 if large else 15
        )
        name = resource.name.title() if large else resource.name[:2].title()
        yield _text(middle, top + height * 0.86, name, anchor="middle", fill="#fff", size=12 if large else 9) + "</g>"


def _rect(box: Box, fill: str, stroke: str, *, stroke_width: int = 1, radius: int = 7) -> str:
    left, top, width, height = (f"{number:g}" for number in box)
    place = f'x="{left}" y="{top}" width="{width}" height="{height}" rx="{radius}"'
    return f'<rect {place} fill="{fill}" stroke="{stroke}" stroke-width="{stroke_width}"/>'


def _text(
    left: float,
    top: float,
    words: str,
    *,
    size: int = 14,
    fill: str = "#222",
    anchor: str = "start",
    weight: str = "normal",
) -> str:
    style = f'font-size="{size}" fill="{fill}" text-anchor="{anchor}" font-weight="{weight}"'
    return f'<text x="{left:g}" y="{top:g}" {style}>{escape(words, quote=False)}</text>'
