"""The commands of README.md, run in order as they stand there."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.cli.local.running import running_arena
from arena.cli.main import COMMANDS

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
ELSEWHERE = {"make demo", "make test", "arena up"}
"""Run by tests of their own, or being run right now."""


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[None]:
    with running_arena(tmp_path / "data"):
        yield


def test_every_command_of_the_readme_works(arena: None, tmp_path: Path) -> None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = os.environ | {"PATH": path, "ARENA_DATA": str(tmp_path / "data")}
    commands = [line for block in blocks("sh") for line in block.splitlines()]
    assert set(commands) >= ELSEWHERE
    for command in commands:
        if command not in ELSEWHERE:
            done = subprocess.run(
                shlex.split(command), cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, f"{command}: {done.stderr}"
            assert done.stdout or done.stderr, command


def test_the_readme_shows_the_bot_that_arena_new_makes() -> None:
    template = (ROOT / "bots" / "templates" / "python" / "bot.py.tmpl").read_text().replace("@TITLE@", "First Snow")
    assert blocks("python") == [template]


def test_every_command_named_in_the_documents_exists() -> None:
    names = {command.name for command in COMMANDS}
    for file in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        named = set(re.findall(r"`arena ([a-z]+)", file.read_text()))
        assert named <= names, f"{file.name} names {named - names}"


def test_every_link_in_the_documents_leads_somewhere() -> None:
    for file in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", file.read_text()):
            assert (file.parent / target).exists(), f"{file.name} links to {target}"
