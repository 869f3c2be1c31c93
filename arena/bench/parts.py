"""The parts of a turn, timed in the matches themselves: a referee with one stopwatch at a time in it.

Each match has one part timed, the next one the next, so that the stopwatches cost next to nothing; what is not timed
but follows from the threads' clocks (all of a process, its loop) is known of every match.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.bench.measuring import PROGRAMS, quantile
from arena.core.errors import Unavailable
from arena.hosting.referee import Referee

TIMED: Final = ("match", "view", "message", "rules", "log", "clock")
"""The parts that have a stopwatch; the match holds all the others."""
SIZES: Final = "sizes"
"""What is done in one more match: messages are measured, nothing is timed."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What a turn takes of the referee's process, in microseconds of CPU, and its messages.

    process: all of it. loop: the thread that does the work; the rest are gRPC's own. spent: one entry for each of
    TIMED. turn_bytes, answer_bytes: mean sizes.
    """

    process: float
    loop: float
    spent: dict[str, float]
    turn_bytes: float
    answer_bytes: float

    @classmethod
    def of(cls, matches: Sequence[dict[str, float | str]]) -> Parts:
        """Return the parts that so many matches tell, one for each stopwatch and one for the sizes."""
        told = {str(match["part"]): match for match in matches}
        sizes = told.pop(SIZES)
        return cls(
            process=quantile([float(match["process_us"]) for match in matches]),
            loop=quantile([float(match["loop_us"]) for match in matches]),
            spent={part: float(told[part]["spent_us"]) for part in TIMED},
            turn_bytes=float(sizes["turn_bytes"]),
            answer_bytes=float(sizes["answer_bytes"]),
        )

    @classmethod
    def typical(cls, found: Sequence[Parts]) -> Parts:
        """Return the lower quartile of each figure."""
        return cls(
            process=quantile([one.process for one in found]),
            loop=quantile([one.loop for one in found]),
            spent={part: quantile([one.spent[part] for one in found]) for part in TIMED},
            turn_bytes=found[-1].turn_bytes,
            answer_bytes=found[-1].answer_bytes,
        )


class TimedReferee:
    """A referee that tells of each match what one part of it took. path: a new file for what it tells."""

    MATCHES: Final = len(TIMED) + 1
    """How many matches, one after another, time every part once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._taken = 0
        self.referee = Referee(program=(str(PROGRAMS / "timed_referee.py"), str(path)))

    def take(self) -> Parts:
        """Return what the last MATCHES matches told. Raises Unavailable if these were others."""
        lines = self._path.read_text(encoding="ascii").splitlines()
        self._taken, new = len(lines), lines[self._taken :]
        if len(new) != self.MATCHES:
            raise Unavailable(f"{len(new)} timed matches instead of {self.MATCHES}", reason="BENCH_FAILED")
        return Parts.of([json.loads(line) for line in new])
