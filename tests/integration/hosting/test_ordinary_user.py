"""The same sandbox when the arena is started by an ordinary user."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from ordinary import as_ordinary_user

from arena.hosting.programs import interpreter_home

REPOSITORY = Path(__file__).resolve().parents[3]
PROGRAM = """
import asyncio, json, pathlib, sys
from arena.hosting.cgroups import ControlGroups
from arena.hosting.launch import launch
from arena.hosting.layers import active_layers
from arena.hosting.sandbox import BotProgram, Limits

async def play(folder):
    # All at once, under one user id, and each alone comes up to its limit.
    program = BotProgram(pathlib.Path(folder), ("python", "bot.py"), limits=Limits(processes=6))
    bots = [await launch(program, groups=ControlGroups.none()) for _ in range(3)]
    status = [await bot.wait() for bot in bots]
    for bot in bots:
        await bot.kill()
    return status, [bot.output.text for bot in bots]

status, text = asyncio.run(play(sys.argv[1]))
missing = [layer.name for layer in active_layers() if layer.required and not layer.active]
print(json.dumps({"status": status, "text": text, "missing": missing}))
"""
BOT = """
import os, time
seen, count = len([name for name in os.listdir("/proc") if name.isdigit()]), 0
try:
    while os.fork():
        count += 1
except OSError:
    time.sleep(0.5)
    print(os.getuid(), seen, count, flush=True)
else:
    time.sleep(60)
"""


def test_an_ordinary_user_runs_bots_behind_all_required_layers(tmp_path: Path) -> None:
    bot = tmp_path / "bot"
    bot.mkdir()
    (bot / "bot.py").write_text(BOT)
    needed = [interpreter_home(), REPOSITORY, bot]
    command = as_ordinary_user([sys.executable, "-c", PROGRAM, str(bot)], needed)
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd="/")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"status": [0] * 3, "text": ["1000 2 4\n"] * 3, "missing": []}
