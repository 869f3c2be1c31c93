"""`arena bench tournament`: how many hosted matches a second, and where the time of a match goes."""

from __future__ import annotations

import typer

from arena.bench.peer_matches import PELITA, PeerMatch, find_peer_matches, mean
from arena.bench.tournament import BLOCKS, TournamentFigures, measure_tournament
from arena.cli.benching import bench_broker
from arena.cli.output import note, print_json, print_table, say

PEER_MATCHES = 8
PARTS = {
    "bots": "both bots and their sandboxes, starts included",
    "referees": "referees",
    "workers": "workers",
    "dispatcher": "dispatcher",
    "broker": "broker",
}


def tournament(
    blocks: int = typer.Option(BLOCKS, "--blocks", min=1, max=10_000, help="Blocks of two matches."),
    workers: int = typer.Option(2, "--workers", min=1, max=64, help="Matches that are played at once."),
    peers: int = typer.Option(PEER_MATCHES, "--peers", min=0, max=1000, help="Matches of each other arena."),
    json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """Play a tournament of First Snow between two bots that answer at once, with real services, beside other arenas."""
    found, missing = find_peer_matches()
    # Half of them before and half after: what else this machine does changes meanwhile.
    before = [play(peers - peers // 2) for play in found if peers]
    figures = measure_tournament(blocks, workers, bench_broker())
    after = [play(peers // 2) for play in found if peers > 1]
    others = [mean(of_one) for of_one in zip(before, after or before, strict=True)]
    if json:
        print_json(
            {
                "matches": figures.matches,
                "workers": figures.workers,
                "matches_per_s": round(figures.per_second, 2),
                "memory_mb": figures.memory,
                "ms": {"parts": figures.parts, "cpu": figures.cpu, "machine": figures.machine},
                "peers": [{"name": one.name, "cpu_ms": one.cpu, "wall_ms": one.wall} for one in others],
                "missing": [{"name": one.name, "install": one.install} for one in missing],
            }
        )
        return
    rows = [
        (name, f"{figures.parts[part]:.1f}", f"{figures.parts[part] / figures.cpu:.0%}") for part, name in PARTS.items()
    ]
    print_table(("ms of CPU a match", "ms", ""), [*rows, ("in all", f"{figures.cpu:.1f}", "")])
    say(
        f"{figures.matches} matches with {figures.workers} workers, {figures.per_second:.2f} a second; "
        f"they are {figures.cpu / figures.machine:.0%} of what this machine used meanwhile"
    )
    held = (f"{name} {begun:.1f} and {ended:.1f}" for name, (begun, ended) in figures.memory.items())
    say(f"MB held by each at the first and the last of them: {', '.join(held)}")
    for other in others:
        say(f"{other.name}: {other.cpu:.0f} ms of CPU a match, {other.wall:.0f} ms by the clock")
    if (beside := ratio(figures, others)) is not None:
        say(f"a match takes {beside:.2f} x the CPU of one of {PELITA}")
    for one in missing:
        note(f"not measured: {one.name}; pip install {one.install}")


def ratio(figures: TournamentFigures, others: list[PeerMatch]) -> float | None:
    """Return how many times the CPU of a pelita match one of ours takes, None where that was not measured."""
    return next((figures.cpu / one.cpu for one in others if one.name == PELITA), None)
