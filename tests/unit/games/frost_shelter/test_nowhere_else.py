"""The game is a folder: what the arena is made of besides the games knows nothing of this one."""

from pathlib import Path

import pytest

import arena
import referee
import worker

HOME = Path(arena.__file__).parent
FOLDERS = [
    *(HOME / name for name in ("core", "match", "ladder", "store", "hosting", "services", "api", "cli")),
    *(Path(package.__file__).parent for package in (referee, worker)),
]
SHOWN_IN = {HOME / "cli" / "demo.py"}
"""`arena demo` shows the games there are, by name."""


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_no_line_outside_the_games_names_frost_shelter(folder):
    files = set(folder.rglob("*.py")) - SHOWN_IN
    assert files
    assert not [file for file in files if "frost" in file.read_text(encoding="utf-8").lower()]
