"""What all sandboxes of root's process are made in, and what each of them has of its own."""

from __future__ import annotations

import asyncio
import gc
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Callable, ItemsView
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from arena.core.errors import Unavailable
from arena.hosting.holder import Holder, holder
from arena.hosting.launch import BotProcess, launch
from arena.hosting.mounts import standard_view
from arena.hosting.sandbox import SEATS, BotProgram, SeatPlaces
from arena.hosting.seats import PREFIX, Seat, all_seats
from arena.hosting.temporary import OWN, sweep
from arena.hosting.uids import FIRST_UID, LAST_UID

LOOKS = """
import os
print(sorted(set(os.listdir("/whiteout")) - {"lib", "site"}), os.path.exists("/whiteout/seats"))
print(open("/proc/self/mountinfo").read(), flush=True)
print("told", flush=True)
import time
time.sleep(600)
"""
KILLED = """
import asyncio, sys
from pathlib import Path
from arena.hosting.launch import launch
from arena.hosting.pool import WarmPool
from arena.hosting.sandbox import BotProgram

async def run():
    bot = await launch(BotProgram(Path(sys.argv[1]), ("python", "bot.py")))
    async with WarmPool() as pool:
        await pool.aim(1)
        await pool.settled()
        while "told" not in bot.output.text:
            await asyncio.sleep(0.01)
        print("ready", flush=True)
        await bot.wait()

asyncio.run(run())
"""

STARTS = """
import asyncio, sys
from pathlib import Path
from arena.core.errors import Unavailable
from arena.hosting.launch import launch
from arena.hosting.sandbox import BotProgram

async def run():
    bot = await launch(BotProgram(Path(sys.argv[1]), tuple(sys.argv[2:]) or ("python", "bot.py")))
    print(await bot.wait(), bot.output.text.strip())

try:
    asyncio.run(run())
except Unavailable as error:
    print(error)
"""


@pytest.fixture
def bot(bot_folder: Path) -> BotProgram:
    (bot_folder / "bot.py").write_text(LOOKS)
    return BotProgram(bot_folder, ("python", "bot.py"))


async def told(bot: BotProcess) -> str:
    async with asyncio.timeout(20):
        while "told" not in bot.output.text:
            assert not bot.ended
            await asyncio.sleep(0.01)
    return bot.output.text


async def test_a_bot_sees_nothing_of_another_ones_seat_and_not_where_seats_are(bot: BotProgram) -> None:
    bots = [await launch(bot) for _ in range(2)]
    try:
        seats = {path.name for path in all_seats().usual.iterdir()}
        texts = [await told(each) for each in bots]
    finally:
        await asyncio.gather(*(each.kill() for each in bots))
    assert len(seats) == (2 if os.geteuid() == 0 else 0)
    assert [text.splitlines()[0] for text in texts] == ["[] False"] * 2
    assert all(sum(seat in text for seat in seats) <= 1 for text in texts)
    assert list(all_seats().usual.iterdir()) == []


def in_holder(test: Callable[[Holder], None]) -> None:
    """Run a test in what root's sandboxes are made in; nobody else can make that."""
    if os.geteuid() == 0:
        test(holder())
    else:
        with pytest.raises(Unavailable, match=r"^the sandbox cannot be made here"):
            holder()


def test_who_is_not_the_arena_can_come_to_a_seat_and_not_list_seats() -> None:
    for seats in (all_seats().usual, all_seats().large):
        assert seats.stat().st_mode & 0o777 == 0o711
        assert seats.parent.stat().st_mode & 0o777 == 0o700


def test_a_seat_opens_to_its_own_user_id_only_even_by_its_name() -> None:
    def listed(ground: Holder) -> None:
        seat = Seat.new()
        seat.give(FIRST_UID)
        (seat.files / "mine").touch()
        inside = all_seats().inside(seat.files)
        for uid, place in ((FIRST_UID, inside), (LAST_UID, inside), (LAST_UID, SEATS)):
            ids = ["--reuid", str(uid), "--regid", str(uid), "--clear-groups", "--inh-caps=-all", "--no-new-privs"]
            tried = ground.popen(
                ["/usr/bin/setpriv", *ids, "--", "ls", str(place)], cwd="/", stdout=-1, stderr=subprocess.STDOUT
            )
            said.append(tried.communicate(timeout=20)[0].decode().rpartition(": ")[2])
        seat.remove()
        assert said == ["mine\n", "Permission denied\n", "Permission denied\n"]
        assert not seat.files.parent.exists()

    said: list[str] = []
    in_holder(listed)


