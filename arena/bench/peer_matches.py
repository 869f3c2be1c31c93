"""Whole matches of other arenas, each only where it is installed: what a match takes by the clock and in CPU."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Final

from arena.bench.measuring import quantile
from arena.bench.peers import Missing

PELITA: Final = "pelita --null"
KAGGLE: Final = "kaggle env.run connectx"
SEED: Final = 7
_KAGGLE_PROGRAM: Final = """
import sys, time
from kaggle_environments import make
make("connectx").run(["random", "random"])
cpu, wall = time.process_time(), time.monotonic()
for _ in range(int(sys.argv[1])):
    make("connectx").run(["random", "random"])
print((time.process_time() - cpu) / int(sys.argv[1]), (time.monotonic() - wall) / int(sys.argv[1]))
"""


@dataclass(frozen=True, slots=True)
class PeerMatch:
    """Milliseconds that one match takes: CPU of all its processes, and by the clock."""

    name: str
    cpu: float
    wall: float


def mean(runs: Sequence[PeerMatch]) -> PeerMatch:
    """Return the mean of runs of one arena."""
    return PeerMatch(runs[0].name, fmean(run.cpu for run in runs), fmean(run.wall for run in runs))


def find_peer_matches() -> tuple[list[Callable[[int], PeerMatch]], list[Missing]]:
    """Return what plays so many matches of each arena that is here, and those that are not."""
    found: list[Callable[[int], PeerMatch]] = []
    missing: list[Missing] = []
    if (pelita := _find_program("pelita")) is not None:
        found.append(lambda matches: play_pelita(pelita, matches))
    else:
        missing.append(Missing(PELITA, "pelita"))
    if importlib.util.find_spec("kaggle_environments") is not None:
        found.append(play_kaggle)
    else:
        missing.append(Missing(KAGGLE, "kaggle-environments"))
    return found, missing


def play_pelita(program: Path, matches: int) -> PeerMatch:
    """Play between its own default bots, without a picture; processes that it does not wait for are left out."""
    return _timed(PELITA, [str(program), "--null", "--seed", str(SEED)], matches)


def play_kaggle(matches: int) -> PeerMatch:
    """Play connectx between its random bots, which live in its own process; its start is not counted."""
    words = [sys.executable, "-c", _KAGGLE_PROGRAM, str(matches)]
    told = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    return PeerMatch(KAGGLE, 1000 * float(told[-2]), 1000 * float(told[-1]))


def _timed(name: str, command: Sequence[str], times: int) -> PeerMatch:
    cpu: list[float] = []
    wall: list[float] = []
    for _ in range(times):
        begun = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, command)
        wall.append(1000 * (time.monotonic() - begun))
        cpu.append(1000 * (used.ru_utime + used.ru_stime))
    return PeerMatch(name, quantile(cpu), quantile(wall))


def _find_program(name: str) -> Path | None:
    """Return a program of this environment, else of the path."""
    here = Path(sys.executable).with_name(name)
    found = str(here) if here.is_file() else shutil.which(name)
    return None if found is None else Path(found)
