"""What a hosted match costs around its turns: claim, heartbeats, starts, record, in CPU of the worker."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.core.errors import Unavailable
from arena.hosting.temporary import owned_folder
from arena.store import sqlite_url

BLOCKS: Final = 8
_PROGRAM: Final = Path(__file__).parent / "programs" / "matches.py"


@dataclass(frozen=True, slots=True)
class MatchFigures:
    """Milliseconds of CPU a match. parts: of the worker, by name. referee: of its referee, turns included.

    wall: milliseconds of a match by the clock. matches: how many were played.
    """

    parts: dict[str, float]
    referee: float
    wall: float
    matches: int

    @property
    def worker(self) -> float:
        """All of the worker's CPU."""
        return sum(self.parts.values())


async def measure_matches(blocks: int, database: str | None) -> MatchFigures:
    """Play so many blocks of two matches. database: the URL of an empty one, None for a new SQLite file.

    Raises Unavailable if matches cannot be hosted here, or the database is not to be used.
    """
    with owned_folder("whiteout-bench-") as folder:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            str(_PROGRAM),
            database or sqlite_url(folder),
            str(blocks),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        told, words = await process.communicate()
    if process.returncode != 0:
        why = (words.decode(errors="replace").strip().splitlines() or ["it said nothing"])[-1]
        raise Unavailable(f"the matches could not be played: {why}", reason="BENCH_FAILED")
    facts = json.loads(told)
    spent = facts["ms"]
    referee, wall = spent.pop("referee"), spent.pop("wall")
    return MatchFigures(spent, referee, wall, facts["matches"])
