"""Sandboxes that wait: a bot in one of them lives as in one of its own, and nothing passes from one to the next."""

from __future__ import annotations

import asyncio
import json
import shutil
import socket
import tempfile
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
import pytest_asyncio

from arena.hosting.attack import PROBES, bait, run_probe
from arena.hosting.launch import BotProcess, launch
from arena.hosting.mounts import standard_view
from arena.hosting.pool import WarmPool
from arena.hosting.sandbox import BotProgram, Limits
from arena.hosting.seats import PREFIX, all_seats

TELLS = """
import json, os, sys
facts = {
    "argv": sys.argv, "name": __name__, "file": __file__, "path": sys.path, "cwd": os.getcwd(),
    "environment": dict(os.environ), "files": sorted(os.listdir(".")), "run": os.listdir("/run/whiteout"),
    "fds": sorted(os.readlink(f"/proc/self/fd/{n}").split(":")[0] for n in "012"),
    "open": len(os.listdir("/proc/self/fd")),
    "uids": os.getresuid(), "limits": open("/proc/self/limits").read(), "mounts": len(open("/proc/mounts").readlines()),
    "main": sys.modules["__main__"].__dict__ is globals(), "status": [
        line for line in open("/proc/self/status") if line.startswith(("Cap", "Seccomp", "NoNewPrivs", "Groups"))],
}
print(json.dumps(facts))
"""


@pytest_asyncio.fixture
async def pool() -> AsyncIterator[WarmPool]:
    async with WarmPool() as opened:
        yield opened


@pytest.fixture
def bot(bot_folder: Path) -> BotProgram:
    (bot_folder / "helper.py").write_text("VALUE = 7\n")
    return BotProgram(bot_folder, ("python", "bot.py", "an argument"), environment={"WHITEOUT_TICKET": "secret"})


async def ran(bot: BotProcess) -> tuple[int, str]:
    try:
        async with asyncio.timeout(30):
            return await bot.wait(), bot.output.text
    finally:
        await bot.kill()


async def warm(pool: WarmPool, bot: BotProgram, source: str) -> tuple[int, str]:
    """Start the source in a sandbox that has waited."""
    (bot.folder / "bot.py").write_text(source)
    await pool.aim(1)
    before = pool.warm_starts
    process = await pool.start(bot)
    assert pool.warm_starts == before + 1
    return await ran(process)


async def test_a_bot_finds_in_a_waiting_sandbox_what_it_finds_in_one_of_its_own(
    pool: WarmPool, bot: BotProgram, tmp_path: Path
) -> None:
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(tmp_path / "d"))
        bot = replace(bot, socket=tmp_path / "d")
        status, text = await warm(pool, bot, TELLS)
        cold = await ran(await launch(bot))
    assert (status, cold[0]) == (0, 0)
    assert json.loads(text) == json.loads(cold[1])


async def test_a_bot_reaches_its_door_and_its_other_files(pool: WarmPool, bot: BotProgram, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(tmp_path / "d"))
        (tmp_path / "d").chmod(0o666)
        door.listen()
        source = (
            "import helper, os, socket\ns = socket.socket(socket.AF_UNIX)\n"
            "s.connect(os.environ['WHITEOUT_ADDRESS'].removeprefix('unix:'))\nprint(helper.VALUE)"
        )
        assert await warm(pool, replace(bot, socket=tmp_path / "d"), source) == (0, "7\n")
        door.settimeout(0)
        door.accept()[0].close()


@pytest.mark.parametrize(
    "source",
    ["raise RuntimeError('no snow')", "import sys; sys.exit(5)", "def f():\n    g()\nf()", "this is no python"],
)
async def test_a_bot_ends_as_it_would_have_ended_in_a_sandbox_of_its_own(
    pool: WarmPool, bot: BotProgram, source: str
) -> None:
    assert await warm(pool, bot, source) == await ran(await launch(bot))


async def test_files_of_a_bot_named_like_modules_do_not_disturb_its_start(bot: BotProgram) -> None:
    for name in ("gc", "random", "logging", "bots", "grpc"):
        (bot.folder / f"{name}.py").write_text("raise RuntimeError(__name__)\n")
    (bot.folder / "bot.py").write_text("import helper\nfrom bots.sdk import Bot\nprint(helper.VALUE)\nexit(3)\n")
    assert await ran(await launch(bot)) == (3, "7\n")


async def test_a_script_that_is_missing_ends_as_ever(pool: WarmPool, bot: BotProgram) -> None:
    await pool.aim(1)
    found, expected = await ran(await pool.start(bot)), await ran(await launch(bot))
    assert found[0] == expected[0] == 2
    assert "can't open file '/bot/bot.py': [Errno 2] No such file or directory" in found[1]


