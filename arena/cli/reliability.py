"""`arena reliability`: what ratings predicted against what came of it, as tables and as a drawing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.chart import Panel, Point, reliability_svg
from arena.cli.client import connect
from arena.cli.logfile import check_writable, write_file
from arena.cli.options import CaOption, DataOption, JsonOption, ServerOption, TokenFileOption, as_plain
from arena.cli.output import note, print_json, print_table, say
from arena.cli.versus import pool_title
from arena.v1 import rating_pb2 as pb


def reliability(
    game: Annotated[str, typer.Argument(metavar="[GAME]", help="One game's pools only.")] = "",
    *,
    svg: Annotated[Path | None, typer.Option("--svg", metavar="FILE", help="Draw a plot of every pool.")] = None,
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    data: DataOption = None,
    ca: CaOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show how well the ratings of every pool predicted its matches, each before it was rated."""
    if svg is not None:
        check_writable(svg)
    with connect(server, token_file, data, ca) as session:
        pools = [
            pool
            for page in session.pages(session.ratings.ListRatingPools, pb.ListRatingPoolsRequest(game=game))
            for pool in page.pools
        ]
        found = [
            session.call(session.ratings.GetReliability, pb.GetReliabilityRequest(pool_id=pool.id)) for pool in pools
        ]
    found = [each for each in found if each.pairs]
    if svg is not None and found:
        write_file(svg, reliability_svg([_panel(each) for each in found]).encode())
    if as_json:
        print_json(as_plain(found))
    elif found:
        for each in found:
            _show(each)
        say("predicted: expected share of the favourite's points; observed: what it got, with its 95 % interval")
        say("Brier: mean square of what predictions missed by; 0.25 is what a coin misses")
    else:
        note("no rated matches on open deals yet")


def _show(each: pb.GetReliabilityResponse) -> None:
    rows = [
        (
            f"{bin_.low:.0%} to {bin_.high:.0%}",
            bin_.pairs,
            f"{bin_.predicted:.1%}",
            f"{bin_.observed.mean:.1%}",
            f"{bin_.observed.low:.1%} to {bin_.observed.high:.1%}",
        )
        for bin_ in each.bins
    ]
    print_table(("favourite", "pairs", "predicted", "observed", "95 %"), rows, title=pool_title(each.pool))
    say(
        f"{each.matches} matches, {each.pairs} pairs, Brier {each.brier:.3f}; ties: {each.observed_ties:.1%} of pairs,"
        f" predicted {each.predicted_ties:.1%} (draw probability {each.pool.draw_probability:g})"
    )
    say()


def _panel(each: pb.GetReliabilityResponse) -> Panel:
    points = [
        Point(bin_.predicted, bin_.observed.mean, bin_.observed.low, bin_.observed.high, bin_.pairs)
        for bin_ in each.bins
    ]
    return Panel(pool_title(each.pool), f"{each.matches} matches, Brier {each.brier:.3f}", tuple(points))
