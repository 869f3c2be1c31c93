"""The commands of docs/bot-author.md, run in order as they stand there, in an arena where nothing else happened."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from arena.cli.local.running import running_arena

PAGE = (Path(__file__).parents[2] / "docs" / "bot-author.md").read_text(encoding="utf-8")


def commands() -> list[str]:
    blocks = re.findall(r"^```sh\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


def test_every_command_of_the_page_works(tmp_path: Path) -> None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = os.environ | {"PATH": path, "ARENA_DATA": str(tmp_path / "data")}
    assert len(commands()) >= 10
    with running_arena(tmp_path / "data"):
        for command in commands():
            done = subprocess.run(
                shlex.split(command), cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, f"{command}: {done.stderr}"
            assert done.stdout or done.stderr, command
