"""`arena bench growth`: what becomes dearer the more an arena holds, and how fast."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import typer

from arena.bench.growth import (
    BOTS,
    FEWEST_BOTS,
    MATCHES,
    Growth,
    grow_bots,
    grow_logs,
    grow_matches,
    grow_seats,
    grow_workers,
    steps_to,
)
from arena.cli.output import print_json, print_table, progress, say

LINEAR = 1.15
"""An exponent above this is more than linear, whatever the noise of a measurement."""


def growth(
    matches: int = typer.Option(MATCHES, "--matches", min=200, max=1_000_000, help="The most matches of a tournament."),
    bots: int = typer.Option(BOTS, "--bots", min=10, max=1000, help="The most bots of a tournament."),
    database: str = typer.Option(
        "", "--database", metavar="URL", help="An empty database: only workers side by side are measured, on that."
    ),
    json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """Fill arenas with matches and bots, nothing being played, and tell how costs grow with them."""
    rows: list[Growth] = []
    axes: list[Callable[[], list[Growth]]] = [partial(grow_workers, max(1, matches // 2_000), database or None)]
    if not database:
        axes = [
            partial(grow_matches, steps_to(matches)),
            partial(grow_bots, steps_to(bots, FEWEST_BOTS)),
            grow_seats,
            grow_logs,
            *axes,
        ]
    with progress("filling", len(axes)) as shown:
        for measured in axes:
            rows += measured()
            shown.advance()
    if json:
        print_json({"rows": [_facts(row) for row in rows]})
        return
    for of in dict.fromkeys(row.of for row in rows):
        alike = [row for row in rows if row.of == of]
        head = [f"ms of CPU by {of}", *(f"{size:,}" for size in alike[0].sizes), "grows as n to"]
        print_table(head, [(row.what, *(f"{ms:.2f}" for ms in row.ms), f"{row.exponent:.2f}") for row in alike])
    steep = [f"{row.what} by {row.of} ({row.exponent:.2f})" for row in rows if row.exponent > LINEAR]
    say(f"faster than linearly: {', '.join(steep) or 'nothing'}")


def _facts(row: Growth) -> dict[str, object]:
    return {"what": row.what, "of": row.of, "sizes": row.sizes, "ms": row.ms, "exponent": round(row.exponent, 3)}
