"""Where a bot's files and its door lie while it runs: in memory, and on disk what is too much for that."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from smalldisk import SMALL_DISK_MB, small_disk

from arena.hosting import seats
from arena.hosting.launch import BotProcess, launch
from arena.hosting.pool import WarmPool
from arena.hosting.sandbox import BotProgram, SeatPlaces
from arena.hosting.seats import LARGE_PREFIX, PREFIX, USUAL_BYTES, Seat, all_seats
from arena.hosting.staging import NoRoom
from arena.hosting.temporary import OWN, quick_place, sweep

ROOT = os.geteuid() == 0
MB = 1024 * 1024
TELLS = """
import os, socket
door = os.environ.get("WHITEOUT_ADDRESS", "").removeprefix("unix:")
if door:
    socket.socket(socket.AF_UNIX).connect(door)
    print(os.path.basename(door))
print(*[(name, (facts := os.stat(name)).st_dev, facts.st_ino, facts.st_size) for name in sorted(os.listdir("."))])
"""
WAITS = """
import asyncio, sys
from pathlib import Path
from arena.hosting import seats
from arena.hosting.launch import launch
from arena.hosting.sandbox import BotProgram
from arena.hosting.seats import all_seats

async def run():
    bot = await launch(BotProgram(Path(sys.argv[1]), ("python", "bot.py")))
    while not bot.output.text:
        await asyncio.sleep(0.01)
    print(all_seats().usual, all_seats().large, flush=True)
    await bot.wait()

asyncio.run(run())
"""
RUNS = """
import asyncio, ctypes, os, sys
from pathlib import Path
from arena.hosting.launch import launch
from arena.hosting.sandbox import BotProgram

PRIVATE, NEWNS, NEWUSER, REMOUNT_NOEXEC = 1 << 18 | 1 << 14, 0x20000, 0x10000000, 32 | 8
libc = ctypes.CDLL(None)

async def run():
    bot = await launch(BotProgram(Path(sys.argv[1]), ("./bot",)))
    print(await bot.wait(), bot.output.text, end="")

if os.geteuid() == 0:
    assert libc.unshare(NEWNS) == 0 and libc.mount(None, b"/", None, PRIVATE, None) == 0
    assert libc.mount(None, b"/dev/shm", None, REMOUNT_NOEXEC | 4096, None) == 0
    (begun, begins), (mapped, maps) = os.pipe(), os.pipe()
    child = os.fork()
    if child:
        os.read(begun, 1)
        for ids in ("uid_map", "gid_map"):
            Path("/proc", str(child), ids).write_text("0 0 100000")
        os.write(maps, b".")
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    assert libc.unshare(NEWUSER | NEWNS) == 0
    os.write(begins, b".")
    os.read(mapped, 1)
asyncio.run(run())
"""


@pytest.fixture
def usual(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Have temporary files where nobody has chosen another place; yield where small ones lie then."""
    monkeypatch.setattr(tempfile, "tempdir", "/tmp")
    _forget_seats()
    yield quick_place()
    _forget_seats()


def _forget_seats() -> None:
    """Have them made anew: other tests have other temporary folders."""
    for kept in (seats._usual, seats._large):
        kept.close()


@pytest.fixture
def bot(bot_folder: Path) -> BotProgram:
    (bot_folder / "bot.py").write_text(TELLS)
    return BotProgram(bot_folder, ("python", "bot.py"))


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Path]:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "d"))
        (tmp_path / "d").chmod(0o666)
        listener.listen()
        yield tmp_path / "d"


async def ran(bot: BotProcess) -> str:
    try:
        async with asyncio.timeout(30):
            assert await bot.wait() == 0
            return bot.output.text.strip()
    finally:
        await bot.kill()


def looked_at(folder: Path) -> str:
    """Return what a bot tells of its files if they are those in this folder themselves."""
    stats = {path.name: path.stat() for path in sorted(folder.iterdir())}
    return " ".join(str((name, facts.st_dev, facts.st_ino, facts.st_size)) for name, facts in stats.items())


