"""A reliability plot as SVG: predicted shares across, observed ones upwards, on the diagonal if all is well."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

WIDTH: Final = 520
HEIGHT: Final = 430
LEFT: Final = 70
TOP: Final = 56
SIDE_X: Final = 420
SIDE_Y: Final = 300

_INK: Final = "#222"
_FAINT: Final = "#ccc"
_MARK: Final = "#1f6fb4"


@dataclass(frozen=True, slots=True)
class Point:
    """Pairs of seats with alike predictions: mean prediction, what came of it with its interval, and how many."""

    predicted: float
    observed: float
    low: float
    high: float
    pairs: int


@dataclass(frozen=True, slots=True)
class Panel:
    """One plot."""

    title: str
    subtitle: str
    points: tuple[Point, ...]


def reliability_svg(panels: Sequence[Panel]) -> str:
    """Return the plots below each other as one SVG document."""
    height = HEIGHT * len(panels)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}"'
    lines = [f'{head} font-family="sans-serif" font-size="12" fill="{_INK}">']
    lines.append(f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>')
    for place, panel in enumerate(panels):
        lines += [f'<g transform="translate(0 {place * HEIGHT})">', *_panel(panel), "</g>"]
    return "\n".join([*lines, "</svg>"]) + "\n"


def _panel(panel: Panel) -> Iterator[str]:
    yield f'<text x="{LEFT}" y="24" font-size="15" font-weight="bold">{escape(panel.title)}</text>'
    yield f'<text x="{LEFT}" y="43">{escape(panel.subtitle)}; dots: area by pairs of seats; bars: 95 %</text>'
    for step in range(6):
        across, up = 0.5 + step / 10, step / 5
        yield f'<line x1="{_x(across)}" y1="{_y(0)}" x2="{_x(across)}" y2="{_y(1)}" stroke="{_FAINT}"/>'
        yield f'<line x1="{_x(0.5)}" y1="{_y(up)}" x2="{_x(1)}" y2="{_y(up)}" stroke="{_FAINT}"/>'
        yield f'<text x="{_x(across)}" y="{_y(0) + 18}" text-anchor="middle">{across:.0%}</text>'
        yield f'<text x="{LEFT - 8}" y="{_y(up) + 4}" text-anchor="end">{up:.0%}</text>'
    yield (
        f'<line x1="{_x(0.5)}" y1="{_y(0.5)}" x2="{_x(1)}" y2="{_y(1)}" stroke="{_INK}" stroke-dasharray="5 4">'
        "<title>as predicted</title></line>"
    )
    yield f'<text x="{_x(0.75)}" y="{_y(0) + 40}" text-anchor="middle">predicted share of the favourite</text>'
    middle = _y(0.5)
    yield f'<text x="20" y="{middle}" text-anchor="middle" transform="rotate(-90 20 {middle})">observed share</text>'
    most = max((point.pairs for point in panel.points), default=1)
    for point in panel.points:
        yield from _point(point, most)


def _point(point: Point, most: int) -> Iterator[str]:
    x, size = _x(point.predicted), 3 + 7 * math.sqrt(point.pairs / most)
    said = f"{point.pairs} pairs: predicted {point.predicted:.1%}, observed {point.observed:.1%}"
    yield f'<line x1="{x}" y1="{_y(point.low)}" x2="{x}" y2="{_y(point.high)}" stroke="{_MARK}" stroke-width="2"/>'
    yield (
        f'<circle cx="{x}" cy="{_y(point.observed)}" r="{size:.1f}" fill="{_MARK}" fill-opacity="0.75">'
        f"<title>{said}</title></circle>"
    )


def _x(share: float) -> float:
    return round(LEFT + (share - 0.5) * 2 * SIDE_X, 1)


def _y(share: float) -> float:
    return round(TOP + (1 - share) * SIDE_Y, 1)
