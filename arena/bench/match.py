"""What a hosted match costs around its turns: doorbell, claim, heartbeats, starts, record, in CPU of the worker."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE
from dataclasses import dataclass
from typing import Final

from arena.bench.measuring import PROGRAMS
from arena.bench.services import BrokerProgram
from arena.core.errors import Unavailable
from arena.core.protocol import GRPC_ENVIRONMENT
from arena.hosting.temporary import owned_folder
from arena.store import sqlite_url

BLOCKS: Final = 8
_PROGRAM: Final = PROGRAMS / "matches.py"


@dataclass(frozen=True, slots=True)
class MatchFigures:
    """Milliseconds of CPU a match. parts: of worker and broker, by name. referee: of its referee, turns included.

    wall: milliseconds of a match by the clock. matches: how many were played.
    """

    parts: dict[str, float]
    referee: float
    wall: float
    matches: int

    @property
    def worker(self) -> float:
        """All of the CPU but the referee's and the bots'."""
        return sum(self.parts.values())


async def measure_matches(
    blocks: int,
    database: str | None,
    broker: BrokerProgram,
) -> MatchFigures:
    """Play so many blocks of two matches. database: the URL of an empty one, None for a new SQLite file.

    Raises Unavailable if matches cannot be hosted here, or the database is not to be used.
    """
    with owned_folder("whiteout-bench-") as folder:
        socket = folder / "broker.sock"
        started = await asyncio.create_subprocess_exec(*broker.command(socket), stdout=DEVNULL, stderr=DEVNULL)
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                str(_PROGRAM),
                database or sqlite_url(folder),
                str(blocks),
                broker.url(socket),
                str(started.pid),
                stdout=PIPE,
                stderr=PIPE,
                env={**os.environ, **GRPC_ENVIRONMENT},  # as a worker sets it for itself
            )
            told, words = await process.communicate()
        finally:
            with contextlib.suppress(ProcessLookupError):
                started.terminate()
            await started.wait()
    if process.returncode != 0:
        why = (words.decode(errors="replace").strip().splitlines() or ["it said nothing"])[-1]
        raise Unavailable(f"the matches could not be played: {why}", reason="BENCH_FAILED")
    facts = json.loads(told)
    spent = facts["ms"]
    referee, wall = spent.pop("referee"), spent.pop("wall")
    return MatchFigures(spent, referee, wall, facts["matches"])
