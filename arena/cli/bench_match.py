"""`arena bench match`: what the arena itself spends on a hosted match."""

from __future__ import annotations

import asyncio

import typer

from arena.bench.match import BLOCKS, measure_matches
from arena.cli.output import print_json, print_table, say

PARTS = {
    "claim": "claiming a block, its bots unpacked",
    "heartbeats": "heartbeats",
    "start": "starting sandboxes",
    "record": "recording and rating",
    "rest": "following the match, ending sandboxes, watching them",
}


def match(
    blocks: int = typer.Option(BLOCKS, "--blocks", min=1, max=10_000, help="Blocks of two matches."),
    database: str = typer.Option("", "--database", metavar="URL", help="An empty database, or a new SQLite file."),
    json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """Host First Snow between bots that answer at once, as a worker does, and tell its CPU part by part."""
    figures = asyncio.run(measure_matches(blocks, database or None))
    if json:
        facts = {"parts": figures.parts, "worker": figures.worker, "referee": figures.referee, "wall": figures.wall}
        print_json({"matches": figures.matches, "ms": facts})
        return
    print_table(("ms of CPU a match", "ms"), [(PARTS[part], f"{ms:.1f}") for part, ms in figures.parts.items()])
    say(f"the worker in all {figures.worker:.1f}; its referee, all turns included, {figures.referee:.1f}")
    say(f"{figures.matches} matches, {figures.wall:.0f} ms each by the clock")
