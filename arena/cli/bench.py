"""`arena bench`: how fast the parts of the arena are, beside the floors and peers they are judged by."""

from __future__ import annotations

import platform
from collections.abc import Sequence

import typer

from arena.bench.engine import SLICES, Contender, Speed, is_compiled, measure, tables
from arena.bench.peers import CONNECT_FOUR, LIARS_POKER, PEERS, Missing, find_peers
from arena.cli.bench_growth import growth
from arena.cli.bench_match import match
from arena.cli.bench_memory import memory
from arena.cli.bench_start import start
from arena.cli.bench_stopped import stopped
from arena.cli.bench_tournament import tournament
from arena.cli.bench_turn import turn
from arena.cli.output import note, print_json, print_table, progress, say
from arena.core import chance
from arena.core.errors import UsageError

app = typer.Typer(no_args_is_help=True)

app.command()(turn)
app.command()(start)
app.command()(match)
app.command()(tournament)
app.command()(growth)
app.command()(memory)
app.command()(stopped)

_RATED = (CONNECT_FOUR, LIARS_POKER)


@app.callback()
def bench() -> None:
    """Measure how fast the arena is, beside floors and peers."""


@app.command()
def engine(
    seconds: float = typer.Option(1.0, "--seconds", help="Seconds of CPU for each game and peer."),
    json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """Play every game, and the games of other libraries where they are installed, at random in one run."""
    if seconds <= 0:
        raise UsageError(f"--seconds {seconds} leaves no time to measure; give a positive number")
    peers, missing = find_peers(PEERS)
    contenders: list[Contender] = [*tables(), *peers]
    with progress("measuring", SLICES * len(contenders)) as shown:
        speeds = measure(contenders, seconds, shown.advance)
    compiled = is_compiled(chance)
    if json:
        print_json(
            {
                "python": platform.python_version(),
                "compiled": compiled,
                "seconds": seconds,
                "rows": [_facts(speed, speeds) for speed in speeds],
                "missing": [{"name": one.name, "install": one.install} for one in missing],
            }
        )
        return
    how = "compiled by mypyc" if compiled else "in plain Python"
    say(f"Python {platform.python_version()}, rules {how}; CPU seconds")
    print_table(
        ("game, seats", "steps/s", "playouts/s", "steps", "copies/s", "x pz", "x os"),
        [_row(speed, speeds) for speed in speeds],
    )
    say(f"x pz: times {CONNECT_FOUR}; x os: times {LIARS_POKER}")
    _tell_missing(missing)


def ratio(speed: Speed, peer: str, speeds: Sequence[Speed]) -> float | None:
    """Return how many times as many steps a second as the peer's, None where the peer was not measured."""
    for other in speeds:
        if other.name == peer:
            return speed.steps / other.steps
    return None


def _facts(speed: Speed, speeds: Sequence[Speed]) -> dict[str, object]:
    return {
        "name": speed.name,
        "steps_per_s": round(speed.steps),
        "playouts_per_s": round(speed.playouts, 1),
        "steps_per_playout": round(speed.length, 1),
        "copies_per_s": None if speed.copies is None else round(speed.copies),
        "ratios": {peer: _rounded(ratio(speed, peer, speeds)) for peer in _RATED},
    }


def _row(speed: Speed, speeds: Sequence[Speed]) -> tuple[str, ...]:
    ratios = (_rounded(ratio(speed, peer, speeds)) for peer in _RATED)
    return (
        speed.name.replace("python_", ""),
        f"{speed.steps:,.0f}",
        f"{speed.playouts:,.0f}",
        f"{speed.length:.0f}",
        "-" if speed.copies is None else f"{speed.copies:,.0f}",
        *("-" if one is None else f"{one:.1f}" for one in ratios),
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)


def _tell_missing(missing: Sequence[Missing]) -> None:
    for one in missing:
        note(f"not measured: {one.name}; pip install {one.install}")
