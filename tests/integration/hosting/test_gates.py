"""No line of a stranger's program is run before every limit of its sandbox holds, however that is started."""

from __future__ import annotations

import asyncio
import ctypes
import errno
import os
import socket
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

import pytest

from arena.core.errors import Unavailable
from arena.hosting.cgroups import ControlGroups, Group, Sizes
from arena.hosting.kernel_files import tree_of, write_kernel_file
from arena.hosting.launch import BotProcess, launch
from arena.hosting.pool import WarmPool
from arena.hosting.sandbox import BotProgram
from arena.hosting.seats import Seat

LONGER_THAN_A_START_S = 0.7
PIDFD_GETFD = 438
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


@dataclass(slots=True)
class ClosedGroup(Group):
    """A group whose first place takes the sandbox; its second one does not. why: what is raised then."""

    why: Exception = field(default_factory=lambda: PermissionError(errno.EACCES, "Permission denied"))

    def admit(self, pid: int) -> None:
        for folder in self.folders[:1]:
            write_kernel_file(f"{folder}/cgroup.procs", str(pid))
        raise self.why


class ClosedGroups(ControlGroups):
    """Those of this machine, which take nobody. offers: what they say they do, beside what they do."""

    def __init__(self, offers: frozenset[str], why: Exception | None = None) -> None:
        self._found = ControlGroups.found()
        self._offered = offers
        self._why = why

    def make(self, sizes: Sizes) -> Group:
        group = self._found.make(sizes)
        made = ClosedGroup(group.folders, self._offered, group.freezer, group.memory_events)
        made.why = self._why or made.why
        return made


async def started_cold(program: BotProgram, groups: ControlGroups) -> BotProcess:
    return await launch(program, groups=groups)


async def started_warm(program: BotProgram, groups: ControlGroups) -> BotProcess:
    """Start it in a sandbox that was begun a moment before and has told nothing yet."""
    pool = WarmPool(groups)
    await pool.aim(1)
    process = await pool.start(program)
    assert pool.warm_starts == 1
    return process


async def started_in_a_seat(program: BotProgram, groups: ControlGroups) -> BotProcess:
    """Start it where sandboxes wait, though it waits for nothing."""
    seat = Seat.new()
    seat.copy(program.folder, None)
    process = await launch(replace(program, folder=seat.files, door_folder=seat.door), groups=groups, seat=seat)
    process.when_ended(seat.remove)
    return process


@pytest.mark.parametrize(
    ("begin", "command"),
    [
        (started_cold, ("python", "bot.py")),
        (started_cold, ("python", "-S", "bot.py")),
        (started_cold, ("sh", "-c", 'exec "$0" bot.py', "python3")),
        (started_warm, ("python", "bot.py")),
        (started_in_a_seat, ("python", "bot.py")),
    ],
    ids=["script", "other words of Python", "program", "script in a waiting sandbox", "script in a seat"],
)
async def test_a_stranger_begins_when_all_limits_hold(begin: Begin, command: tuple[str, ...], bot_folder: Path) -> None:
    (bot_folder / "bot.py").write_text(TELLS_WHEN)
    for name in ("sitecustomize", "usercustomize", "encodings", "gc", "site", "bots", "arena", "grpc"):
        (bot_folder / f"{name}.py").write_text("import time; print(time.monotonic(), flush=True)")
    (bot_folder / "pyvenv.cfg").write_text("home = /bot\n")
    groups = LateGroups()
    bot = await begin(BotProgram(bot_folder, command), groups)
    try:
        async with asyncio.timeout(30):
            while "\n" not in bot.output.text:  # noqa: ASYNC110 - output raises no event
                await asyncio.sleep(0.01)
        (group,) = groups.made
        (admitted,) = group.since
        assert float(bot.output.text.splitlines()[0]) > admitted
        everybody = set(tree_of(bot.pid)[1:])
        assert len(everybody) >= 2
        for folder in group.folders:
            members = {int(word) for word in (folder / "cgroup.procs").read_text().split()}
            assert members & everybody == members
            assert len(members) == 2
    finally:
        await bot.kill()


