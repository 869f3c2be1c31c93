"""`arena bench stopped`: how long turns take beside an opponent that computes all the time."""

from __future__ import annotations

import asyncio
from dataclasses import asdict

import typer

from arena.bench.stopped import CHILDREN, ROUNDS, measure_stopped
from arena.cli.output import print_json, print_table, progress, say

_OPPONENTS = 3


def stopped(
    rounds: int = typer.Option(ROUNDS, "--rounds", min=1, max=10_000, help="Matches against each opponent."),
    json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """Time turns beside opponents that answer at once, compute with many processes, and sleep as long as those take."""
    with progress("playing", rounds * _OPPONENTS) as shown:
        figures = asyncio.run(measure_stopped(rounds, shown.advance))
    if json:
        print_json(asdict(figures))
        return
    print_table(
        ("the opponent", "turns", "p50, us", "p95, us", "p99, us"),
        [
            (name, str(one.count), str(one.p50), str(one.p95), str(one.p99))
            for name, one in (
                ("answers at once", figures.quick),
                (f"sleeps {figures.slept_us} us a turn", figures.sleeping),
                (f"computes with {CHILDREN} processes more", figures.computing),
            )
        ],
    )
    for name, ratio in (("sleeping", figures.beside_sleeping), ("quick", figures.beside_quick)):
        say(
            f"p99 beside the computing one is {ratio.value:.2f} x that beside the {name} one "
            f"(95 %: {ratio.low:.2f} to {ratio.high:.2f})"
        )
