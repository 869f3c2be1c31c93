"""Bots in other languages, played by whole commands."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from arena.cli.main import run


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for temporary files with a path short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="lang-") as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)


@pytest.fixture
def arena(capfd: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Run one command line in this process."""

    def call(*arguments: object) -> Outcome:
        code = run([str(argument) for argument in arguments])
        said = capfd.readouterr()
        return Outcome(code, said.out, said.err)

    return call


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
