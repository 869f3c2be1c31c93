"""No line of a stranger's program is run before every limit of its sandbox holds, however that is started."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import pytest

from arena.hosting.cgroups import ControlGroups, Group, Sizes
from arena.hosting.kernel_files import tree_of
from arena.hosting.launch import BotProcess, launch
from arena.hosting.pool import WarmPool
from arena.hosting.sandbox import BotProgram

LONGER_THAN_A_START_S = 0.7
Begin: TypeAlias = Callable[[BotProgram, ControlGroups], Awaitable[BotProcess]]
TELLS_WHEN = "import time; print(time.monotonic(), flush=True); time.sleep(600)"


@dataclass(slots=True)
class LateGroup(Group):
    """A group whose kernel takes its time."""

    since: list[float] = field(default_factory=list)

    def admit(self, pid: int) -> None:
        time.sleep(LONGER_THAN_A_START_S)
        Group.admit(self, pid)
        self.since.append(time.monotonic())


class LateGroups(ControlGroups):
    """Those of this machine, with a kernel that takes its time."""

    def __init__(self) -> None:
        self._found = ControlGroups.found()
        self.made: list[LateGroup] = []

    def make(self, sizes: Sizes) -> Group:
        group = self._found.make(sizes)
        self.made.append(LateGroup(group.folders, group.active, group.freezer, group.memory_events))
        return self.made[-1]


async def started_cold(program: BotProgram, groups: ControlGroups) -> BotProcess:
    return await launch(program, groups=groups)


async def started_warm(program: BotProgram, groups: ControlGroups) -> BotProcess:
    """Start it in a sandbox that was begun a moment before and has told nothing yet."""
    pool = WarmPool(groups)
    await pool.aim(1)
    process = await pool.start(program)
    assert pool.warm_starts == 1
    return process


@pytest.mark.parametrize(
    ("begin", "command"),
    [
        (started_cold, ("python", "bot.py")),
        (started_cold, ("python", "-S", "bot.py")),
        (started_cold, ("sh", "-c", 'exec "$0" bot.py', "python3")),
        (started_warm, ("python", "bot.py")),
    ],
    ids=["script", "other words of Python", "program", "script in a waiting sandbox"],
)
async def test_a_stranger_begins_when_all_limits_hold(begin: Begin, command: tuple[str, ...], bot_folder: Path) -> None:
    (bot_folder / "bot.py").write_text(TELLS_WHEN)
    groups = LateGroups()
    bot = await begin(BotProgram(bot_folder, command), groups)
    try:
        async with asyncio.timeout(30):
            while "\n" not in bot.output.text:  # noqa: ASYNC110 - output raises no event
                await asyncio.sleep(0.01)
        (group,) = groups.made
        (admitted,) = group.since
        assert float(bot.output.text) > admitted
        everybody = set(tree_of(bot.pid)[1:])
        assert len(everybody) >= 2
        for folder in group.folders:
            members = {int(word) for word in (folder / "cgroup.procs").read_text().split()}
            assert members & everybody == members
            assert len(members) == 2
    finally:
        await bot.kill()
