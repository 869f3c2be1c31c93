"""Starting small programs as bots."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from arena.hosting.cgroups import ControlGroups
from arena.hosting.launch import launch
from arena.hosting.sandbox import BotProgram, Limits


@dataclass(frozen=True)
class Ran:
    status: int
    text: str


RunBot = Callable[..., Awaitable[Ran]]


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for temporary files that no other test uses, with a path short enough for sockets.

    pytest makes its own folder first: it asks for the place of temporary files, too.
    """
    with tempfile.TemporaryDirectory(prefix="hosting-") as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)


@pytest.fixture
def bot_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "bot"
    folder.mkdir()
    return folder


@pytest.fixture
def run_bot(bot_folder: Path) -> RunBot:
    async def run_source(
        source: str,
        *,
        limits: Limits | None = None,
        socket: Path | None = None,
        groups: ControlGroups | None = None,
    ) -> Ran:
        (bot_folder / "bot.py").write_text(source)
        program = BotProgram(bot_folder, ("python", "bot.py"), socket=socket, limits=limits or Limits())
        bot = await launch(program, groups=groups)
        try:
            status = await asyncio.wait_for(bot.wait(), 30)
        finally:
            await bot.kill()
        return Ran(status, bot.output.text)

    return run_source
