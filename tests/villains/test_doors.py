"""The bots' socket under attack: bounded, refused, and another match on the same referee does not notice."""

import asyncio
import contextlib
import json
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from refereeing import honest_bot, raw_bot

PROGRAM = Path(__file__).parent / "programs" / "knock.py"
KINDS = (
    "connections", "reconnects", "pings", "deaf", "settings", "resets", "streams", "continuations", "garbage", "big",
    "guesses", "storm",
)  # fmt: skip
LONG = "600s+0s,start=600s,margin=50ms"
SECONDS = 0.8


@contextlib.asynccontextmanager
async def knocking(kind, door, ticket, seconds=SECONDS):
    """An attacker in a process of its own; yields a list that will hold what it achieved."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(PROGRAM), kind, door.removeprefix("unix:"), ticket, str(seconds), stdout=subprocess.PIPE
    )
    achieved = []
    try:
        yield achieved
        out, _ = await asyncio.wait_for(process.communicate(), 30)
        achieved.append(json.loads(out))
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def play_one(referee, **more):
    """Play a match of two honest bots, and return its end."""
    match = await referee.host(clock="60s+1s,start=60s,margin=50ms", game="first-snow", **more)
    async with honest_bot(match, 0), honest_bot(match, 1):
        return await match.finished()


def charged(finished):
    return sum(sum(times.charged_ms) for times in finished.message.times)


@pytest.mark.parametrize("kind", KINDS)
async def test_an_attack_on_one_door_is_bounded_and_costs_another_match_nothing(kind, referee):
    quiet = await play_one(referee)
    process = psutil.Process(referee.process.pid)
    before = process.num_fds(), process.memory_info().rss
    attacked = await referee.host(clock=LONG, doors=True)
    async with knocking(kind, attacked.doors[1], attacked.tickets[1]) as achieved:
        await asyncio.sleep(SECONDS / 2)  # in the middle of it
        during = process.num_fds(), process.memory_info().rss
        disturbed = await play_one(referee)
    assert disturbed.end == "COMPLETED"
    assert charged(disturbed) <= charged(quiet) + 250
    assert during[0] - before[0] < 60
    assert during[1] - before[1] < 96 << 20
    assert achieved[0]["tries"] > 0
    await attacked.cancel()
    assert (await play_one(referee)).end == "COMPLETED"


async def test_a_door_takes_its_own_ticket_only(referee):
    match = await referee.host(clock=LONG, doors=True)
    for ticket in (match.tickets[0], "guessed", f"wo_{'a' * 43}"):  # the last looks like a token of the API
        async with raw_bot(match.doors[1], ticket) as villain:
            assert await villain.refused() == ("UNKNOWN_TICKET", "UNAUTHENTICATED")
    async with raw_bot(match.doors[1], match.tickets[1]) as bot:
        assert (await bot.read()).start.seat == 1
    await match.cancel()


async def test_who_has_too_many_streams_refused_loses_its_match_and_its_door(referee):
    match = await referee.host(clock=LONG, doors=True)
    async with (
        raw_bot(match.doors[0], match.tickets[0]) as honest,
        raw_bot(match.doors[1], match.tickets[1]),
        knocking("guesses", match.doors[1], "", 5),
    ):
        finished = await match.finished()
        await honest.game_over()
        assert finished.ends == ["PLAYED", "MALFORMED"]
        assert "32 streams refused" in finished.notes[1]
        assert await until_gone(match.doors[1:])


async def test_a_full_door_keeps_nobody_else_out(referee):
    match = await referee.host(clock=LONG, doors=True)
    async with knocking("connections", match.doors[1], "", 3), honest_door_bot(match, 0) as honest:
        assert (await honest.read()).start.seat == 0
    await match.cancel()


def honest_door_bot(match, seat):
    return raw_bot(match.doors[seat], match.tickets[seat])


async def test_a_door_outlives_its_match_a_little_so_that_nobody_misses_the_end(referee):
    match = await referee.host(doors=True)
    async with honest_door_bot(match, 0) as one, honest_door_bot(match, 1) as other:
        await asyncio.gather(one.play(), other.play())
        await match.finished()
        async with honest_door_bot(match, 0) as late:
            assert (await late.game_over()).seats[0].end == (await match.finished()).message.seats[0].end


async def test_doors_are_gone_after_their_match(referee):
    match = await referee.host(doors=True)
    async with honest_door_bot(match, 0) as one, honest_door_bot(match, 1) as other:
        await asyncio.gather(one.play(), other.play())
        assert (await match.finished()).end == "COMPLETED"
    assert await until_gone(match.doors)


async def until_gone(doors):
    """Return whether the sockets are gone, within five seconds."""
    paths = [Path(door.removeprefix("unix:")) for door in doors]
    for _ in range(250):
        if not any(path.exists() for path in paths):
            return True
        await asyncio.sleep(0.02)
    return False
