"""A worker that plays nothing: each match has a real log of some kilobytes and a result that its id decides."""

from __future__ import annotations

import sys
from pathlib import Path

import arena.games.first_snow
from arena.hosting.capture import CappedOutput
from arena.hosting.matches import HostedMatch, SeatPlay
from arena.match.result import MatchEnd, MatchResult, SeatEnd
from arena.match.setup import Setup
from worker.__main__ import main

LOG = (Path(arena.games.first_snow.__file__).parent / "golden" / "standard-2.jsonl").read_text()
THINK_MS = tuple(range(30))


async def play_stub(setup: Setup, players, referee, **_options) -> HostedMatch:
    """Return a match at once. Every seventh is a tie."""
    number = int(setup.match_id)
    ranks = (1, 1) if number % 7 == 0 else ((1, 2), (2, 1))[number % 2]
    result = MatchResult(MatchEnd.COMPLETED, (SeatEnd.PLAYED,) * 2, ranks, (20, 20), "points", 40)
    log = LOG.replace("chooser-0", f"c{number}", 1)
    return HostedMatch(result, log, tuple(SeatPlay("", THINK_MS, THINK_MS, CappedOutput()) for _ in players))


if __name__ == "__main__":
    sys.exit(main(play_stub))
