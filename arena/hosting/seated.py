"""The programs at the seats of one match: started side by side, told of to the referee, ended together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import TypeAlias

from arena.hosting.fence import BrakeAt
from arena.hosting.launch import BotProcess
from arena.hosting.pool import Waiting, WarmPool
from arena.hosting.referee import Referee
from arena.hosting.sandbox import BotProgram, Limits

Start: TypeAlias = Callable[[int, BotProgram], Coroutine[None, None, BotProcess]]
"""Starts the program of a seat."""

Task: TypeAlias = Callable[[], Coroutine[None, None, None]]


@asynccontextmanager
async def taken(
    pool: WarmPool | None, commands: Mapping[int, tuple[str, ...]], limits: Limits
) -> AsyncIterator[dict[int, Waiting]]:
    """Take sandboxes that wait, by seat; whoever uses one takes it out, and those that are left end."""
    found: dict[int, Waiting] = {}
    try:
        if pool is not None:
            for seat, command in commands.items():
                waiting = pool.take(command, limits)
                if waiting is not None:
                    found[seat] = waiting
        yield found
    finally:
        for one in found.values():
            await one.end()


def starting(
    pool: WarmPool | None, waiting: dict[int, Waiting], cold: Callable[[BotProgram], Coroutine[None, None, BotProcess]]
) -> Start:
    """Return what starts a program: in the sandbox that was taken for its seat, or in one of its own."""

    async def start(seat: int, program: BotProgram) -> BotProcess:
        return await (cold(program) if pool is None else pool.start(program, waiting.pop(seat, None)))

    return start


@asynccontextmanager
async def running(programs: Mapping[int, BotProgram], start: Start) -> AsyncIterator[Mapping[int, BotProcess]]:
    """Start the programs, by seat; at the end, also by cancellation, all of them are gone."""
    processes: dict[int, BotProcess] = {}

    async def begin(seat: int) -> None:
        processes[seat] = await start(seat, programs[seat])

    try:
        for fault in await asyncio.gather(*map(begin, programs), return_exceptions=True):
            if fault is not None:
                raise fault
        yield processes
    finally:
        alive = [process for process in processes.values() if not process.ended]
        if alive:
            await asyncio.shield(asyncio.gather(*(process.kill() for process in alive)))


async def farewell(processes: Mapping[int, BotProcess], seconds: float) -> None:
    """Let programs end by themselves for so long."""
    alive = [process.end for process in processes.values() if not process.ended]
    if alive:
        await asyncio.wait(alive, timeout=seconds)


def lendings(
    referee: Referee, match_id: str, processes: Mapping[int, BotProcess], told: Mapping[int, BrakeAt]
) -> list[Task]:
    """Return what tells the referee how programs can be stopped; told: what it knows already."""
    return [
        partial(_lend_brake, referee, match_id, seat, process)
        for seat, process in processes.items()
        if seat not in told or process.known_brake != told[seat]
    ]


async def _lend_brake(referee: Referee, match_id: str, seat: int, process: BotProcess) -> None:
    brake = await process.brake()
    if brake is not None:
        await referee.lend_brake(match_id, seat, brake)


async def report_exit(referee: Referee, match_id: str, seat: int, process: BotProcess) -> None:
    """Tell the referee that a program has ended. Raises Unavailable if it was the sandbox that failed."""
    await referee.report_exit(match_id, seat, await process.wait())