def test_what_it_starts_sees_the_sandboxes_files_and_outlives_the_thread_that_asked() -> None:
    def asked(ground: Holder) -> None:
        started: list[subprocess.Popen[bytes]] = []
        words = ["/usr/bin/setpriv", "--pdeathsig", "KILL", "--", "/bin/sh", "-c", "ls /; read line"]

        def ask() -> None:
            started.append(ground.popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd="/"))

        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()
        said, _ = started[0].communicate(b"go\n", timeout=20)
        assert started[0].returncode == 0
        assert {"usr", "whiteout"} <= set(said.decode().split())
        assert b"var" not in said.split()

    in_holder(asked)
    assert Path("/var").is_dir()  # this thread's files are the machine's, as ever


def test_nothing_is_finalized_in_the_thread_that_starts_programs() -> None:
    class Cycle:
        def __init__(self, threads: set[str]) -> None:
            self.itself = self
            weakref.finalize(self, lambda: threads.add(threading.current_thread().name))

    class Leaving(dict[str, str]):
        """An environment that leaves garbage when it is read, and makes the collector look."""

        def items(self) -> ItemsView[str, str]:
            read_by.add(threading.current_thread().name)
            Cycle(threads)
            self.kept: list[list[int]] = [[] for _ in range(1000)]
            return super().items()

    threads: set[str] = set()
    read_by: set[str] = set()

    def collected(ground: Holder) -> None:
        before = gc.get_threshold()
        gc.set_threshold(1)
        try:
            ground.popen(["/bin/sh", "-c", ":"], cwd="/", env=Leaving()).wait()
        finally:
            gc.set_threshold(*before)
        gc.collect()
        assert read_by == {"sandboxes"}
        assert threads == {threading.current_thread().name}

    in_holder(collected)


def test_one_that_cannot_be_made_says_why_in_one_line(tmp_path: Path) -> None:
    threads = threading.active_count()
    with pytest.raises(Unavailable, match=r"^the sandbox cannot be made here: bwrap: .*/missing: No such file[^\n]*$"):
        Holder(standard_view(), SeatPlaces(tmp_path / "missing", tmp_path))
    assert threading.active_count() == threads
    assert psutil.Process().children(recursive=True) == []


@pytest.mark.parametrize("lacks", ["chown", "setuid"])
def test_a_worker_without_the_rights_it_needs_is_told_in_one_line_and_leaves_nothing(
    bot: BotProgram, lacks: str
) -> None:
    def told_so(_: Holder) -> None:
        fewer = ["setpriv", f"--bounding-set=-{lacks}", "--inh-caps=-all", "--"]
        words = [*fewer, sys.executable, "-c", STARTS, str(bot.folder)]
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "TMPDIR": folder}
            done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False, env=environment)
            assert list(Path(folder).iterdir()) == []
        assert (done.stdout[:32], len(done.stdout.splitlines())) == ("the sandbox cannot be made here:", 1)

    in_holder(told_so)


def test_a_bot_that_is_a_program_runs_where_temporary_files_may_not_be_run(bot_folder: Path) -> None:
    def ran(_: Holder) -> None:
        (bot_folder / "program").write_text("#!/bin/sh\necho here\n")
        (bot_folder / "program").chmod(0o755)
        mounted = 'mount -t tmpfs -o noexec none "$TMPDIR" && exec "$@"'
        words = ["unshare", "-m", "sh", "-c", mounted, "sh", sys.executable, "-c", STARTS, str(bot_folder), "./program"]
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                words, capture_output=True, text=True, timeout=60, check=False, env={**os.environ, "TMPDIR": folder}
            )
        assert (done.stdout, done.stderr) == ("0 here\n", "")

    in_holder(ran)


async def test_a_seat_that_was_cleared_away_is_no_place_for_a_sandbox(bot: BotProgram) -> None:
    seat = Seat.new()
    shutil.rmtree(all_seats().usual.parent)
    program = replace(bot, folder=seat.files, door_folder=seat.door)
    with pytest.raises(Unavailable, match=r"^the sandbox cannot be made here: [^\n]*$"):
        await (await launch(program, seat=seat)).wait()


async def test_folders_that_somebody_has_removed_are_made_anew_and_running_bots_go_on(bot: BotProgram) -> None:
    first = await launch(bot)
    await told(first)
    shutil.rmtree(all_seats().usual.parent)
    second = await launch(bot)
    try:
        assert (await told(second)).splitlines()[0] == "[] False"
        assert not first.ended
    finally:
        await first.kill()
        await second.kill()


def test_a_worker_that_is_killed_leaves_no_process_and_no_folder_that_the_next_one_does_not_remove(
    bot: BotProgram, temporary: Path
) -> None:
    words = [sys.executable, "-c", KILLED, str(bot.folder)]
    environment = {**os.environ, "TMPDIR": str(temporary)}
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment) as worker:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
        left = psutil.Process(worker.pid).children(recursive=True)
        assert len(left) >= 4
        worker.kill()
    _, alive = psutil.wait_procs(left, timeout=20)
    assert alive == []
    assert list(temporary.glob(f"{PREFIX}*")) != []
    sweep(OWN)
    assert list(temporary.glob(f"{OWN}*")) == []
