"""Starting small programs as bots."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from arena.hosting.launch import launch
from arena.hosting.sandbox import BotProgram, Limits


@dataclass(frozen=True)
class Ran:
    status: int
    text: str


RunBot = Callable[..., Awaitable[Ran]]


@pytest.fixture
def bot_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "bot"
    folder.mkdir()
    return folder


@pytest.fixture
def run_bot(bot_folder: Path) -> RunBot:
    async def run_source(source: str, *, limits: Limits | None = None, socket: Path | None = None) -> Ran:
        (bot_folder / "bot.py").write_text(source)
        program = BotProgram(bot_folder, ("python", "bot.py"), socket=socket, limits=limits or Limits())
        bot = await launch(program)
        try:
            status = await asyncio.wait_for(bot.wait(), 30)
        finally:
            await bot.kill()
        return Ran(status, bot.output.text)

    return run_source
