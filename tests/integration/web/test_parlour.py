"""The tables of a web server while forms are sent twice, people come at once, and what is beneath them fails."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest
from faultystore import FaultyStore
from playing import World
from sqlalchemy import text

import arena.web.parlour
from arena.core.errors import Conflict, Unavailable
from arena.services import desk, lobby, tournaments
from arena.store import open_store
from arena.store.records import Account
from arena.store.states import TournamentState
from arena.web.parlour import Parlour
from arena.web.site import Site
from arena.web.tables import Stand, Table

SOON_S = 30.0


@pytest.fixture(scope="module")
def world(sqlite_template, tmp_path_factory) -> Iterator[World]:
    store = open_store(sqlite_template.new_url(tmp_path_factory.mktemp("parlour")))
    made = World(store)
    made.submit("near")
    yield made
    store.close()


class Room:
    """A parlour on a store that can fail."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.store = FaultyStore(world.store)
        self.parlour = Parlour(Site(self.store, now=lambda: world.now))

    async def open(self, account: Account) -> Table:
        return await self.parlour.open(account, game="first-snow", variant="", opponents=("near",))

    def desks(self) -> list[int]:
        """The desks at which somebody waits."""
        with self.world.store.read() as tx:
            return [row[0] for row in tx.execute(text("SELECT desk_id FROM lobby WHERE desk_id IS NOT NULL"))]

    def state(self, table: Table) -> TournamentState:
        return tournaments.progress(self.world.store, table.tournament, self.world.now).tournament.state

    async def until_waiting(self, people: int) -> list[int]:
        async with asyncio.timeout(SOON_S):
            while len(desks := self.desks()) < people:  # noqa: ASYNC110 - what happens is in the database
                await asyncio.sleep(0.01)
        return desks

    def waiting(self) -> list[str]:
        """The streams of those who wait in the lobby."""
        with self.world.store.read() as tx:
            return [row[0] for row in tx.execute(text("SELECT stream FROM lobby"))]

    async def until_cancelled(self, table: Table) -> None:
        async with asyncio.timeout(SOON_S):
            while self.state(table) is not TournamentState.CANCELLED:  # noqa: ASYNC110 - as above
                await asyncio.sleep(0.01)

    async def until_over(self, table: Table) -> None:
        async with asyncio.timeout(SOON_S):
            async for _ in table.changes(asyncio.Event()):
                pass
        assert table.stand is Stand.GONE


@asynccontextmanager
async def opened(world: World, monkeypatch) -> AsyncIterator[Room]:
    monkeypatch.setattr(arena.web.parlour, "LOOK_S", 0.01)
    monkeypatch.setattr(desk, "FAULT_S", 0.01)
    room = Room(world)
    try:
        yield room
    finally:
        await room.parlour.close()


async def test_a_form_that_is_sent_twice_at_once_asks_for_one_match(world, monkeypatch) -> None:
    async with opened(world, monkeypatch) as room:
        ada = world.account("ada")
        first, second = await asyncio.gather(room.open(ada), room.open(ada), return_exceptions=True)
        assert isinstance(first, Table)
        assert isinstance(second, Conflict)
        assert second.code == "AT_A_TABLE"
        first.left.set()
        await room.until_over(first)


async def test_people_who_come_at_once_wait_at_one_desk_and_are_all_looked_after(world, monkeypatch) -> None:
    async with opened(world, monkeypatch) as room:
        tables = await asyncio.gather(*(room.open(world.account(name)) for name in ("bea", "cid", "dan")))
        assert len(set(await room.until_waiting(3))) == 1
        for table in tables:
            table.left.set()
            await room.until_over(table)


async def test_a_fault_that_nobody_foresaw_stops_nobody_from_noticing_who_has_gone(world, monkeypatch, caplog) -> None:
    async with opened(world, monkeypatch) as room:
        table = await room.open(world.account("eve"))
        await room.until_waiting(1)
        room.store.fail(3)
        assert await asyncio.to_thread(room.store.failed.wait, SOON_S)
        monkeypatch.setattr(arena.web.parlour, "ABSENT_S", 0.0)
        await room.until_over(table)
    assert "the lobby failed" in caplog.text


