"""Small pictures of figures, as SVG without style: colours come from the stylesheet's classes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from arena.ladder.stats import Estimate

_SPARK: Final = (96, 24)
_CHART: Final = (720, 260)
_MARGIN: Final = (44, 12, 16, 30)
"""Left, top, right, bottom of a chart: room for its axes."""

_BAR: Final = (240, 28)
MOST_POINTS: Final = 300


@dataclass(frozen=True, slots=True)
class Line:
    """A rating over its matches: middle and half width of the band at each."""

    name: str
    middle: Sequence[float]
    half: Sequence[float]


def sparkline(values: Sequence[float]) -> Markup:
    """Return the course of a few values as a line; nothing for fewer than two."""
    if len(values) < 2:
        return Markup("")
    width, height = _SPARK
    low, high = min(values), max(values)
    span = (high - low) or 1.0
    points = " ".join(
        f"{2 + place * (width - 6) / (len(values) - 1):.1f},{height - 3 - (value - low) * (height - 6) / span:.1f}"
        for place, value in enumerate(values)
    )
    x, y = points.rpartition(" ")[2].split(",")
    words = f"score from {values[0]:.1f} to {values[-1]:.1f} over {len(values)} matches"
    return Markup(
        '<svg class="spark" viewBox="0 0 {} {}" width="{}" height="{}" role="img" aria-label="{}">'
        '<polyline class="line" points="{}"/><circle class="dot" cx="{}" cy="{}" r="2.5"/></svg>'
    ).format(width, height, width, height, words, points, x, y)


def chart(lines: Sequence[Line]) -> Markup:
    """Return ratings over matches with their bands; the caller says in words what they are."""
    drawn = [_thin(line) for line in lines if line.middle]
    if not drawn:
        return Markup("")
    width, height = _CHART
    left, top, right, bottom = _MARGIN
    longest = max(at[-1] for at, _ in drawn)
    low = min(m - h for _, line in drawn for m, h in zip(line.middle, line.half, strict=True))
    high = max(m + h for _, line in drawn for m, h in zip(line.middle, line.half, strict=True))
    ticks = _ticks(low, high)
    low, high = min(low, ticks[0]), max(high, ticks[-1])

    def x(place: float) -> float:
        return left + (place - 1) * (width - left - right) / max(1, longest - 1)

    def y(value: float) -> float:
        return top + (high - value) * (height - top - bottom) / (high - low)

    parts = [
        Markup(
            '<path class="grid-line" d="M{:.1f} {:.1f}H{}"/><text class="axis end" x="{}" y="{:.1f}">{:g}</text>'
        ).format(float(left), y(tick), width - right, left - 6, y(tick) + 4, tick)
        for tick in ticks
    ]
    for number, (at, line) in enumerate(drawn):
        ends = [(y(m + h), y(m), y(m - h)) for m, h in zip(line.middle, line.half, strict=True)]
        parts.append(Markup('<g class="series-{}">{}</g>').format(number % 4, _banded([x(p) for p in at], ends)))
    parts.append(
        Markup('<text class="axis" x="{}" y="{}">match 1</text><text class="axis end" x="{}" y="{}">{}</text>').format(
            left, height - 8, width - right, height - 8, longest if longest > 1 else ""
        )
    )
    return _svg("chart", width, height, "".join(parts))


def error_bar(share: Estimate) -> Markup:
    """Return a share of the points, 0 to 1, with its interval, on a line with a mark at one half."""
    width, height = _BAR
    inner = width - 16

    def x(value: float) -> float:
        return 8 + inner * min(1.0, max(0.0, value))

    low, high = (value if math.isfinite(value) else end for value, end in ((share.low, 0.0), (share.high, 1.0)))
    body = Markup(
        '<path class="grid-line" d="M8 14H{}M{} 4V24"/>'
        '<path class="whisker" d="M{:.1f} 8V20M{:.1f} 14H{:.1f}M{:.1f} 8V20"/>'
        '<circle class="dot" cx="{:.1f}" cy="14" r="5"/>'
    ).format(width - 8, width // 2, x(low), x(low), x(high), x(high), x(share.mean))
    return _svg("error-bar", width, height, body)


def bars(values: Sequence[int], marked: Sequence[int] = ()) -> Markup:
    """Return one bar a value, such as the milliseconds of every turn; marked: the part of each that counts."""
    if not values:
        return Markup("")
    width, height = _CHART[0], 120
    shown = _buckets(values, MOST_POINTS)
    charged = _buckets(marked, MOST_POINTS) if marked else []
    highest = max(1, *shown)
    step = width / len(shown)
    thin = max(step * 0.8, 0.6)

    def bar(kind: str, place: int, value: int) -> Markup:
        tall = value * (height - 16) / highest
        return Markup('<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>').format(
            kind, place * step, height - tall, thin, tall
        )

    parts = [bar("bar", place, value) for place, value in enumerate(shown)]
    parts += [bar("bar-part", place, value) for place, value in enumerate(charged)]
    parts.append(Markup('<text class="axis" x="0" y="12">{} ms</text>').format(highest))
    return _svg("bars", width, height, "".join(parts))


def progress(parts: Iterable[tuple[str, int]], total: int) -> Markup:
    """Return how much of something is done: (class, amount) from the left."""
    at, drawn = 0.0, []
    for kind, amount in parts:
        wide = 100 * amount / total if total else 0
        drawn.append(Markup('<rect class="{}" x="{:.2f}" y="0" width="{:.2f}" height="6"/>').format(kind, at, wide))
        at += wide
    body = Markup('<rect class="left" x="0" y="0" width="100" height="6"/>') + Markup("").join(drawn)
    return Markup(
        '<svg class="progress" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" focusable="false">{}'
        "</svg>"
    ).format(body)


def _svg(kind: str, width: int, height: int, body: str) -> Markup:
    """Return a picture that words beside it tell as well, so that nobody misses anything who does not see it."""
    return Markup('<svg class="{}" viewBox="0 0 {} {}" aria-hidden="true" focusable="false">{}</svg>').format(
        kind,
        width,
        height,
        Markup(body),  # noqa: S704 - put together above, from numbers and escaped text
    )


def _banded(places: Sequence[float], ends: Sequence[tuple[float, float, float]]) -> Markup:
    """Return a line within its band (top, middle, bottom); of a single point a bar, for such a line has no length."""
    if len(places) == 1:
        (x,), (top, middle, bottom) = places, ends[0]
        return Markup(
            '<path class="whisker" d="M{:.1f} {:.1f}V{:.1f}"/><circle class="dot" cx="{:.1f}" cy="{:.1f}" r="4"/>'
        ).format(x, top, bottom, x, middle)
    above, line, below = (
        [f"{x:.1f} {end[part]:.1f}" for x, end in zip(places, ends, strict=True)] for part in range(3)
    )
    band = "L".join([*above, *reversed(below)])
    return Markup('<path class="band" d="M{}Z"/><path class="line" d="M{}"/>').format(band, "L".join(line))


def _thin(line: Line) -> tuple[list[int], Line]:
    """Return at which matches a line is drawn, 1 the first, and what of it; the last is always there."""
    count = len(line.middle)
    every = max(1, math.ceil(count / MOST_POINTS))
    kept = [*range(0, count - 1, every), count - 1]
    return [place + 1 for place in kept], Line(line.name, [line.middle[p] for p in kept], [line.half[p] for p in kept])


def _buckets(values: Sequence[int], most: int) -> list[int]:
    """Return the largest value of each stretch, at most so many."""
    every = max(1, math.ceil(len(values) / most))
    return [max(values[at : at + every]) for at in range(0, len(values), every)]


def _ticks(low: float, high: float) -> list[float]:
    """Return about five round numbers that cover a span."""
    rough = max(high - low, 1e-6) / 5
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
    first = math.floor(low / step)
    return [round(number * step, 6) for number in range(first, math.ceil(high / step) + 1)]
