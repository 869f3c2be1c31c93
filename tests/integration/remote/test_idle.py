"""Two hundred bots that wait in the lobby cost the database no more than ten, and nothing that grows."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from typing import Any

import grpc
import psutil
import pytest
from remotely import Author, Remotely, now
from sqlalchemy import event
from sqlalchemy.engine import Engine

from arena.services import lobby
from arena.services.lobby import BEAT
from arena.v1 import lobby_pb2 as pb
from arena.v1.lobby_pb2_grpc import LobbyServiceStub

EACH = 50
AUTHORS = 4
MANIFEST = 'name = "{}"\ngames = ["*"]\n'


@pytest.fixture(scope="module")
def authors(arena: Remotely) -> list[Author]:
    """Accounts with bots that may wait."""
    made = [arena.author(f"author{number}") for number in range(AUTHORS)]
    for author in made:
        for number in range(EACH):
            lobby.register(
                arena.store, author.account, MANIFEST.format(f"{author.account.name}-{number}"), "d" * 64, now()
            )
    return made


@asynccontextmanager
async def waiting(arena: Remotely, authors: Sequence[Author], each: int) -> AsyncIterator[None]:
    """So many bots of each author wait in the lobby."""
    async with AsyncExitStack() as stack:
        calls = []
        for author in authors:  # each on a connection of its own, which carries a hundred streams at most
            channel = grpc.aio.insecure_channel(arena.api.address, options=(("grpc.use_local_subchannel_pool", 1),))
            stub: Any = LobbyServiceStub(await stack.enter_async_context(channel))
            for number in range(each):
                call = stub.AwaitMatch(metadata=(("authorization", f"Bearer {author.token.secret}"),))
                bot = f"{author.account.name}-{number}"
                enter = pb.EnterLobby(bot=bot, version=1, session=secrets.token_hex(16), places=1)
                await call.write(pb.AwaitMatchRequest(enter=enter))
                assert (await call.read()).HasField("entered")
                calls.append(call)
        yield
        for call in calls:
            await call.done_writing()
        for call in calls:
            await call.read()


@contextmanager
def counted_statements() -> Iterator[Counter[str]]:
    """What is asked of the database while the block runs, by the first word of the statements."""
    found: Counter[str] = Counter()

    def note(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        found[statement.split(None, 1)[0]] += 1

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield found
    finally:
        event.remove(Engine, "before_cursor_execute", note)


async def idle(arena: Remotely, authors: Sequence[Author], each: int) -> tuple[float, float]:
    """Return reads and writes a second while so many wait."""
    async with waiting(arena, authors, each):
        with counted_statements() as found:
            began = time.monotonic()
            await asyncio.sleep(BEAT.total_seconds() / 2)
            span = time.monotonic() - began
    return found["SELECT"] / span, sum(found[kind] for kind in ("INSERT", "UPDATE", "DELETE")) / span


async def test_who_waits_costs_the_database_nothing_of_its_own(arena: Remotely, authors: list[Author]):
    few_reads, few_writes = await idle(arena, authors, 1)
    many_reads, many_writes = await idle(arena, authors, EACH)
    assert few_reads > 1
    assert many_reads < 1.5 * few_reads
    assert max(few_writes, many_writes) < 3


@pytest.mark.long
async def test_waiting_takes_no_memory_that_grows(arena: Remotely, authors: list[Author]):
    process = psutil.Process()
    async with waiting(arena, authors, EACH):
        await asyncio.sleep(10)
        before = process.memory_info().rss
        await asyncio.sleep(60)
        assert process.memory_info().rss - before < 4 * 1024 * 1024
