"""Bots in other languages, played by whole commands."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from commandline import Outcome, commands


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for temporary files with a path short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="lang-") as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)


@pytest.fixture
def arena(capfd: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Run one command line in this process."""
    return commands(capfd)


@pytest.fixture
def stdio_bot(tmp_path: Path) -> Callable[..., Path]:
    """Make a bot that speaks lines; body: its whole program, in Python."""

    def make(name: str, body: str) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        manifest = f'name = "{name}"\ngames = ["*"]\nlanguage = "stdio"\ncommand = ["python", "bot.py"]\n'
        (folder / "bot.toml").write_text(manifest)
        (folder / "bot.py").write_text(body)
        return folder

    return make
