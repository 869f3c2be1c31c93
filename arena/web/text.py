"""How values are written on a page: numbers, times, states, and text of people that may mean ill."""

from __future__ import annotations

import csv
import io
import math
import re
import unicodedata
from collections.abc import Iterable
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final

from markupsafe import Markup, escape

from arena.core.cells import cell
from arena.ladder.stats import Estimate

LONGEST: Final = 500
"""Characters of a text of others that a page shows in passing."""

_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]"
)
_QUOTED: Final = re.compile(r"`([^`]+)`")
_KEPT: Final = frozenset("\n\t")
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def plain(text: str, longest: int = LONGEST) -> str:
    """Return a text of others with its control, direction and other invisible characters made visible, and cut.

    Jinja escapes it; this is for what escaping leaves: marks that turn the reading order round a name, and the like.
    """
    cut = text[:longest]
    told = "".join(char if char in _KEPT or unicodedata.category(char) not in _HIDDEN else _code(char) for char in cut)
    return told if len(text) <= longest else f"{told}…"


def said(message: str, longest: int = LONGEST) -> Markup:
    """Return a line of the arena's, with what it quotes for a terminal as code; names of others in it are escaped."""
    return Markup(_QUOTED.sub(r"<code>\1</code>", str(escape(plain(message, longest)))))  # noqa: S704 - escaped


def without_hidden(page: str) -> str:
    """Return a page with every character made visible that could turn or hide others; a net beneath all templates."""
    return _UNSEEN.sub(lambda found: _code(found[0]), page)


def _code(char: str) -> str:
    return f"\\u{ord(char):04x}"


def number(value: float | None, digits: int = 2) -> str:
    """Return a figure with so many digits behind the point, "–" for none."""
    return "–" if value is None else f"{value:.{digits}f}"


def milliseconds(value: float | None) -> str:
    """Return a span: "340 ms", "2.4 s", "–" for none."""
    if value is None:
        return "–"
    if value < 10:
        return f"{value:.1f} ms"
    return f"{value:.0f} ms" if value < 1000 else f"{value / 1000:.1f} s"


def percent(value: float | None, digits: int = 0) -> str:
    """Return a share as percent, "–" for none."""
    return "–" if value is None else f"{value:.{digits}%}".replace("%", " %")


def interval(value: Estimate, style: str = "{:.2f}", unit: str = "") -> str:
    """Return a figure with its 95 % interval: "+12 (-3 to +27) Elo"; an end that nothing bounds is told in words."""
    if not math.isfinite(value.mean):
        return f"beyond measure: {'everything' if value.mean > 0 else 'nothing'} was won"
    if not (math.isfinite(value.low) or math.isfinite(value.high)):
        return f"{style.format(value.mean)}{unit}, no interval yet"
    low = style.format(value.low) if math.isfinite(value.low) else "any"
    high = style.format(value.high) if math.isfinite(value.high) else "any"
    return f"{style.format(value.mean)} ({low} to {high}){unit}"


def word(value: StrEnum | str | None) -> str:
    """Return a state as people say it: ROUND_ROBIN becomes "round robin"."""
    return "" if value is None else str(value).replace("_", " ").lower()


def when(moment: datetime | None) -> Markup:
    """Return a moment to the minute, in UTC, for people and machines."""
    if moment is None:
        return Markup("–")
    exact = moment.astimezone(UTC)
    return Markup('<time datetime="{}">{}</time>').format(f"{exact:%Y-%m-%dT%H:%M:%SZ}", f"{exact:%Y-%m-%d %H:%M}")


def count(number_of: int, one: str, many: str = "") -> str:
    """Return "1 match", "2 matches"."""
    return f"{number_of:,} {one if number_of == 1 else many or one + 's'}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def lines(text: str) -> Markup:
    """Return code with its line breaks, escaped."""
    return Markup("<br>").join(escape(line) for line in text.splitlines())


def csv_lines(columns: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """Return a table as CSV; a text that a spreadsheet would take for a formula is quoted as one."""
    written = io.StringIO()
    table = csv.writer(written, lineterminator="\n")
    table.writerow(columns)
    table.writerows([cell(value) for value in row] for row in rows)
    return written.getvalue()
