"""`arena versus`: two bots by the blocks they have in common on a server."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from arena.cli.client import connect, parse_bot
from arena.cli.options import CaOption, DataOption, JsonOption, ServerOption, TokenFileOption, as_plain, is_wide
from arena.cli.output import note, print_json, print_table, say
from arena.v1 import rating_pb2 as pb
from arena.v1 import statistics_pb2

_COLUMNS: Final = ("blocks", "left out", "w-t-l", "share", "95 %", "Elo", "95 %", "superior")


def versus(
    bot: Annotated[str, typer.Argument(metavar="A", help="NAME or NAME@VERSION.")],
    other: Annotated[str, typer.Argument(metavar="B", help="NAME or NAME@VERSION.")],
    *,
    tournament: Annotated[str, typer.Option("--tournament", metavar="NAME", help="Only this one's blocks.")] = "",
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    data: DataOption = None,
    ca: CaOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare two bots by their common blocks: difference, 95 % interval, and how likely A is the better one."""
    (one, version), (two, other_version) = parse_bot(bot), parse_bot(other)
    request = pb.CompareBotsRequest(
        bot=one, version=version, other_bot=two, other_version=other_version, tournament=tournament
    )
    with connect(server, token_file, data, ca) as session:
        found = session.call(session.ratings.CompareBots, request).comparisons
    if as_json:
        print_json(as_plain(found))
        return
    if not found:
        note(f"{bot} and {other} have no common blocks on open deals yet")
        return
    title = f"{bot} against {other}"
    if is_wide():
        print_table(
            ("pool", *_COLUMNS), [(pool_title(each.pool), *_row(each, digits=1)) for each in found], title=title
        )
    else:
        # A pool's name takes a third of a narrow terminal: it stands above its line there, not in front of it.
        say(title)
        for each in found:
            print_table(_COLUMNS, [_row(each, digits=0)], title=pool_title(each.pool))
    say("share: of the points between the two; Elo: the difference that makes it expected")
    say("superior: how likely the first is the better one")
    say("left out: blocks with a forfeit or without a result")


def pool_title(pool: pb.RatingPool) -> str:
    """Return what tells a pool from others, in a few words."""
    title = f"{pool.game} ({pool.variant}), {pool.seats} seat{'s' * (pool.seats != 1)}, rules {pool.rules_version}"
    return title + ", remote" * pool.remote


def _row(each: pb.Comparison, *, digits: int) -> tuple[object, ...]:
    """Return the cells of _COLUMNS; digits: those of the share's interval behind the point."""
    facts: tuple[object, ...] = (each.blocks, each.left_out)
    if not each.blocks:
        return (*facts, *("-",) * (len(_COLUMNS) - len(facts)))
    return (
        *facts,
        f"{each.wins}-{each.ties}-{each.losses}",
        f"{each.share.mean:.1%}",
        f"{each.share.low:.{digits}%} to {each.share.high:.{digits}%}",
        f"{each.elo.mean:+.0f}",
        _elo(each.elo),
        f"{each.superiority:.1%}",
    )


def _elo(found: statistics_pb2.Estimate) -> str:
    low = f"{found.low:+.0f}" if found.HasField("low") else "-inf"
    high = f"{found.high:+.0f}" if found.HasField("high") else "+inf"
    return f"{low} to {high}"
