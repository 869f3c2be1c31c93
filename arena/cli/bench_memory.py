"""`arena bench memory`: what a referee holds with many matches, and whether services grow over a tournament."""

from __future__ import annotations

import asyncio
from dataclasses import asdict

import typer

from arena.bench.hosted import GAMES, HostedFigures, measure_hosted
from arena.bench.memory import FEWEST, MATCHES, MemoryFigures, measure_memory
from arena.cli.benching import bench_broker
from arena.cli.output import counted, print_json, print_table, progress, say


def memory(
    matches: int = typer.Option(MATCHES, "--matches", min=FEWEST, max=1_000_000, help="Matches of the tournament."),
    workers: int = typer.Option(2, "--workers", min=1, max=64, help="Matches that are played at once."),
    by_hand: bool = typer.Option(False, "--by-hand", help="Bots without SDK and gRPC: more matches an hour."),
    json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """Fill a referee with up to 64 matches at once, then play a tournament with real services; tell what they hold.

    Bots by hand are real programs in sandboxes that play whole matches over gRPC, but no sandbox waits for them.
    """
    broker = bench_broker()
    with progress("hosting", len(GAMES)) as shown:
        hosted = asyncio.run(measure_hosted(shown.advance))
    with progress("playing", matches) as shown:
        figures = measure_memory(matches, workers, broker, shown.advance, by_hand=by_hand)
    if json:
        print_json({"hosted": asdict(hosted), "services": _facts(figures)})
        return
    _tell_hosted(hosted)
    _tell_services(figures)


def _tell_hosted(hosted: HostedFigures) -> None:
    print_table(
        ("a referee's matches at once, one step after the other", "resident, MB", "its share (PSS), MB"),
        [(str(one.matches), f"{one.rss:.1f}", f"{one.pss:.1f}") for one in hosted.steps],
    )
    say()
    print_table(
        ("a match, held at its last choice", "seats", "plies", "KB"),
        [(f"{one.game} ({one.variant})", one.seats, one.plies, round(one.kb)) for one in hosted.shares],
    )
    say()


def _tell_services(figures: MemoryFigures) -> None:
    heads = (f"after {mark:,}" for mark in figures.marks)
    floors = {course.who: "{:.1f} to {:.1f}".format(*course.rss_mb) for course in figures.courses}
    print_table(
        ("MB held", *heads, "floor behind the first quarter"),
        [(who, *(f"{mb:.1f}" for mb in held), floors[who]) for who, held in figures.held.items()],
    )
    say(f"{counted(figures.matches, 'match')} in {figures.wall:.0f} s, {counted(figures.calls, 'call')} of the api")
    say(f"grows: {'; '.join(figures.faults) or 'nothing'}")


def _facts(figures: MemoryFigures) -> dict[str, object]:
    return {**asdict(figures), "faults": figures.faults}
