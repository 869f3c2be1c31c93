"""`arena bench start`: how long a hosted bot takes until it can play."""

from __future__ import annotations

import asyncio
from dataclasses import asdict

import typer

from arena.bench.start import KINDS, ROUNDS, measure_starts
from arena.cli.output import print_json, print_table, progress, say


def start(
    rounds: int = typer.Option(ROUNDS, "--rounds", min=1, max=1000, help="Starts of each kind."),
    json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """Start the built-in random bot cold, from a waiting sandbox, and outside of any, until it stands at its door."""
    with progress("starting", (rounds + 1) * KINDS) as shown:
        figures = asyncio.run(measure_starts(rounds, shown.advance))
    if json:
        print_json({**asdict(figures), "sandbox_share": asdict(figures.sandbox_share)})
        return
    share, parts = figures.sandbox_share, figures.parts
    print_table(
        ("", "ready, ms", "CPU in all, ms"),
        [
            (name, f"{one.wall:.0f}", f"{one.cpu:.0f}")
            for name, one in (
                ("a bare Python imports gRPC", figures.imports),
                ("the bot outside of a sandbox", figures.bare),
                ("hosted, cold", figures.cold),
                ("hosted, from a waiting sandbox", figures.warm),
            )
        ],
    )
    program = min(parts.program, figures.bare.cpu)
    rows = [
        ("the worker: seat, control groups, limits, start", parts.worker),
        ("setpriv, bubblewrap", parts.makers),
        ("the bot, as outside of a sandbox", program),
        ("the bot, beyond that", parts.program - program),
    ]
    print_table(("ms of CPU of a cold start", ""), [(name, f"{took:.1f}") for name, took in rows])
    made_up = sum(took for _, took in rows) / figures.cold.cpu
    say(f"in all {figures.cold.cpu:.1f}; the parts make up {made_up:.0%}")
    say(f"the sandbox is {share.cpu:.1%} of the CPU of a cold start, {share.wall:.1%} by the clock")
