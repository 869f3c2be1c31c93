"""Draws a view of Frost Shelter: as text here, as SVG in picture.py."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import wrap
from typing import Final

from arena.games.frost_shelter.actions import Piece
from arena.games.frost_shelter.components import FrostShelterComponents
from arena.games.frost_shelter.v1 import frost_shelter_pb2 as pb
from arena.games.frost_shelter.wire import read_card, read_cards
from arena.games.frost_shelter.words import (
    card_words,
    cards_words,
    cost_words,
    counted_words,
    damage_words,
    effect_words,
    event_of,
    headline,
    marks,
    pieces_words,
    relic_words,
    status_words,
    story,
    viewpoint,
    winnings_words,
)

LEAST_WIDTH: Final = 80
_SIDE_BY_SIDE: Final = 120
_TABLE: Final = 78
_EVENTS: Final = 24
_LABEL: Final = 9


def render_text(view: pb.View, components: FrostShelterComponents, width: int) -> str:
    """Return the view drawn as text, no line wider than width (at least 80) characters.

    From 120 characters on, what happened stands beside the table, else below it.
    """
    width = max(width, LEAST_WIDTH)
    aside = width >= _SIDE_BY_SIDE
    table = _table(view, components, _TABLE if aside else width)
    room = width - _TABLE - 3 if aside else width
    told = ["What happened:", *_wrapped(story(view, components), room)]
    if len(told) > _EVENTS:
        told = [f"What happened ({len(told) - _EVENTS} earlier lines left out):", *told[1 - _EVENTS :]]
    top = [*_between(headline(view, components), viewpoint(view), width), "=" * width]
    if aside:
        height = max(len(table), len(told))
        rows = zip(table + [""] * (height - len(table)), told + [""] * (height - len(told)), strict=True)
        lines = [*top, *(f"{left:<{_TABLE}} | {right}" for left, right in rows)]
    else:
        lines = [*top, *table, "-" * width, *told]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _table(view: pb.View, components: FrostShelterComponents, width: int) -> list[str]:
    lines = _event_lines(view, components, width)
    for seat in range(len(view.players)):
        lines += _seat_lines(view, seat, width)
    lines.append("")
    lines += _labelled("Trick", _trick_words(view), width)
    lines += _labelled("", winnings_words(view, components), width)
    if view.table and view.phase == pb.PHASE_TAKE:
        lines += _labelled("to take", cards_words(read_cards(view.table)), width)
    lines += _labelled("Pool", cards_words(read_cards(view.pool)), width)
    if view.spent:
        lines += _labelled("Spent", cards_words(read_cards(view.spent)), width)
    row = f"{pieces_words(view.row)} ({status_words('equipment', components)})"
    lines += _labelled("Row", row, width)
    lines += _labelled("Prices", _price_words(components), width)
    if view.HasField("seat"):
        lines += _labelled("Hand", cards_words(read_cards(view.hand)), width)
    return lines


def _event_lines(view: pb.View, components: FrostShelterComponents, width: int) -> list[str]:
    event = event_of(view, components)
    if event is None:
        return ["No Event yet", ""]
    head = f"{event.name}: {event.damage} damage, {event.necessary} cards necessary"
    lines = _between(head, f"({status_words('events', components)})", width)
    options = [
        f"[{'x' if shown.used else ' '}] {cost_words(option.cost)} -> {option.prevents}"
        for shown, option in zip(view.event_card.options, event.options, strict=True)
    ]
    lines += wrap("   ".join(option.replace(" ", "\0") for option in options), width - 2) if options else []
    lines = [lines[0], *(f"  {line}" for line in lines[1:])]
    lines += ["", *_labelled("Relic", relic_words(view), width), ""]
    return [line.replace("\0", " ") for line in lines]


def _seat_lines(view: pb.View, seat: int, width: int) -> list[str]:
    player = view.players[seat]
    pointer = ">" if view.HasField("to_act") and view.to_act == seat else " "
    held = pieces_words(player.equipment)
    head = f"{pointer} Seat {seat}   {damage_words(view, seat):<12}  {player.hand_count:2} in hand   holds {held}"
    notes = ", ".join(marks(view, seat))
    heads = _between(head, f"[{notes}]" if notes else "", width)
    colony = f"{len(player.colony)}: {cards_words(read_cards(player.colony))}" if player.colony else "empty"
    if view.ranks:
        colony += f" ({counted_words(view, seat)})"
    return [*heads, *_labelled("  colony", colony, width)]


def _trick_words(view: pb.View) -> str:
    laid = []
    for place, play in enumerate(view.trick):
        seat = (view.leader + place) % len(view.players)
        laid.append(f"seat {seat} {card_words(read_card(play.card))}{' (Expedition)' if play.expedition else ''}")
    return ", ".join(laid) or "-"


def _price_words(components: FrostShelterComponents) -> str:
    return ", ".join(
        f"{piece.name.title()} {cost_words(components.equipment[piece].cost)} ({effect_words(piece, components)})"
        for piece in Piece
    )


def _labelled(label: str, text: str, width: int) -> list[str]:
    indent = " " * (_LABEL + 1)
    return wrap(text, width, initial_indent=f"{label:<{_LABEL}} ", subsequent_indent=indent)


def _wrapped(lines: Iterable[str], width: int) -> list[str]:
    return [piece for line in lines for piece in wrap(line, width, subsequent_indent="  ")] or ["nothing yet"]


def _between(left: str, right: str, width: int) -> list[str]:
    """Return both texts in one line, right-aligned the second; in two lines where one is too short."""
    if len(left) + len(right) + 2 <= width:
        return [left + right.rjust(width - len(left))]
    return [*wrap(left, width), *([right.rjust(width)] if right else [])]
