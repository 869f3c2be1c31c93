"""The search bot in sandboxes: with a clock and without, within its memory, and from a copy of its folder."""

from __future__ import annotations

import shutil
from importlib.resources import files
from pathlib import Path

import pytest

from arena.hosting.matches import HostedBot, play_hosted
from arena.hosting.referee import Referee
from arena.match.clock import Clock
from arena.match.result import MatchEnd, SeatEnd
from arena.match.setup import SeatLabel, Setup

BUILT_IN = Path(str(files("bots").joinpath("builtin")))


def setup(game: str, clock: str) -> Setup:
    return Setup(
        game=game,
        variant="",
        seats=(SeatLabel("search", "1"), SeatLabel("quiet", "1")),
        seed=bytes(16),
        clock=Clock.parse(clock),
        match_id="m1",
    )


def copied(tmp_path: Path, iterations: int) -> HostedBot:
    folder = tmp_path / "search"
    shutil.copytree(BUILT_IN / "search", folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "settings.toml").write_text(f"iterations = {iterations}\n")
    return HostedBot.from_folder(folder)


@pytest.mark.parametrize("game", ["first-snow", "frost-shelter", "snowblind"])
async def test_a_copy_with_few_iterations_plays_the_same_match_twice(game: str, tmp_path: Path) -> None:
    bots = [copied(tmp_path, 2), HostedBot.from_folder(BUILT_IN / "quiet")]
    async with Referee() as referee:
        played = [await play_hosted(setup(game, "none"), bots, referee) for _ in range(2)]
    assert [match.result.end for match in played] == [MatchEnd.COMPLETED] * 2
    assert played[0].result == played[1].result


async def test_it_keeps_its_clock(tmp_path: Path) -> None:
    bots = [HostedBot.from_folder(BUILT_IN / name) for name in ("search", "quiet")]
    async with Referee() as referee:
        match = await play_hosted(setup("first-snow", "2s+0.02s,start=30s,margin=50ms"), bots, referee)
    assert match.result.seat_ends == (SeatEnd.PLAYED, SeatEnd.PLAYED), match.seats[0].note