@pytest.mark.parametrize("command", [("python", "bot.py"), ("python", "-S", "bot.py")], ids=["script", "program"])
async def test_a_sandbox_whose_memory_was_to_be_counted_and_is_not_runs_no_stranger(
    command: tuple[str, ...], bot_folder: Path
) -> None:
    (bot_folder / "bot.py").write_text("print('here')")
    bot = await launch(BotProgram(bot_folder, command), groups=ClosedGroups(frozenset({"memory"})))
    with pytest.raises(Unavailable, match=r"^a bot cannot be limited here: \[Errno 13\] [^\n]*$"):
        await asyncio.wait_for(bot.wait(), 30)
    assert bot.output.text == ""
    assert await bot.brake() is None


async def test_a_waiting_sandbox_whose_memory_was_to_be_counted_and_is_not_becomes_no_bot(bot_folder: Path) -> None:
    (bot_folder / "bot.py").write_text("print('here')")
    async with WarmPool(ClosedGroups(frozenset({"memory"}))) as pool:
        await pool.aim(1)
        bot = await pool.start(BotProgram(bot_folder, ("python", "bot.py")))
        assert pool.warm_starts == 0
        with pytest.raises(Unavailable, match="cannot be limited"):
            await asyncio.wait_for(bot.wait(), 30)


async def test_where_the_watch_counts_memory_a_bot_runs_without_control_groups_that_do_not_take_it(
    bot_folder: Path,
) -> None:
    (bot_folder / "bot.py").write_text("print('here')")
    bot = await launch(BotProgram(bot_folder, ("python", "bot.py")), groups=ClosedGroups(frozenset({"pids"})))
    assert await asyncio.wait_for(bot.wait(), 30) == 0
    assert bot.output.text == "here\n"


async def test_a_fault_that_nobody_foresaw_ends_the_sandbox_and_is_not_the_bots(bot_folder: Path) -> None:
    (bot_folder / "bot.py").write_text("print('here')")
    groups = ClosedGroups(frozenset(), RuntimeError("can't start new thread"))
    bot = await launch(BotProgram(bot_folder, ("python", "bot.py")), groups=groups)
    with pytest.raises(Unavailable, match=r"^a bot cannot be limited here: can't start new thread; "):
        await asyncio.wait_for(bot.wait(), 30)
    assert bot.output.text == ""


@pytest.mark.parametrize("begin", [started_cold, started_warm])
async def test_no_socket_that_could_lead_elsewhere_is_left_in_a_sandbox(begin: Begin, bot_folder: Path) -> None:
    (bot_folder / "bot.py").write_text(TELLS_WHEN)
    bot = await begin(BotProgram(bot_folder, ("python", "bot.py")), ControlGroups.none())
    try:
        async with asyncio.timeout(30):
            while "\n" not in bot.output.text:  # noqa: ASYNC110 - output raises no event
                await asyncio.sleep(0.01)
        for pid in tree_of(bot.pid)[1:]:
            for number in sockets_of(pid):
                assert begin is started_warm
                leads_nowhere(pid, number)
    finally:
        await bot.kill()


def sockets_of(pid: int) -> list[int]:
    return [int(kept.name) for kept in Path(f"/proc/{pid}/fd").iterdir() if str(kept.readlink()).startswith("socket:")]


def leads_nowhere(pid: int, number: int) -> None:
    """Assert of a process's socket what its holder would find out."""
    descriptor = os.pidfd_open(pid)
    kept = ctypes.CDLL(None, use_errno=True).syscall(PIDFD_GETFD, descriptor, number, 0)
    os.close(descriptor)
    assert kept >= 0, os.strerror(ctypes.get_errno())
    with socket.socket(fileno=kept) as one, socket.socket(socket.AF_UNIX, one.type) as other:
        other.bind("")
        if one.type == socket.SOCK_STREAM:
            other.listen()
        with pytest.raises(OSError, match="Invalid argument"):
            one.bind("\0whiteout-test-name")
        with pytest.raises(OSError, match="already connected"):
            one.connect(other.getsockname())
        with pytest.raises(OSError, match="already connected"):
            one.sendto(b".", other.getsockname())
