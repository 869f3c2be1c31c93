"""Whole matches: a referee process, bots in sandboxes, and what is left when something goes wrong."""

from __future__ import annotations

import asyncio
import contextlib
import json
import tempfile
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import psutil
import pytest

from arena.core.errors import Unavailable, UsageError
from arena.hosting.matches import HostedBot, HostedMatch, Progress, play_hosted
from arena.hosting.referee import Referee
from arena.match.clock import Clock
from arena.match.result import MatchEnd, SeatEnd
from arena.match.setup import SeatLabel, Setup

BotOf = Callable[[str], HostedBot]
FIRST = """
from bots.sdk import Bot, run
class First(Bot):
    def choose(self, turn):
        {choose}
        return turn.legal_actions[0]
{before}
run(First)
"""


def first(choose: str = "pass", before: str = "") -> str:
    return FIRST.format(choose=choose, before=before)


GOOD = first()
VILLAINS = {
    "crashes at the start": ("raise SystemExit(3)", SeatEnd.CRASHED),
    "crashes in mid-match": (first("import os; turn.ply > 12 and os.abort()"), SeatEnd.CRASHED),
    "never answers": (first("import time; time.sleep(600)"), SeatEnd.TIMEOUT),
    "never connects": ("import time; time.sleep(600)", SeatEnd.NO_SHOW),
    "leaves children": (first(before="import os, time\nos.fork() or time.sleep(600)"), SeatEnd.PLAYED),
    "floods its output": (first("print('x' * 100_000)"), SeatEnd.PLAYED),
}


@pytest.fixture
async def referee() -> AsyncIterator[Referee]:
    async with Referee() as running:
        yield running


@pytest.fixture
def bot_of(tmp_path: Path) -> BotOf:
    made: list[Path] = []

    def make(source: str) -> HostedBot:
        folder = tmp_path / f"bot{len(made)}"
        folder.mkdir()
        (folder / "bot.py").write_text(source)
        (folder / "bot.toml").write_text('name = "bot"\ngames = ["*"]\n')
        made.append(folder)
        return HostedBot.from_folder(folder)

    return make


def setup(match_id: str = "m1", clock: str = "2s+0.1s,start=5s,margin=50ms", *, unsafe: bool = False) -> Setup:
    labels = (SeatLabel("one", "1"), SeatLabel("two", "1"))
    return Setup(
        game="first-snow", variant="", seats=labels, seed=bytes(16), clock=Clock.parse(clock), match_id=match_id,
        unsafe=unsafe,
    )  # fmt: skip


def counts() -> tuple[int, int, int, int]:
    children = psutil.Process().children(recursive=True)
    folders = len(list(Path(tempfile.gettempdir()).iterdir()))
    return len(children), len(list(Path("/proc/self/fd").iterdir())), threading.active_count(), folders


async def test_a_match_is_played_and_comes_back_with_log_times_and_output(referee: Referee, bot_of: BotOf) -> None:
    talker = first("print('thinking', flush=True)")
    seen: list[Progress] = []
    match = await play_hosted(setup(), [bot_of(talker), bot_of(GOOD)], referee, on_progress=seen.append)
    assert match.result.end is MatchEnd.COMPLETED
    assert match.result.seat_ends == (SeatEnd.PLAYED, SeatEnd.PLAYED)
    assert len(match.log.splitlines()) >= match.result.plies
    assert len(match.seats[0].think_ms) == len(match.seats[0].charged_ms) > 10
    assert "thinking" in match.seats[0].output.text
    assert match.seats[1].output.text == ""
    assert seen


async def test_several_matches_at_once_share_a_referee_and_nothing_else(referee: Referee, bot_of: BotOf) -> None:
    bots = [bot_of(GOOD), bot_of(GOOD)]
    matches = await asyncio.gather(*(play_hosted(setup(f"m{number}"), bots, referee) for number in range(3)))
    logs = {"\n".join(_without_meta(line) for line in match.log.splitlines()) for match in matches}
    assert [match.result.end for match in matches] == [MatchEnd.COMPLETED] * 3
    assert len(logs) == 1


