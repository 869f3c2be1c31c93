"""Sixty-four matches at once on one referee: no bot that answers at once loses on time."""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import manyseats
import pytest
from refereeing import referee_process

from arena.v1 import match_result_pb2

MATCHES, PROGRAMS = 64, 4
CLOCK = "10s+0.1s,start=30s,margin=50ms"
"""First Snow's own, but for the start: 128 threads are made at once."""


@asynccontextmanager
async def programs():
    """Programs that are running and have loaded the SDK; all are gone afterwards."""
    started = []
    try:
        for _ in range(PROGRAMS):
            pipe = asyncio.subprocess.PIPE
            started.append(
                await asyncio.create_subprocess_exec(
                    sys.executable, str(Path(manyseats.__file__)), stdin=pipe, stdout=pipe
                )
            )
        for each in started:
            assert json.loads(await each.stdout.readline()) == {"ready": True}
        yield started
    finally:
        for each in started:
            if each.returncode is None:
                each.kill()
            await each.wait()


@pytest.mark.timeout(300)
async def test_sixty_four_matches_of_sdk_bots_at_once_lose_none_on_time(tmp_path) -> None:
    async with programs() as running, referee_process(tmp_path) as referee:
        matches = []
        for number in range(MATCHES):
            match = await referee.host(game="first-snow", clock=CLOCK, seed=number.to_bytes(16, "big"))
            matches.append(match)
            for seat, ticket in enumerate(match.tickets):
                running[(2 * number + seat) % PROGRAMS].stdin.write(f"{referee.bots} {ticket}\n".encode())
        for each in running:
            each.stdin.write(b"\n")
            await each.stdin.drain()
        results = await asyncio.gather(*(_result(match) for match in matches))
        ended = [json.loads(line) for each in running for line in (await each.stdout.read()).splitlines()]
    assert ended == [{"error": ""}] * 2 * MATCHES
    completed = match_result_pb2.MATCH_END_COMPLETED
    assert [result.end for result in results] == [completed] * MATCHES
    assert max(time for result in results for seat in result.times for time in seat.charged_ms) < 10_000


async def _result(match):
    while True:
        message = await match._call.read()
        if message.WhichOneof("kind") == "finished":
            return message.finished
