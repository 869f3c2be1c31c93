"""Seats that are not to move are stopped: by a control group, and by signals where there is none."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import psutil
import pytest

from arena.hosting.cgroups import ControlGroups
from arena.hosting.matches import HostedBot, HostedMatch, play_hosted
from arena.hosting.pool import WarmPool
from arena.hosting.referee import Referee
from arena.match.clock import Clock
from arena.match.result import MatchEnd, SeatEnd
from arena.match.setup import SeatLabel, Setup

BotOf = Callable[[str], HostedBot]
GUARDS = pytest.mark.parametrize("groups", [None, ControlGroups.none()], ids=["control groups", "signals"])
BOT = """
import os, sys, time
from bots.sdk import Bot, run
{before}
class Mine(Bot):
    asked = 0
    def choose(self, turn):
        self.asked += 1
        {choose}
        return turn.legal_actions[0]
    def game_over(self, over):
        print("over", over.end, flush=True)
{after}
run(Mine)
"""
SLOW_ONCE = "self.asked == 2 and time.sleep({seconds})"
# A child process counts; the bot tells how far it came while the opponent slept.
COUNTING = """
import mmap
with open("/dev/shm/count", "w+b") as file:
    file.write(bytes(8))
    file.flush()
    count = mmap.mmap(file.fileno(), 8)
if os.fork() == 0:
    number = 0
    while True:
        number += 1
        count[:] = number.to_bytes(8, "little")
left = 0
def counted():
    return int.from_bytes(count[:], "little")
"""
COUNT = "global left; print('counted', counted() - left, flush=True); time.sleep(0.02); left = counted()"
COUNTING_STREAMS = """
import bots.sdk.client as client
real = client._play_stream
def once(*more):
    print("stream", flush=True)
    return real(*more)
client._play_stream = once
"""
KEEPALIVE = """
import bots.sdk.client as client
client._channel_options = lambda address: [
    ("grpc.use_local_subchannel_pool", 1), ("grpc.keepalive_time_ms", 1000), ("grpc.keepalive_timeout_ms", 300),
]
"""


def bot(choose: str = "pass", before: str = "", after: str = "") -> str:
    return BOT.format(choose=choose, before=before, after=after)


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


def setup(match_id: str = "m1", clock: str = "20s+0.1s,start=20s,margin=50ms") -> Setup:
    labels = (SeatLabel("one", "1"), SeatLabel("two", "1"))
    return Setup(
        game="first-snow", variant="", seats=labels, seed=bytes(16), clock=Clock.parse(clock), match_id=match_id
    )


def most_counted(match: HostedMatch) -> int:
    counts = [line.split()[1] for line in match.seats[1].output.text.splitlines() if line.startswith("counted")]
    return max(int(count) for count in counts[1:])


@GUARDS
async def test_a_bot_and_its_children_stand_still_while_the_opponent_thinks(
    groups: ControlGroups | None, referee: Referee, bot_of: BotOf
) -> None:
    bots = [bot_of(bot(SLOW_ONCE.format(seconds=0.8))), bot_of(bot(COUNT, COUNTING))]
    stopped = await play_hosted(setup("stopped"), bots, referee, groups=groups)
    pondering = await play_hosted(setup("pondering"), bots, referee, groups=groups, pondering=True)
    assert most_counted(stopped) * 2 < most_counted(pondering)  # a busy machine lets neither count much
    async with WarmPool(groups) as pool:
        await pool.aim(2)
        await pool.settled()
        waited = await play_hosted(setup("waited"), bots, referee, groups=groups, pool=pool)
        assert pool.warm_starts == 2
    assert most_counted(waited) * 2 < most_counted(pondering)


@GUARDS
async def test_a_stopped_bot_hears_of_the_end(groups: ControlGroups | None, referee: Referee, bot_of: BotOf) -> None:
    bots = [bot_of(bot("self.asked == 3 and os._exit(1)")), bot_of(bot())]
    match = await play_hosted(setup(), bots, referee, groups=groups)
    assert match.result.seat_ends == (SeatEnd.CRASHED, SeatEnd.PLAYED)
    assert "over FORFEIT" in match.seats[1].output.text


@GUARDS
async def test_a_match_with_a_stopped_bot_can_be_broken_off(
    groups: ControlGroups | None, referee: Referee, bot_of: BotOf
) -> None:
    moving = asyncio.Event()
    bots = [bot_of(bot("self.asked == 2 and time.sleep(600)")), bot_of(bot(before="os.fork()"))]
    before = len(psutil.Process().children(recursive=True))
    playing = asyncio.ensure_future(
        play_hosted(setup(), bots, referee, groups=groups, on_progress=lambda now: moving.set())
    )
    await asyncio.wait_for(moving.wait(), 20)
    await asyncio.sleep(0.5)  # until the first bot sleeps and the second is stopped
    playing.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await playing
    assert len(psutil.Process().children(recursive=True)) == before


@GUARDS
async def test_the_time_a_bot_is_stopped_is_on_nobodys_clock(
    groups: ControlGroups | None, referee: Referee, bot_of: BotOf
) -> None:
    bots = [bot_of(bot(SLOW_ONCE.format(seconds=1.5))), bot_of(bot())]
    match = await play_hosted(setup(), bots, referee, groups=groups)
    assert match.result.end is MatchEnd.COMPLETED
    assert max(match.seats[0].think_ms) >= 1300
    assert max(match.seats[1].charged_ms) < 1000


@GUARDS
async def test_pings_of_a_stopped_bot_do_not_break_its_match(
    groups: ControlGroups | None, referee: Referee, bot_of: BotOf
) -> None:
    bots = [bot_of(bot(SLOW_ONCE.format(seconds=3))), bot_of(bot(before=KEEPALIVE))]
    match = await play_hosted(setup(), bots, referee, groups=groups)
    assert match.result.end is MatchEnd.COMPLETED


@pytest.mark.long
@GUARDS
async def test_a_bot_that_was_stopped_for_more_than_a_minute_keeps_its_stream(
    groups: ControlGroups | None, referee: Referee, bot_of: BotOf
) -> None:
    bots = [bot_of(bot(SLOW_ONCE.format(seconds=75))), bot_of(bot(before=COUNTING_STREAMS))]
    match = await play_hosted(setup(clock="600s+0s,start=20s,margin=50ms"), bots, referee, groups=groups)
    assert match.result.end is MatchEnd.COMPLETED
    assert match.seats[1].output.text.count("stream") == 1
