"""Bots that misbehave as programs: whatever they do, nothing of them is left."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import psutil
import pytest

from arena.core.errors import Unavailable
from arena.hosting.cgroups import ControlGroups, Sizes
from arena.hosting.launch import BotProcess, launch
from arena.hosting.sandbox import BotProgram

Start = Callable[..., Awaitable[BotProcess]]


@pytest.fixture
def start(bot_folder: Path) -> Start:
    async def start_source(source: str, *, sandboxed: bool = True) -> BotProcess:
        (bot_folder / "bot.py").write_text(source)
        return await launch(BotProgram(bot_folder, ("python", "bot.py")), sandboxed=sandboxed)

    return start_source


async def until_printed(bot: BotProcess, text: str) -> None:
    async with asyncio.timeout(20):
        while text not in bot.output.text:  # noqa: ASYNC110 - output raises no event
            await asyncio.sleep(0.01)


def descendants() -> list[psutil.Process]:
    return psutil.Process().children(recursive=True)


def counts() -> tuple[int, int, int, int]:
    open_files = len(list(Path("/proc/self/fd").iterdir()))
    folders = len(list(Path(tempfile.gettempdir()).iterdir()))
    return len(descendants()), open_files, threading.active_count(), folders


@pytest.mark.parametrize("sandboxed", [True, False])
async def test_a_hanging_bot_is_killed_with_all_its_children(start: Start, sandboxed: bool) -> None:
    bot = await start(
        "import os, signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "for _ in range(4):\n    if os.fork() == 0:\n        break\nos.write(1, b'up\\n')\ntime.sleep(600)",
        sandboxed=sandboxed,
    )
    await until_printed(bot, "up\nup\nup\nup\nup\n")
    tree = descendants()
    assert len(tree) >= 5
    await bot.kill()
    assert not [process for process in tree if process.is_running()]
    assert await bot.wait() == -9


DAEMON = (
    "import os, sys, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
    "        print('daemon', os.getppid(), flush=True)\n        time.sleep(600)\n    os._exit(0)\nos.wait()\n"
)


@pytest.mark.parametrize("sandboxed", [True, False])
async def test_daemons_that_outlive_the_bot_die_with_it(start: Start, sandboxed: bool) -> None:
    bot = await start(DAEMON + "time.sleep(0.2)", sandboxed=sandboxed)
    assert await bot.wait() == 0
    assert "daemon" in bot.output.text
    assert descendants() == []


@pytest.mark.parametrize("sandboxed", [True, False])
async def test_a_daemon_dies_when_its_bot_is_killed(start: Start, sandboxed: bool) -> None:
    bot = await start(DAEMON + "print('up', flush=True)\ntime.sleep(600)", sandboxed=sandboxed)
    await until_printed(bot, "daemon")
    await until_printed(bot, "up")
    tree = descendants()
    await bot.kill()
    assert not [process for process in tree if process.is_running()]
    assert descendants() == []


async def test_killing_a_bot_that_is_gone_is_harmless(start: Start) -> None:
    bot = await start("")
    assert await bot.wait() == 0
    await bot.kill()
    await bot.kill()
    assert await bot.wait() == 0


async def test_killing_a_bot_at_once_leaves_nothing(start: Start) -> None:
    for _ in range(5):
        bot = await start("import time\ntime.sleep(600)")
        await bot.kill()
    assert descendants() == []


async def test_a_flood_of_output_is_cut_and_costs_the_arena_little(start: Start) -> None:
    bot = await start("import os\nwhile True: os.write(1, b'x' * 65536)")
    await until_printed(bot, "bytes not kept")
    spent = -time.process_time()
    await asyncio.sleep(0.5)
    spent += time.process_time()
    await bot.kill()
    assert len(bot.output.kept()) < 70_000
    assert spent < 0.25


async def test_a_bot_without_its_program_fails_as_a_bot(bot_folder: Path) -> None:
    bot = await launch(BotProgram(bot_folder, ("no-such-program",)))
    assert await bot.wait() == 127
    assert "no-such-program" in bot.output.text


async def test_a_sandbox_that_cannot_be_made_is_no_fault_of_the_bot(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match=r"sandbox cannot be made here.*missing\.sock"):
        await (await launch(BotProgram(tmp_path, ("python", "bot.py"), socket=tmp_path / "missing.sock"))).wait()


async def test_after_many_bad_bots_nothing_is_left_behind(start: Start) -> None:
    async def one(source: str) -> None:
        bot = await start(source)
        try:
            async with asyncio.timeout(0.3):
                await bot.wait()
        except TimeoutError:
            pass
        finally:
            await bot.kill()

    await one("")
    before = counts()
    for source in ("raise SystemExit(3)", "while True: pass", "import os\nos.fork()\nwhile True: pass", "os.abort()"):
        await one(source)
    assert counts() == before


async def test_cancelling_the_waiter_leaves_the_bot_to_be_killed(start: Start) -> None:
    bot = await start("import time\ntime.sleep(600)")
    waiter = asyncio.ensure_future(bot.wait())
    await asyncio.sleep(0)
    waiter.cancel()
    await asyncio.wait((waiter,))
    assert not bot.ended
    await bot.kill()
    assert descendants() == []


def test_a_group_that_somebody_still_sits_in_is_removed_once_they_have_ended() -> None:
    groups = ControlGroups.found()
    group = groups.make(Sizes(memory=1 << 28, processes=8, cores=1.0))
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as somebody:
        group.admit(somebody.pid)
        group.remove()
        assert [folder for folder in group.folders if not folder.is_dir()] == []
    deadline = time.monotonic() + 20
    while [folder for folder in group.folders if folder.exists()] and time.monotonic() < deadline:
        groups.make(Sizes(memory=1 << 28, processes=8, cores=1.0)).remove()
    assert [folder for folder in group.folders if folder.exists()] == []
