"""Commands run in this process, and small bots in folders."""

from collections.abc import Callable
from pathlib import Path

import pytest
from commandline import Outcome, commands

FIRST = """
from bots.sdk import Bot, run

class First(Bot):
    def choose(self, turn):
        return turn.legal_actions[0]

run(First)
"""


@pytest.fixture
def arena(capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Run one command line; no traceback may ever be seen."""
    return commands(capsys)


@pytest.fixture
def make_bot(tmp_path: Path) -> Callable[..., Path]:
    def make(name: str = "first", program: str = FIRST, manifest: str = "", **files: str) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        (folder / "bot.toml").write_text(manifest or f'name = "{name}"\ngames = ["icefall", "first-snow"]\n')
        (folder / "bot.py").write_text(program)
        for file, text in files.items():
            (folder / f"{file}.py").write_text(text)
        return folder

    return make


@pytest.fixture
def log(arena: Callable[..., Outcome], tmp_path: Path) -> Path:
    """The log of a whole match of Icefall."""
    path = tmp_path / "m.jsonl"
    assert arena("play", "icefall", "random", "random", "--in-process", "--seed", 7, "--log", path).code == 0
    return path