async def test_who_waits_sits_down_again_when_the_desk_was_taken_for_dead(world, monkeypatch) -> None:
    monkeypatch.setattr(lobby, "BEAT", lobby.BEAT / 500)
    async with opened(world, monkeypatch) as room:
        tables = await asyncio.gather(*(room.open(world.account(name)) for name in ("flo", "gil")))
        (old,) = set(await room.until_waiting(2))
        await asyncio.to_thread(lobby.close_desk, world.store, old, world.now)
        room.store.fail(1)  # and the first try to sit down again, or whatever comes first
        assert len(set(await room.until_waiting(2))) == 1
        for table in tables:
            table.left.set()
            await room.until_over(table)


async def test_who_comes_while_the_last_one_goes_is_looked_after(world, monkeypatch) -> None:
    async with opened(world, monkeypatch) as room:
        for number in range(5):
            table = await room.open(world.account(f"hal-{number}"))
            await room.until_waiting(1)
            table.left.set()
            _, late = await asyncio.gather(room.until_over(table), room.open(world.account(f"ida-{number}")))
            await room.until_waiting(1)
            monkeypatch.setattr(arena.web.parlour, "ABSENT_S", 0.0)  # noticed by whoever looks after tables
            await room.until_over(late)
            monkeypatch.setattr(arena.web.parlour, "ABSENT_S", 180.0)


async def test_a_database_that_is_away_for_a_moment_keeps_no_match_of_somebody_who_has_left(world, monkeypatch) -> None:
    async with opened(world, monkeypatch) as room:
        table = await room.open(world.account("joe"))
        await room.until_waiting(1)
        table.left.set()
        room.store.fail(6, Unavailable("the database is away"))
        await room.until_over(table)
        await room.until_cancelled(table)


async def test_a_server_that_is_started_anew_takes_up_what_somebody_waits_for(world, monkeypatch) -> None:
    kim = world.account("kim")
    async with opened(world, monkeypatch) as room:
        before = await room.open(kim)
        await room.until_waiting(1)
    async with opened(world, monkeypatch) as room:
        table = await room.parlour.take_up(kim)
        assert (table.tournament, table.game.spec.id) == (before.tournament, "first-snow")
        assert "started anew" in table.note
        await room.until_waiting(1)
        assert await room.parlour.take_up(kim) is table
        table.left.set()
        await room.until_over(table)
        await room.until_cancelled(table)
        assert await room.parlour.take_up(kim) is None


async def test_a_server_that_was_killed_holds_nobodys_place_for_long(world, monkeypatch) -> None:
    lou = world.account("lou")
    async with opened(world, monkeypatch) as killed:
        await killed.open(lou)
        await killed.until_waiting(1)
        async with opened(world, monkeypatch) as room:
            table = await room.parlour.take_up(lou)
            assert table.stand is Stand.WAITING
            world.wait(minutes=1)
            async with asyncio.timeout(SOON_S):
                while table.stream not in room.waiting():  # noqa: ASYNC110 - as above
                    await asyncio.sleep(0.01)


async def test_what_another_server_looks_after_is_left_to_it(world, monkeypatch) -> None:
    monkeypatch.setattr(arena.web.parlour, "TAKEN_UP_S", 0.05)
    may = world.account("may")
    async with opened(world, monkeypatch) as other, opened(world, monkeypatch) as room:
        theirs = await other.open(may)
        await other.until_waiting(1)
        room.parlour.begin()
        table = await room.parlour.take_up(may)
        await room.until_over(table)
        assert "already" in table.note
        assert theirs.stand is Stand.WAITING
        assert room.state(theirs) is TournamentState.RUNNING


async def test_whoever_does_not_come_back_to_a_new_server_keeps_no_match_waiting(world, monkeypatch) -> None:
    async with opened(world, monkeypatch) as room:
        table = await room.open(world.account("ned"))
        await room.until_waiting(1)
    monkeypatch.setattr(arena.web.parlour, "ABSENT_S", 0.0)
    async with opened(world, monkeypatch) as room:
        room.parlour.begin()
        await room.until_cancelled(table)
