"""What the standings of a tournament of solo play add: how every two bots differ on the same deals."""

from __future__ import annotations

from collections.abc import Sequence

from arena.cli.output import print_table, say
from arena.v1 import solo_pb2 as pb


def show_paired(pairs: Sequence[pb.PairedDifference]) -> None:
    """Print a line for every two bots; nothing when nobody plays alone."""
    if not pairs:
        return
    rows = [
        (
            f"{each.bot}@{each.version} - {each.other_bot}@{each.other_version}",
            each.deals,
            each.left_out,
            difference(each.won, "+.1%"),
            difference(each.score, "+.2f"),
        )
        for each in pairs
    ]
    say()
    print_table(("difference", "deals", "left out", "won", "score"), rows, title="on the same deals, first - second")
    say("won, score: mean of the differences deal by deal, with its 95 % interval; score: the game's own count")
    say("left out: deals that one of them forfeited or that ended without a result")


def difference(found: pb.Difference, style: str) -> str:
    """Return a mean and its interval as text."""
    mean = format(found.mean, style)
    if not found.HasField("low"):
        return mean
    return f"{mean} ({format(found.low, style)} to {format(found.high, style)})"