async def test_nothing_that_a_bot_leaves_is_found_by_the_next(pool: WarmPool, bot: BotProgram) -> None:
    places = ("/tmp", "/home/bot", "/dev/shm", "/bot", "/run/whiteout", "/")
    leaves = f"""
import os
for place in {places!r}:
    try:
        open(place + "/mark", "w").close()
        print("left", place)
    except OSError:
        pass
if os.fork() == 0:
    os.setsid()
    import time
    time.sleep(600)
"""
    looks = (
        f"import os\nprint([place for place in {places!r} if os.path.exists(place + '/mark')])\n"
        "print([name for name in os.listdir('/proc') if name.isdigit()])"
    )
    status, text = await warm(pool, bot, leaves)
    assert (status, text.split()) == (0, ["left", "/tmp", "left", "/home/bot", "left", "/dev/shm"])
    _, seen = await warm(pool, bot, looks)
    _, expected = await ran(await launch(bot))
    assert seen == expected
    assert seen.startswith("[]\n")


async def test_two_bots_at_once_see_their_own_files_only(pool: WarmPool, tmp_path: Path) -> None:
    await pool.aim(2)
    running = []
    for name in ("one", "other"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "bot.py").write_text("import os, time\nprint(os.listdir('/bot'), flush=True)\ntime.sleep(600)")
        (folder / name).touch()
        running.append(await pool.start(BotProgram(folder, ("python", "bot.py"))))
    async with asyncio.timeout(20):
        while not all("]" in each.output.text for each in running):  # noqa: ASYNC110 - output raises no event
            await asyncio.sleep(0.01)
    one, other = (each.output.text for each in running)
    await asyncio.gather(*(each.kill() for each in running))
    assert pool.warm_starts == 2
    assert "other" not in one
    assert "one" not in other


async def test_a_sandbox_that_died_while_it_waited_is_replaced_by_a_new_start(pool: WarmPool, bot: BotProgram) -> None:
    (bot.folder / "bot.py").write_text("print('played')")
    await pool.aim(1)
    await pool.settled()
    children = psutil.Process().children(recursive=True)
    (program,) = [
        each for each in children if each.name().startswith("python") and "bots.sdk.waiting" in " ".join(each.cmdline())
    ]
    program.kill()
    assert await ran(await pool.start(bot)) == (0, "played\n")
    assert pool.warm_starts == 0


@pytest.mark.parametrize(
    "kept", [lambda: all_seats().usual, lambda: standard_view().mounts[-1].source], ids=["seats", "library"]
)
async def test_a_sandbox_whose_folders_were_cleared_away_while_it_waited_is_replaced_by_a_new_start(
    pool: WarmPool, bot: BotProgram, kept: Callable[[], Path]
) -> None:
    (bot.folder / "bot.py").write_text("import bots.sdk, arena.core.manifest\nprint('here')")
    await pool.aim(1)
    await pool.settled()
    shutil.rmtree(kept().parent)  # as cleaners of temporary folders do that mind no lock
    assert await ran(await pool.start(bot)) == (0, "here\n")
    assert pool.warm_starts == 0


@pytest.mark.parametrize(
    "command", [("python", "-S", "bot.py"), ("python", "-m", "bot"), ("sh", "bot.py"), ("python", "bot")]
)
async def test_what_is_no_plain_python_script_gets_a_sandbox_of_its_own(
    pool: WarmPool, bot: BotProgram, command: tuple[str, ...]
) -> None:
    assert not pool.fits(command, bot.limits)


async def test_other_limits_get_a_sandbox_of_their_own(pool: WarmPool, bot: BotProgram) -> None:
    assert pool.fits(bot.command, bot.limits)
    assert not pool.fits(bot.command, Limits(memory_mb=100))


async def test_a_pool_that_aims_for_nothing_has_no_process_no_folder_and_no_open_file() -> None:
    def counts() -> tuple[int, int, int]:
        folders = [path for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*/seats/*") if path.is_dir()]
        return len(psutil.Process().children(recursive=True)), len(list(Path("/proc/self/fd").iterdir())), len(folders)

    async with WarmPool() as pool:
        await pool.aim(1)
        await pool.aim(0)
        before = counts()
        await pool.aim(2)
        assert len(pool) == 2
        await pool.aim(0)
        await asyncio.sleep(0)
        assert counts() == before
        assert len(pool) == 0


@pytest.mark.parametrize(
    "names",
    [
        pytest.param({"files", "writing", "network", "kernel", "memory", "files in /tmp"}, id="some"),
        pytest.param({probe.name for probe in PROBES}, id="all", marks=pytest.mark.long),
    ],
)
async def test_no_probe_gets_through_in_a_sandbox_that_waited(names: set[str]) -> None:
    got: dict[str, list[str]] = {}
    with bait() as lying_about:
        for probe in (probe for probe in PROBES if probe.name in names):
            async with WarmPool(limits=probe.limits) as pool:

                async def start(program: BotProgram, pool: WarmPool = pool) -> BotProcess:
                    await pool.aim(1)
                    process = await pool.start(replace(program, command=("python", program.command[-1])))
                    assert pool.warm_starts == 1
                    return process

                got[probe.name] = [*await run_probe(probe, lying_about.facts, start), *lying_about.disturbed()]
    assert set(got) == names
    assert {name: through for name, through in got.items() if through} == {}
