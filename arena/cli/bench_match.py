"""`arena bench match`: what the arena itself spends on a hosted match."""

from __future__ import annotations

import asyncio

import typer

from arena.bench.match import BLOCKS, measure_matches
from arena.cli.benching import bench_broker
from arena.cli.output import print_json, print_table, say

PARTS = {
    "doorbell": "doorbell: sent and received, the broker's part included",
    "claim": "claiming a block, its bots unpacked",
    "heartbeats": "heartbeats",
    "start": "starting sandboxes, their files laid out",
    "watch": "watching sandboxes",
    "record": "recording and rating",
    "grpc": "gRPC's own threads",
    "rest": "following the match, ending sandboxes",
}


def match(
    blocks: int = typer.Option(BLOCKS, "--blocks", min=1, max=10_000, help="Blocks of two matches."),
    database: str = typer.Option("", "--database", metavar="URL", help="An empty database, or a new SQLite file."),
    json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """Host First Snow between bots that answer at once, as a worker does, and tell its CPU part by part."""
    figures = asyncio.run(measure_matches(blocks, database or None, bench_broker()))
    if json:
        facts = {"parts": figures.parts, "worker": figures.worker, "referee": figures.referee, "wall": figures.wall}
        print_json({"matches": figures.matches, "ms": facts})
        return
    rows = [(name, f"{figures.parts[part]:.1f}") for part, name in PARTS.items()]
    print_table(("ms of CPU a match", "ms"), [*rows, ("in all", f"{figures.worker:.1f}")])
    say(f"beside it the referee, all turns included: {figures.referee:.1f}")
    say(f"{figures.matches} matches, {figures.wall:.0f} ms each by the clock")