@pytest.mark.parametrize("name", VILLAINS)
async def test_a_villain_loses_its_own_match_and_leaves_nothing(name: str, referee: Referee, bot_of: BotOf) -> None:
    source, end = VILLAINS[name]
    await play_hosted(setup("warm"), [bot_of(GOOD), bot_of(GOOD)], referee)
    before = counts()
    match = await play_hosted(setup(), [bot_of(source), bot_of(GOOD)], referee)
    assert match.result.seat_ends == (end, SeatEnd.PLAYED)
    assert counts() == before
    after = await play_hosted(setup("next"), [bot_of(GOOD), bot_of(GOOD)], referee)
    assert after.result.end is MatchEnd.COMPLETED
    assert counts() == before


async def test_a_cancelled_match_leaves_nothing_and_the_next_one_runs(referee: Referee, bot_of: BotOf) -> None:
    await play_hosted(setup("warm"), [bot_of(GOOD), bot_of(GOOD)], referee)
    before = counts()
    moving = asyncio.Event()
    slow = bot_of(first("import time; time.sleep(600)"))
    playing = asyncio.ensure_future(
        play_hosted(setup(clock="none"), [slow, slow], referee, on_progress=lambda now: moving.set())
    )
    await asyncio.wait_for(moving.wait(), 20)
    playing.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await playing
    assert playing.cancelled()
    assert counts() == before
    assert (await play_hosted(setup(), [bot_of(GOOD), bot_of(GOOD)], referee)).result.end is MatchEnd.COMPLETED


async def test_a_lost_referee_is_the_platforms_fault_and_leaves_no_bot(bot_of: BotOf) -> None:
    slow = bot_of(first("import time; time.sleep(600)"))
    before = counts()[0]
    async with Referee() as referee:
        process = next(child for child in psutil.Process().children() if "referee" in child.cmdline())
        with pytest.raises(Unavailable, match="the referee"):
            await play_hosted(setup(clock="none"), [slow, slow], referee, on_progress=lambda now: process.kill())
        assert not referee.alive
    assert counts()[0] == before


async def test_an_unsafe_match_says_so_in_its_log(referee: Referee, bot_of: BotOf) -> None:
    bots = [bot_of(GOOD), bot_of(GOOD)]
    safe = await play_hosted(setup("safe"), bots, referee)
    unsafe = await play_hosted(setup("unsafe", unsafe=True), bots, referee)
    assert '"unsafe":true' in unsafe.log.splitlines()[0].replace(" ", "")
    assert '"unsafe":true' not in safe.log.splitlines()[0].replace(" ", "")


async def test_a_folder_without_manifest_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"has no readable bot\.toml"):
        HostedBot.from_folder(tmp_path)


def _without_meta(line: str) -> str:
    facts = json.loads(line)
    facts.pop("meta", None)
    return json.dumps(facts, sort_keys=True)


async def test_no_match_is_played_without_a_sandbox_unless_it_was_asked_for(
    bot_of: BotOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def missing() -> None:
        raise Unavailable("no bubblewrap here")

    bots = [bot_of(GOOD), bot_of(GOOD)]
    async with Referee() as referee:
        monkeypatch.setattr(referee.sandbox, "require", missing)
        with pytest.raises(Unavailable, match="no bubblewrap"):
            await play_hosted(setup(), bots, referee)
        played: HostedMatch = await play_hosted(setup(unsafe=True), bots, referee)
    assert played.result.end is MatchEnd.COMPLETED


@pytest.mark.long
@pytest.mark.timeout(1800)
async def test_a_referee_and_its_host_stay_the_same_size_over_600_matches(referee, bot_of) -> None:
    bots = [bot_of(GOOD), bot_of(VILLAINS["crashes in mid-match"][0])]
    (process,) = [child for child in psutil.Process().children() if "referee" in child.cmdline()]
    figures = []
    for number in range(600):
        match = await play_hosted(setup(f"soak-{number}"), bots[:1] * 2 if number % 10 else bots, referee)
        assert match.result.end in {MatchEnd.COMPLETED, MatchEnd.FORFEIT}
        if number % 100 == 99:
            sizes = [each.memory_info().rss for each in (process, psutil.Process())]
            figures.append((sizes, process.num_fds(), process.num_threads(), counts()))
    (early, *_), (late, *_) = figures[1], figures[-1]
    assert [later <= 1.1 * sooner for sooner, later in zip(early, late, strict=True)] == [True, True], figures
    assert figures[1][1:] == figures[-1][1:], figures
