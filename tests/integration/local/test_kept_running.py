"""A process of the arena is kept running, also where the disk is full or its log cannot be opened."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from arena.cli.local.child import Child, Program

ECHO = "import os, sys, time; print(os.getpid(), flush=True); time.sleep(600)"


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not true():  # noqa: ASYNC110 - a file of another process is waited for
            await asyncio.sleep(0.02)


def program(log: Path) -> Program:
    return Program("echo", [sys.executable, "-c", ECHO], log)


async def test_a_process_is_heard_although_its_log_is_on_a_full_disk() -> None:
    child = Child(program(Path("/dev/full")), lambda _: None)
    await child.start()
    async with asyncio.timeout(60):
        assert (await child.first_line()).isdecimal()
    await child.stop()


async def test_a_process_whose_log_cannot_be_opened_is_tried_again_until_it_can(tmp_path: Path) -> None:
    told: list[str] = []
    logs = tmp_path / "logs"
    logs.mkdir()
    child = Child(program(logs / "echo.log"), told.append)
    await child.start()
    first = int(await child.first_line())
    logs.rename(tmp_path / "elsewhere")
    os.kill(first, signal.SIGKILL)
    await until(lambda: any("is tried again" in line for line in told))
    logs.mkdir()
    await until(lambda: (logs / "echo.log").exists() and (logs / "echo.log").read_text().strip().isdecimal())
    assert int(await child.first_line()) != first
    await child.stop()
