"""Draws a view of Snowblind as SVG: a track a seat with its pool of dice, and the board's dice and weather on top."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from typing import Final

from arena.games.snowblind.actions import POLE, ZONES, die_name
from arena.games.snowblind.components import SETUPS, Die, SnowblindComponents
from arena.games.snowblind.scene import course_line, expedition_facts, headline, pool_dice, viewpoint
from arena.games.snowblind.v1 import snowblind_pb2 as pb

_WIDTH: Final = 1080
_TOP: Final = 130
_ROW: Final = 172
_ZONE: Final = 136
_LEFT: Final = 16
_POOL: Final = _LEFT + POLE * _ZONE + 16
_ICE: Final = ("#dfeefa", "#d3e7f7", "#c6e0f4", "#b7d7f0", "#a7cdec", "#94c1e6")
_RED: Final = "#c8372d"
_YELLOW: Final = "#e9b824"
_BLUE: Final = "#2f6db5"
_DICE: Final = {
    Die.RED_D6: _RED,
    Die.RED_D8: _RED,
    Die.YELLOW_D6: _YELLOW,
    Die.YELLOW_D8: _YELLOW,
    Die.BLUE_D6: _BLUE,
    Die.BLUE_D8: _BLUE,
    Die.GREEN: "#4c9a52",
    Die.PURPLE_D8: "#7d4b9e",
    Die.GREY_D8: "#7b8794",
}
_SIX_SIDED: Final = (Die.RED_D6, Die.YELLOW_D6, Die.BLUE_D6, Die.GREEN)
_INK: Final = 'fill="#1d2b3a"'
_STYLES: Final = {
    "h": f'{_INK} font-size="18" font-weight="bold"',
    "n": f'{_INK} font-size="13"',
    "s": f'{_INK} font-size="11"',
    "d": 'fill="#ffffff" font-size="13" font-weight="bold" text-anchor="middle"',
}
"""How texts look: headline, normal, small, on a die. Attributes, for a page that allows no styles shows them too."""


def render_svg(view: pb.View, components: SnowblindComponents) -> str:
    """Return the view drawn as one SVG document."""
    ship = components.setups[view.variant if view.variant in SETUPS else "solo"].ship
    bottom = _TOP + _ROW * len(view.expeditions)
    height = bottom + 34
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" font-family="sans-serif">',
        f"<title>{escape(headline(view))}</title>",
        f'<rect width="{_WIDTH}" height="{height}" fill="#f4f8fb"/>',
        _text(_LEFT, 28, "h", headline(view)),
        _text(_WIDTH - 130, 28, "n", viewpoint(view)),
        *_board(view),
    ]
    for seat in range(len(view.expeditions)):
        parts += _expedition(view, seat, ship, _TOP + _ROW * seat)
    parts += _legend(bottom + 4)
    return "\n".join(parts) + "\n</svg>\n"


def _board(view: pb.View) -> Iterator[str]:
    yield _text(_LEFT, 62, "n", "action board")
    dice = [(Die(die), None) for die, many in enumerate(view.dice) for _ in range(many)]
    yield from _dice(dice, 122, 57, 15, spots=True)
    yield _text(_LEFT, 94, "n", "weather")
    for place, number in enumerate(view.weather):
        x = 98 + 28 * place
        fill = "#ffffff" if number else "#94c1e6"
        yield f'<rect x="{x}" y="76" width="22" height="28" rx="3" fill="{fill}" stroke="#5b7a99"/>'
        style = "n" if number else "s"
        yield f'<text x="{x + 11}" y="95" {_STYLES[style]} text-anchor="middle">{number or "ice"}</text>'
    cards = "1 card" if view.weather_left == 1 else f"{view.weather_left} cards"
    left = f"{cards} left; supply: {view.food} food, {view.research} research"
    yield _text(106 + 28 * len(view.weather), 95, "n", left)
    if course := course_line(view):
        yield _text(_LEFT, 120, "s", course)


def _expedition(view: pb.View, seat: int, ship: int, top: int) -> Iterator[str]:
    own = view.expeditions[seat]
    acting = view.HasField("to_act") and view.to_act == seat
    faded = own.standing == pb.STANDING_ELIMINATED
    yield f'<g opacity="{"0.45" if faded else "1"}">'
    if acting:
        yield f'<rect x="6" y="{top}" width="{_WIDTH - 12}" height="{_ROW - 6}" rx="8" fill="#fff6d6"/>'
    yield _text(_LEFT, top + 20, "n", f"seat {seat}: {', '.join(expedition_facts(view, seat))}")
    for zone in ZONES:
        x, y = _LEFT + (zone - 1) * _ZONE, top + 30
        closed = zone < ship
        fill = "#e3e6e8" if closed else _ICE[zone - 1]
        spot = f' data-spot="zone-{zone}"' if acting else ""
        yield f'<rect x="{x}" y="{y}" width="{_ZONE - 6}" height="128" rx="6" fill="{fill}" stroke="#8aa5bf"{spot}/>'
        if not closed:
            name = "Pole" if zone == POLE else "ship" if zone == ship else ""
            yield _text(x + 6, y + 15, "s", f"{zone} {name}".strip())
            yield from _zone(own, zone, x, y, at_ship=zone == ship)
    yield _text(_POOL, top + 44, "s", "no dice" if not own.pool else "pool, last roll" if own.faces else "pool")
    yield from _dice(pool_dice(view, seat), _POOL + 16, top + 66, 6)
    yield "</g>"


def _zone(own: pb.Expedition, zone: int, x: int, y: int, *, at_ship: bool) -> Iterator[str]:
    at = zone - 1
    yield from _men(own, at, x + 16, y + 36)
    yield from _goods(own, at, x + 8, y + 84)
    if at_ship:
        yield f'<path d="M{x + 92} {y + 12}h30l-7 9h-17zM{x + 106} {y + 11}v-8l9 7z" fill="#5d4630"/>'
    if own.flag_zone == zone:
        yield f'<path d="M{x + 112} {y + 62}v-32l14 7l-13 7" fill="{_RED}" stroke="#1d2b3a" stroke-width="1.5"/>'


def _men(own: pb.Expedition, at: int, x: int, y: int) -> Iterator[str]:
    standing = ((own.captain, _RED), (own.scientists, _YELLOW), (own.sailors, _BLUE))
    lying = ((own.lying_captain, _RED), (own.lying_scientists, _YELLOW), (own.lying_sailors, _BLUE))
    for cx, colour in _spread([*_each(standing, at)], x, 15):
        yield f'<g fill="{colour}" stroke="#1d2b3a"><circle cx="{cx}" cy="{y - 8}" r="5"/>'
        yield f'<path d="M{cx - 6} {y + 12}l6 -18l6 18z"/></g>'
    down = [*_each(lying, at)]
    length = max(3, min(17, _step(len(down), 26) - 8))
    for cx, colour in _spread(down, x, 26):
        yield f'<g fill="{colour}" stroke="#1d2b3a" opacity="0.7"><circle cx="{cx - 6}" cy="{y + 24}" r="4.5"/>'
        yield f'<path d="M{cx - 3 + length} {y + 18}l-{length} 6l{length} 6z"/></g>'


def _spread(colours: list[str], x: int, step: int) -> Iterator[tuple[int, str]]:
    """Yield where each man of a row is drawn."""
    for place, colour in enumerate(colours):
        yield x + _step(len(colours), step) * place, colour


def _step(men: int, most: int) -> int:
    """Return how far apart men are drawn: many closer together, so that they stay in their zone."""
    return min(most, 95 // max(1, men - 1))


def _each(groups: Iterable[tuple[Iterable[int], str]], at: int) -> Iterator[str]:
    for counts, colour in groups:
        yield from [colour] * [*counts][at]


def _goods(own: pb.Expedition, at: int, x: int, y: int) -> Iterator[str]:
    shown = [(kind, counts[at]) for kind, counts in enumerate((own.crates, own.food, own.barrels, own.camps))]
    for place, (kind, many) in enumerate((kind, many) for kind, many in shown if many):
        left, top = x + 60 * (place % 2), y + 20 * (place // 2)
        yield _good(kind, left, top)
        yield _text(left + 19, top + 11, "n", f"x{many}")


def _good(kind: int, x: int, y: int) -> str:
    """Return the picture of a crate, food, a barrel or a camp."""
    return (
        f'<rect x="{x}" y="{y}" width="12" height="12" fill="#a9743f" stroke="#5d4630"/>',
        f'<ellipse cx="{x + 7}" cy="{y + 6}" rx="7" ry="5" fill="#e08a3c" stroke="#8a4d17"/>',
        f'<rect x="{x}" y="{y}" width="12" height="13" rx="5" fill="#6f5136"/>',
        f'<path d="M{x} {y + 12}l7 -13l7 13z" fill="#f7f2e4" stroke="#7d6a3a"/>',
    )[kind]


def _legend(y: int) -> Iterator[str]:
    x = _LEFT
    for colour, name in ((_RED, "captain"), (_YELLOW, "scientist"), (_BLUE, "sailor")):
        yield f'<circle cx="{x + 6}" cy="{y + 8}" r="6" fill="{colour}" stroke="#1d2b3a"/>'
        yield _text(x + 18, y + 12, "s", name)
        x += 92
    for kind, name in enumerate(("crate", "food", "barrel", "camp")):
        yield _good(kind, x, y + 2)
        yield _text(x + 18, y + 12, "s", name)
        x += 78
    yield _text(x, y + 12, "s", "lying: exhausted; square: d6 (green: blank), diamond: d8; flag in zone 4/5/6: 5/10/15")


def _dice(dice: Iterable[tuple[Die, int | None]], x: int, y: int, across: int, *, spots: bool = False) -> Iterator[str]:
    for place, (die, face) in enumerate(dice):
        cx, cy = x + 34 * (place % across), y + 34 * (place // across)
        if die in _SIX_SIDED:
            shape = f'<rect x="{cx - 12}" y="{cy - 12}" width="24" height="24" rx="4"'
        else:
            shape = f'<path d="M{cx} {cy - 15}l15 15l-15 15l-15 -15z"'
        spot = f' data-spot="die-{die_name(die)}"' if spots else ""
        yield f'{shape} fill="{_DICE[die]}" stroke="#1d2b3a"{spot}/>'
        if face is not None:
            yield f'<text x="{cx}" y="{cy + 5}" {_STYLES["d"]}>{face}</text>'


def _text(x: int, y: int, style: str, words: str) -> str:
    return f'<text x="{x}" y="{y}" {_STYLES[style]}>{escape(words)}</text>'
