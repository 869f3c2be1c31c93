"""A process that is forked while threads of its parent start sandboxes starts its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import asyncio, gc, os, sys, threading, time
from pathlib import Path
from arena.hosting.launch import launch
from arena.hosting.sandbox import BotProgram, Limits
from arena.hosting.watch import watch

program = BotProgram(Path(sys.argv[1]), ("python", "-S", "bot.py"))
forks = threading.Event()
parents = watch()

async def one():
    bot = await launch(program)
    return await bot.wait(), bot.output.text

async def many():
    while not forks.is_set():
        await one()

def forked():
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    print(asyncio.run(one()) == (0, "here\\n"), gc.isenabled(), watch() is parents, flush=True)
    os._exit(0)

threads = [threading.Thread(target=asyncio.run, args=(many(),)) for _ in range(2)]
for thread in threads:
    thread.start()
moments = [float(moment) for moment in sys.argv[2:]]
ends = []
for moment in moments:  # the first ones while what all starts need is being made
    time.sleep(moment)
    ends.append(forked())
forks.set()
for thread in threads:
    thread.join()
print(ends, flush=True)
"""


def test_a_forked_process_waits_for_nothing_that_threads_of_its_parent_were_doing(
    bot_folder: Path, temporary: Path
) -> None:
    (bot_folder / "bot.py").write_text("print('here')")
    moments = [0.01, 0.02, 0.05, 0.0, 0.003, 0.006, 0.001, 0.004, 0.002, 0.005]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(bot_folder), *map(str, moments)], capture_output=True, text=True,
        timeout=60, check=False, env={**os.environ, "TMPDIR": str(temporary)},
    )  # fmt: skip
    assert done.stdout.splitlines() == ["True True False"] * len(moments) + [str([0] * len(moments))], done.stderr
