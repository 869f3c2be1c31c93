"""What a worker that was killed in the middle of making a sandbox leaves is ended by the next one."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from arena.hosting.fence import word
from arena.hosting.launch import launch
from arena.hosting.layers import SandboxCheck
from arena.hosting.mounts import standard_view
from arena.hosting.orphans import end_orphans
from arena.hosting.sandbox import BotProgram, Descriptors, sandbox_command
from arena.hosting.seccomp import filter_descriptor

MAKER = """
import asyncio, sys
from pathlib import Path
from arena.hosting.fence import word
from arena.hosting.launch import launch
from arena.hosting.sandbox import BotProgram

async def make():
    bot = await launch(BotProgram(Path(sys.argv[1]), ("python", "bot.py")))
    print(bot.pid, flush=True)
    await bot.wait()

asyncio.run(make())
"""


def first_of_namespace(pid: int) -> psutil.Process | None:
    """Return the first process of a sandbox that is being made, once its maker has made it."""
    for process in psutil.Process(pid).children(recursive=True):
        status = Path(f"/proc/{process.pid}/status").read_text()
        numbers = next(line.split()[1:] for line in status.splitlines() if line.startswith("NSpid"))
        if len(numbers) > 1:
            return process
    return None


def waits_for_ever(folder: Path) -> psutil.Process | None:
    """Kill a maker as soon as its sandbox has a first process; return that process if it goes on waiting."""
    maker = subprocess.Popen([sys.executable, "-c", MAKER, str(folder)], stdout=subprocess.PIPE, text=True)
    assert maker.stdout is not None
    pid = int(maker.stdout.readline())
    while (first := first_of_namespace(pid)) is None:
        assert maker.poll() is None
    first.parent().send_signal(signal.SIGKILL)  # the bubblewrap that made it, as happens when the worker dies
    maker.kill()
    maker.wait()
    maker.stdout.close()
    return None if has_ended(first, 0.5) else first


def has_ended(process: psutil.Process, within_s: float) -> bool:
    """Whether a process ends within this time; whoever took it over need not have noticed yet."""
    until = time.monotonic() + within_s
    while time.monotonic() < until:
        with contextlib.suppress(psutil.NoSuchProcess):
            if process.status() != psutil.STATUS_ZOMBIE:
                time.sleep(0.01)
                continue
        return True
    return False


def host() -> None:
    """Do what every command does before it hosts bots."""
    asyncio.run(SandboxCheck().require())


@pytest.mark.parametrize("end", [end_orphans, host])
def test_a_sandbox_whose_maker_was_killed_is_ended_by_the_next_worker_or_command(
    end: Callable[[], object], bot_folder: Path
) -> None:
    (bot_folder / "bot.py").write_text("import time\ntime.sleep(600)\n")
    until = time.monotonic() + 60
    while (orphan := waits_for_ever(bot_folder)) is None:  # it may have come further than that
        assert time.monotonic() < until
    end()
    assert has_ended(orphan, 10)


def nobody_speaks(folder: Path) -> tuple[subprocess.Popen[bytes], int]:
    """Return a sandbox in the making, its worker not dead but silent, and where its word would be said."""
    status, (waits, says) = os.open(os.devnull, os.O_WRONLY), word()
    with filter_descriptor(shared_memory=True) as rules:
        handed = Descriptors(status, waits, rules)
        words = sandbox_command(BotProgram(folder, ("python", "bot.py")), standard_view(), uid=None, handed=handed)
        keep = (status, waits, rules)
        made = subprocess.Popen(words, pass_fds=keep, stdout=subprocess.PIPE, env={"PATH": "/usr/bin"})
    os.close(waits)
    os.close(status)
    return made, says


def test_a_sandbox_that_waits_longer_than_any_worker_lets_it_is_ended_though_its_maker_lives(bot_folder: Path) -> None:
    (bot_folder / "bot.py").write_text("print('here', flush=True)")
    made, says = nobody_speaks(bot_folder)
    with made:
        os.close(says)  # as when the worker dies: whoever waits is told nothing
        while (first := first_of_namespace(made.pid)) is None:
            assert made.poll() is None
        assert end_orphans() == 0
        while not end_orphans(longest_wait_s=0.0):
            assert first.is_running()
        made.wait(20)
        assert made.stdout is not None
        assert made.stdout.read() == b""


async def test_a_sandbox_that_lives_is_left_alone(bot_folder: Path) -> None:
    (bot_folder / "bot.py").write_text("print('here', flush=True)\nimport time\ntime.sleep(600)\n")
    bot = await launch(BotProgram(bot_folder, ("python", "bot.py")))
    async with asyncio.timeout(20):
        while "\n" not in bot.output.text:  # which comes in two pieces
            end_orphans()
            await asyncio.sleep(0.01)
    assert (bot.output.text, bot.ended) == ("here\n", False)
    await bot.kill()
