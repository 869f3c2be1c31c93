"""`arena bench turn`: what a turn through the referee costs, part by part, beside a bare stream."""

from __future__ import annotations

import asyncio
from dataclasses import asdict, dataclass
from typing import Final

import typer

from arena.bench.turn import CONTENDERS, CROWD, SLICES, Cost, TurnFigures, measure_turns
from arena.cli.output import print_json, print_table, progress, say
from arena.core.errors import UsageError

PARTS: Final = {
    "view": "the view",
    "message": "the view and the actions as a message",
    "rules": "the rules",
    "log": "the log",
    "clock": "the clock",
}


@dataclass(frozen=True, slots=True)
class Row:
    """A part of a turn in microseconds of CPU."""

    part: str
    us: float


def turn(
    slices: int = typer.Option(SLICES, "--slices", min=1, help="How often each contender takes its turn."),
    json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """Play First Snow between SDK bots in other processes, beside a bare stream of gRPC; some 7 s a slice."""
    if slices > 1000:
        raise UsageError(f"--slices {slices} would take hours; give at most 1000")
    with progress("measuring", (slices + 1) * CONTENDERS) as shown:
        figures = asyncio.run(measure_turns(slices, shown.advance))
    rows = rows_of(figures)
    if json:
        print_json(facts_of(figures, rows))
        return
    print_table(("us of CPU a turn", "us"), [(row.part, f"{row.us:.0f}") for row in rows])
    found, measured = sum(row.us for row in rows), figures.turn.cpu
    say(f"in all {found:.0f}; measured {measured:.0f}, of it the referee {figures.turn.server:.0f}")
    say()
    print_table(
        ("", "wall us", "referee's CPU", "bots' CPU"),
        [
            (name, f"{cost.wall:.0f}", f"{cost.server:.0f}", f"{cost.players:.0f}")
            for name, cost in (
                ("bare stream, gRPC as it comes", figures.bare),
                ("bare stream, gRPC set as here", figures.same),
                ("bare stream, the SDK's client", figures.sdk),
                ("a turn", figures.turn),
                (f"bare, {CROWD} at once, as it comes", figures.crowd_bare),
                (f"bare, {CROWD} at once, set as here", figures.crowd_same),
                (f"turns, {CROWD} bots at once", figures.crowd_turn),
            )
        ],
    )
    for words, beside in (("as it comes", ratios(figures)), ("set as here", ratios_alike(figures))):
        say(
            f"beside a bare stream, gRPC {words}: a turn is {beside['wall']:.2f} x by the clock, {beside['cpu']:.2f} x "
            f"in CPU; {CROWD} bots have {beside['crowd']:.0%} of its throughput of a core"
        )
    say(f"{figures.turn_bytes:.0f} bytes to the bot, {figures.answer_bytes:.0f} back, beside gRPC's own")


def rows_of(figures: TurnFigures) -> list[Row]:
    """Return the parts that make up a turn; each is measured by itself, none is what the others leave."""
    parts = figures.parts
    named = [Row(words, parts[part]) for part, words in PARTS.items()]
    return [
        Row("stream, referee's side", figures.sdk.server),
        Row("tickets, links and queues", figures.seat.server - figures.sdk.server),
        *named,
        Row("the course of the match", parts["all"] - sum(row.us for row in named)),
        Row("caches that the match takes from the stream", figures.match.server - figures.seat.server - parts["all"]),
        Row("stream, bot's side", figures.sdk.players),
        Row("the SDK and the bot", figures.turn.sdk),
    ]


def ratios(figures: TurnFigures) -> dict[str, float]:
    """Return what the goals are about: a turn by a bare stream, and the throughput of a core with many bots."""
    return _beside(figures, figures.bare, figures.crowd_bare)


def ratios_alike(figures: TurnFigures) -> dict[str, float]:
    """Return the same beside streams for which gRPC is set as the arena sets it."""
    return _beside(figures, figures.same, figures.crowd_same)


def _beside(figures: TurnFigures, bare: Cost, crowd: Cost) -> dict[str, float]:
    return {
        "wall": figures.turn.wall / bare.wall,
        "cpu": figures.turn.cpu / bare.cpu,
        "crowd": crowd.server / figures.crowd_turn.server,
    }


def facts_of(figures: TurnFigures, rows: list[Row]) -> dict[str, object]:
    """Return everything for machines, microseconds with one digit."""
    costs = {
        name: {side: round(us, 1) for side, us in cost.items()}
        for name, cost in asdict(figures).items()
        if isinstance(cost, dict) and name != "parts"
    }
    return {
        **costs,
        "rows": [{"part": row.part, "us": round(row.us, 1)} for row in rows],
        "sum_us": round(sum(row.us for row in rows), 1),
        "ratios": {name: round(value, 3) for name, value in ratios(figures).items()},
        "ratios_alike": {name: round(value, 3) for name, value in ratios_alike(figures).items()},
        "turn_bytes": round(figures.turn_bytes, 1),
        "answer_bytes": round(figures.answer_bytes, 1),
    }
