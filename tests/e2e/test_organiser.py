"""docs/organiser.md: its commands, run in order as they stand there, and the rules it states."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from arena.cli.local.running import running_arena

PAGE = (Path(__file__).parents[2] / "docs" / "organiser.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)


def commands() -> list[str]:
    return [line for block in blocks("sh") for line in block.splitlines()]


class Here:
    """Runs command lines in a folder of their own, against the arena on its data folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        self._environment = os.environ | {"PATH": path, "ARENA_DATA": str(folder / "data")}

    def __call__(self, command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            shlex.split(command), cwd=self.folder, env=self._environment, capture_output=True, text=True, check=False
        )


@pytest.fixture
def here(tmp_path: Path) -> Here:
    return Here(tmp_path)


def test_every_command_of_the_page_works_and_repeats_are_the_same(here: Here) -> None:
    (toml,) = blocks("toml")
    (here.folder / "gauntlet.toml").write_text(toml, encoding="utf-8")
    said: dict[str, str] = {}
    # The page is not about qualification; one worker leaves a busy machine time to pause what it has just started.
    with running_arena(here.folder / "data", ["--skip-qualification", "--workers", "1"]):
        for command in commands():
            done = here(command)
            assert done.returncode == 0, f"{command}: {done.stderr}"
            assert done.stdout or done.stderr, command
            said[command] = done.stdout
        listed = json.loads(here("arena tournament list --json").stdout)
        challenged = json.loads(here("arena matches --bot greedy --limit 1000 --json").stdout)
        stranger = here("arena verify --server 5 --seed 00000000000000000000000000000000")
    assert "8 of 8 matches with a result" in said["arena tournament watch gauntlet"]
    assert "12 of 12 matches with a result" in said["arena tournament watch winter"]
    assert "the same again" in said["arena reproduce 5"]
    assert said["arena verify --server match-5.jsonl 6"].count("as the server keeps it") == 2
    assert {each["name"]: each["state"] for each in listed} == {
        "spring": "TOURNAMENT_STATE_CANCELLED",
        "gauntlet": "TOURNAMENT_STATE_FINISHED",
        "winter": "TOURNAMENT_STATE_FINISHED",
    }
    assert sum(each["tournament"].startswith("challenge-") for each in challenged) == 4
    assert (stranger.returncode, "the seed is not the one given" in stranger.stdout) == (1, True)


def test_the_pages_commands_are_all_there_is_for_organisers() -> None:
    named = {command.split()[2] for command in commands() if command.startswith("arena tournament ")}
    assert named == {
        "create", "start", "watch", "pause", "resume", "cancel", "withdraw", "enter", "standings", "export", "list",
    }  # fmt: skip
