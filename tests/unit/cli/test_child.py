"""A process that the arena keeps running: what is said when it ends."""

import asyncio
import sys
from pathlib import Path

import pytest

from arena.cli.local.child import Child, Program


async def told_of(program: str, folder: Path) -> str:
    """Run a program that ends at once under a keeper; return the first thing that is said of it."""
    said: asyncio.Queue[str] = asyncio.Queue()
    child = Child(Program("worker-1", [sys.executable, "-c", program], folder / "log"), said.put_nowait)
    await child.start()
    try:
        return await asyncio.wait_for(said.get(), 30)
    finally:
        await child.stop()


@pytest.mark.parametrize(
    ("program", "end"),
    [
        ("print('played match 7', flush=True)", "worker-1 ended with exit status 0; it is started again"),
        ("print('match 7'); raise SystemExit(3)", "worker-1 ended with exit status 3; it is started again"),
        ("import sys; sys.exit('error: no disk')", "worker-1 ended with exit status 1: no disk; it is started again"),
        ("import os; print('7', flush=True); os.kill(os.getpid(), 9)", "worker-1 was killed by SIGKILL; it is"),
    ],
)
async def test_an_end_is_told_by_its_status_and_by_what_is_called_an_error(tmp_path, program: str, end: str) -> None:
    assert (await told_of(program, tmp_path)).startswith(end)


async def test_a_program_whose_errors_come_before_an_end_without_reason_is_not_blamed_for_them(tmp_path) -> None:
    said = await told_of("print('error: no answer from bot'); print('went on', flush=True)", tmp_path)
    assert "no answer" not in said


async def test_a_program_is_kept_running_after_a_fault_that_nobody_foresaw(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("arena.cli.local.child.FIRST_BACKOFF_S", 0.01)
    starts: asyncio.Queue[int] = asyncio.Queue()

    async def ready(_child: Child) -> None:
        starts.put_nowait(1)
        if len(said) == 1:
            raise ZeroDivisionError

    said: list[str] = []
    program = "import time; time.sleep(0.3)"
    child = Child(Program("worker-1", [sys.executable, "-c", program], tmp_path / "log", ready=ready), said.append)
    await child.start()
    try:
        for _ in range(3):  # the start, the one that fails, the one after it
            await asyncio.wait_for(starts.get(), 30)
    finally:
        await child.stop()
    assert any("ZeroDivisionError" in line for line in said)