def device_of(path: Path) -> int:
    return path.stat().st_dev


async def test_a_small_bot_lies_in_memory_and_a_large_one_stays_where_it_is(bot: BotProgram, usual: Path) -> None:
    small = await ran(await launch(bot))
    with (bot.folder / "large").open("wb") as file:
        file.truncate(USUAL_BYTES)
    large = await ran(await launch(bot))
    device = device_of(usual if ROOT else bot.folder)
    assert f"('bot.py', {device}, " in small
    assert large == looked_at(bot.folder)


async def test_a_bot_that_is_too_large_for_memory_has_its_door_all_the_same(
    bot: BotProgram, usual: Path, door: Path
) -> None:
    (bot.folder / "large").write_bytes(bytes(USUAL_BYTES))
    text = await ran(await launch(replace(bot, socket=door)))
    assert text.splitlines() == ["bots.sock", looked_at(bot.folder)]
    assert [seat for place in (all_seats().usual, all_seats().large) for seat in place.iterdir()] == []


async def test_a_door_on_another_disk_than_the_seats_is_reached(bot: BotProgram, usual: Path, door: Path) -> None:
    async with WarmPool() as pool:
        await pool.aim(1)
        text = await ran(await pool.start(replace(bot, socket=door)))
        assert pool.warm_starts == (0 if ROOT and device_of(usual) != device_of(door) else 1)
    assert text.splitlines()[0] == "bots.sock"


def test_where_memory_is_full_a_bot_lies_on_disk_and_one_that_waits_for_its_files_gets_none(
    bot: BotProgram, tmp_path: Path
) -> None:
    large = tmp_path / "large"
    large.mkdir()
    (bot.folder / "file").write_bytes(os.urandom(4 * MB))
    (tmp_path / "memory").mkdir()
    with small_disk(tmp_path / "memory") as is_small:
        assert is_small == ROOT
        (tmp_path / "memory" / "filler").write_bytes(bytes((SMALL_DISK_MB - 2) * MB if is_small else 0))
        places = SeatPlaces(tmp_path / "memory", large)
        waiting, cold = Seat.new(places), Seat.new(places)
        if is_small:
            with pytest.raises(NoRoom, match="no room"):
                waiting.copy(bot.folder, None)
        cold.show(bot.folder, None)
        assert cold.files.is_relative_to(large) == is_small
        assert (cold.files / "file").read_bytes() == (bot.folder / "file").read_bytes()
        for seat in (waiting, cold):
            seat.remove()
        assert [path.name for path in (tmp_path / "memory").iterdir()] == ["filler"]
        assert list(large.iterdir()) == []


def test_what_a_killed_worker_left_in_memory_and_on_disk_is_removed_by_the_next(bot: BotProgram, usual: Path) -> None:
    (bot.folder / "bot.py").write_text("print('here', flush=True)\nimport time\ntime.sleep(600)\n")
    environment = {name: value for name, value in os.environ.items() if name != "TMPDIR"}
    words = [sys.executable, "-c", WAITS, str(bot.folder)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment) as worker:
        assert worker.stdout is not None
        places = [Path(word) for word in worker.stdout.readline().split()]
        worker.kill()
    assert [place.parent.name[: len(PREFIX)] for place in places] == [PREFIX, LARGE_PREFIX]
    assert all(place.is_dir() for place in places)
    assert places[0].is_relative_to(usual)
    sweep(OWN)
    assert not any(place.parent.exists() for place in places)


def test_a_bot_that_is_a_program_runs_where_root_of_a_namespace_of_users_may_run_nothing_in_memory(
    bot_folder: Path,
) -> None:
    (bot_folder / "bot").write_text("#!/bin/sh\necho runs\n")
    (bot_folder / "bot").chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if name != "TMPDIR"}
    words = [sys.executable, "-c", RUNS, str(bot_folder)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False, env=environment)
    assert (done.stdout, done.stderr) == ("0 runs\n", "")
