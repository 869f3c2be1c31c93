"""Plays matches on this machine: bots as sandboxed programs with a referee of their own, or all in this process."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from arena.cli.botref import LocalBot
from arena.cli.setting import Setting
from arena.match.result import MatchResult
from arena.match.setup import Setup

if TYPE_CHECKING:
    from arena.hosting.referee import Referee
    from bots.sdk import Bot


@dataclass(frozen=True, slots=True)
class Job:
    """A match to be played, bots in seat order."""

    setup: Setup
    bots: tuple[LocalBot, ...]


@dataclass(frozen=True, slots=True)
class SeatWords:
    """What is to be told of a seat: how its end came about ("" if nothing is to be said), and what it printed."""

    note: str
    output: str


@dataclass(frozen=True, slots=True)
class Played:
    """A match that is over. log: JSON Lines; seats: one entry a seat."""

    job: Job
    result: MatchResult
    log: str
    seats: tuple[SeatWords, ...]


class Table(Protocol):
    """Where matches are played."""

    def play_each(self, jobs: Iterable[Job]) -> Iterator[Played]:
        """Play all matches and give each out when it is over; several may run at once, so the order is free.

        Raises Unavailable when the arena itself fails, UsageError for a bot that cannot be played here.
        """


@contextmanager
def open_table(setting: Setting) -> Iterator[Table]:
    """Open a table; when it closes, also by an interrupt, nothing of its matches is left running."""
    if setting.in_process:
        from arena.cli.inprocess import load_bot_class  # noqa: PLC0415 - needed for this way of playing only

        yield _InProcess({bot.folder: load_bot_class(bot) for bot in setting.bots})
        return
    from arena.hosting.referee import Referee  # noqa: PLC0415 - gRPC costs 150 ms that the other way need not pay

    with asyncio.Runner() as runner:
        referee = runner.run(Referee().__aenter__())
        table = _Hosted(runner, referee)
        try:
            yield table
        finally:
            runner.run(table.clear())
            runner.run(referee.__aexit__(None, None, None))


class _InProcess:
    def __init__(self, classes: Mapping[Path, type[Bot]]) -> None:
        self._classes = classes

    def play_each(self, jobs: Iterable[Job]) -> Iterator[Played]:
        from arena.cli.inprocess import play_in_process  # noqa: PLC0415 - as above

        for job in jobs:
            match = play_in_process(job.setup, [self._classes[bot.folder] for bot in job.bots])
            if match.result is None:
                raise RuntimeError("play_in_process returned before the end")
            yield Played(job, match.result, match.log_text(), (SeatWords("", ""),) * len(job.bots))


class _Hosted:
    """Runs as many matches at once as there are cores; its tasks stand still while nobody asks for the next one."""

    def __init__(self, runner: asyncio.Runner, referee: Referee) -> None:
        self._runner = runner
        self._referee = referee
        self._running: set[asyncio.Task[Played]] = set()

    def play_each(self, jobs: Iterable[Job]) -> Iterator[Played]:
        coming = iter(jobs)
        loop = self._runner.get_loop()
        while True:
            for job in islice(coming, len(os.sched_getaffinity(0)) - len(self._running)):
                self._running.add(loop.create_task(self._play(job)))
            if not self._running:
                return
            done, self._running = self._runner.run(_first(self._running))
            for task in done:
                yield task.result()

    async def clear(self) -> None:
        """Stop what still runs and wait until its bots are gone."""
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    async def _play(self, job: Job) -> Played:
        from arena.hosting.matches import HostedBot, play_hosted  # noqa: PLC0415 - as in open_table

        bots = [HostedBot(bot.folder, bot.manifest.program) for bot in job.bots]
        hosted = await play_hosted(job.setup, bots, self._referee)
        words = tuple(SeatWords(seat.note, seat.output.text) for seat in hosted.seats)
        return Played(job, hosted.result, hosted.log, words)


async def _first(tasks: set[asyncio.Task[Played]]) -> tuple[set[asyncio.Task[Played]], set[asyncio.Task[Played]]]:
    return await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
