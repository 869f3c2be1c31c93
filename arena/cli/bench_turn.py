"""`arena bench turn`: what a turn through the referee costs, part by part, beside a bare stream."""

from __future__ import annotations

import asyncio
from dataclasses import asdict, dataclass
from typing import Final

import typer

from arena.bench.turn import CONTENDERS, CROWD, SLICES, Cost, TurnFigures, measure_turns
from arena.cli.output import print_json, print_table, progress, say
from arena.core.errors import UsageError

NAMES: Final = {
    "view": "the view",
    "message": "the view and the actions as a message",
    "rules": "the rules",
    "log": "the log",
    "clock": "the clock",
}


@dataclass(frozen=True, slots=True)
class Row:
    """A part of a turn in microseconds of CPU, and what a bare stream with the SDK's client takes there."""

    part: str
    bare_us: float
    us: float


def turn(
    slices: int = typer.Option(SLICES, "--slices", min=1, help="How often each contender takes its turn."),
    bots: int = typer.Option(CROWD, "--bots", min=2, max=64, help="Bots at once in the crowd, an even number."),
    json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """Play First Snow between SDK bots in other processes, beside a bare stream of gRPC; some 6 s a slice."""
    if slices > 1000:
        raise UsageError(f"--slices {slices} would take hours; give at most 1000")
    if bots % 2:
        raise UsageError(f"--bots {bots} leaves one without an opponent; give an even number")
    with progress("measuring", (slices + 1) * CONTENDERS) as shown:
        figures = asyncio.run(measure_turns(slices, shown.advance, bots))
    rows = rows_of(figures)
    if json:
        print_json(facts_of(figures, rows))
        return
    print_table(
        ("us of CPU a turn", "bare stream", "a turn"),
        [(row.part, f"{row.bare_us:.0f}" if row.bare_us else "", f"{row.us:.0f}") for row in rows],
    )
    found, measured = sum(row.us for row in rows), figures.turn.cpu
    say(
        f"in all {found:.0f}; without stopwatches {measured:.0f}, of it the referee {figures.turn.server:.0f}; "
        f"the parts make up {found / measured:.0%}"
    )
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
                (f"bare, {bots} at once, as it comes", figures.crowd_bare),
                (f"bare, {bots} at once, set as here", figures.crowd_same),
                (f"turns, {bots} bots at once", figures.crowd_turn),
            )
        ],
    )
    for words, beside in (("as it comes", ratios(figures)), ("set as here", ratios_alike(figures))):
        say(
            f"beside a bare stream, gRPC {words}: a turn is {beside['wall']:.2f} x by the clock, {beside['cpu']:.2f} x "
            f"in CPU; {bots} bots have {beside['crowd']:.0%} of its throughput of a core, {beside['crowd_server']:.0%} "
            "of the referee's alone"
        )
    sizes = figures.parts
    say(f"{sizes.turn_bytes:.0f} bytes to the bot, {sizes.answer_bytes:.0f} back, beside gRPC's own")


def rows_of(figures: TurnFigures) -> list[Row]:
    """Return the parts that make up a turn, all timed in matches, by stopwatches or by the clocks of threads."""
    parts, bare, timed = figures.parts, figures.sdk, figures.timed
    named = [Row(words, 0, parts.spent[part]) for part, words in NAMES.items()]
    return [
        Row("referee: gRPC's threads", bare.server - bare.server_loop, parts.process - parts.loop),
        Row("referee: the loop around the match", bare.server_loop, parts.loop - parts.spent["match"]),
        *named,
        Row("the course of the match", 0, parts.spent["match"] - sum(row.us for row in named)),
        Row("bot: gRPC's threads", bare.players - bare.players_loop, timed.players - timed.players_loop),
        Row("bot: the loop around the SDK", bare.players_loop, timed.players_loop - timed.sdk),
        Row("the SDK and the bot", 0, timed.sdk),
    ]


def ratios(figures: TurnFigures) -> dict[str, float]:
    """Return what the goals are about: a turn by a bare stream, and the throughput of a core with many bots."""
    return _beside(figures, figures.bare, figures.crowd_bare)


def ratios_alike(figures: TurnFigures) -> dict[str, float]:
    """Return the same beside streams for which gRPC is set as the arena sets it."""
    return _beside(figures, figures.same, figures.crowd_same)


def _beside(figures: TurnFigures, bare: Cost, crowd: Cost) -> dict[str, float]:
    """Return ratios; crowd: of all processes' throughput, the bots' included; crowd_server: of the referee's alone."""
    return {
        "wall": figures.turn.wall / bare.wall,
        "cpu": figures.turn.cpu / bare.cpu,
        "crowd": crowd.cpu / figures.crowd_turn.cpu,
        "crowd_server": crowd.server / figures.crowd_turn.server,
    }


def facts_of(figures: TurnFigures, rows: list[Row]) -> dict[str, object]:
    """Return everything for machines, microseconds with one digit."""
    costs = {
        name: {side: round(us, 1) for side, us in cost.items()}
        for name, cost in asdict(figures).items()
        if name != "parts"
    }
    found = sum(row.us for row in rows)
    return {
        **costs,
        "rows": [{"part": row.part, "bare_us": round(row.bare_us, 1), "us": round(row.us, 1)} for row in rows],
        "sum_us": round(found, 1),
        "sum_of_whole": round(found / figures.turn.cpu, 3),
        "ratios": {name: round(value, 3) for name, value in ratios(figures).items()},
        "ratios_alike": {name: round(value, 3) for name, value in ratios_alike(figures).items()},
        "turn_bytes": round(figures.parts.turn_bytes, 1),
        "answer_bytes": round(figures.parts.answer_bytes, 1),
    }
