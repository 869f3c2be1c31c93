"""Streams of the lobby that come, go and fail at the same time: each is looked after, told how it ends, or gone."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator

import pytest
from databases import SqliteTemplate
from faultystore import FaultyStore, Unforeseen
from playing import World
from sqlalchemy import text

from arena.api.gate import _CALL, Call
from arena.api.limits import Limits
from arena.api.lobby import MOST_PLAYING, Hall, LobbyServicer, Waiting
from arena.api.site import Site
from arena.api.work import Workplace
from arena.core.errors import Unavailable, UsageError
from arena.services import accounts, desk, lobby
from arena.store import open_store
from arena.v1 import lobby_pb2 as pb

SOON_S = 20.0
SESSION = "0123456789abcdef"


class House:
    """A hall on a store that can fail, and an author whose bot "far" comes to it."""

    def __init__(self, world: World, limits: Limits) -> None:
        self.world = world
        self.store = FaultyStore(world.store)
        self.site = Site(self.store, lambda: world.now, asyncio.Event(), poll_s=0.01, limits=limits)
        self.hall = Hall(self.site)
        self.secret = accounts.issue_token(world.store, world.admin, "", "", world.now).secret
        token, account = accounts.sign_in(world.store, self.secret, world.now)
        self.work = Workplace(3)
        _CALL.set(Call(account, token, "/arena.v1.LobbyService/AwaitMatch", "", self.work))

    async def enter(self, bot: str = "far", **rest: object) -> Waiting:
        return await self.hall.enter(pb.EnterLobby(session=SESSION, bot=bot, version=1, places=1, **rest), self.secret)

    async def leave_in_order(self, waiting: Waiting) -> None:
        """Say that no match is wanted any more; only who is looked after is told the end."""
        await self.hall.do(waiting, pb.AwaitMatchRequest(leave=pb.LeaveLobby()))
        async with asyncio.timeout(SOON_S):
            assert await waiting.answers.get() is None

    def rows(self, query: str) -> list[tuple]:
        with self.world.store.read() as tx:
            return [tuple(row) for row in tx.execute(text(query))]

    def streams(self) -> list[str]:
        """The streams that the database knows."""
        return [row[0] for row in self.rows("SELECT stream FROM lobby WHERE desk_id IS NOT NULL")]


@pytest.fixture(scope="module")
def world(tmp_path_factory) -> Iterator[World]:
    store = open_store(SqliteTemplate(tmp_path_factory.mktemp("template")).new_url(tmp_path_factory.mktemp("hall")))
    made = World(store)
    lobby.register(store, made.admin, 'name = "far"\ngames = ["*"]\n', "a" * 64, made.now)
    yield made
    store.close()


@contextlib.asynccontextmanager
async def opened(world: World, limits: Limits = Limits()) -> AsyncIterator[House]:  # noqa: B008 - it cannot be changed
    house = House(world, limits)
    try:
        yield house
    finally:
        await house.hall.close()
        house.work.close()


async def test_a_fault_that_nobody_foresaw_is_logged_and_those_who_wait_are_looked_after_again(
    world, monkeypatch, caplog
) -> None:
    monkeypatch.setattr(desk, "FAULT_S", 0.01)
    async with opened(world) as house:
        waiting = await house.enter()
        house.store.fail(3)
        assert await asyncio.to_thread(house.store.failed.wait, SOON_S)
        await house.leave_in_order(waiting)
    assert "the lobby failed" in caplog.text


async def test_of_streams_that_come_at_once_the_one_waits_that_the_database_knows(world) -> None:
    async with opened(world) as house:
        made = await asyncio.gather(*(house.enter() for _ in range(6)))
        (known,) = house.streams()
        waiting = [one for one in made if not one.ended]
        assert [one.stream for one in waiting] == [known]
        replaced = [one.answers.get_nowait() for one in made if one.ended]
        assert len(replaced) == 5
        assert all(isinstance(one, Unavailable) and one.code == "NEWER_STREAM" for one in replaced)


async def test_who_is_refused_leaves_no_desk_behind(world) -> None:
    async with opened(world) as house:
        with pytest.raises(UsageError):
            await house.hall.enter(pb.EnterLobby(session="short", bot="far"), house.secret)
        await asyncio.wait_for(house.hall.idle(), SOON_S)
        assert not house.rows("SELECT id FROM lobby_desks")


async def test_whoever_comes_while_the_last_one_goes_is_looked_after(world) -> None:
    async with opened(world) as house:
        for _ in range(8):
            waiting = await house.enter()
            _gone, waiting = await asyncio.gather(house.hall.leave(waiting), house.enter())
            await house.leave_in_order(waiting)
            await house.hall.leave(waiting)


async def test_whoever_hangs_up_while_coming_is_not_called(world) -> None:
    async with opened(world) as house:
        for ticks in range(12):
            coming = asyncio.create_task(house.enter())
            for _ in range(ticks):
                await asyncio.sleep(0)
            coming.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await house.hall.leave(await coming)
    assert not house.streams()


async def test_requests_of_a_stream_are_as_many_as_calls(world) -> None:
    async with opened(world, Limits(per_s=0.7, burst=2)) as house:
        waiting = await house.enter()
        offer = pb.AwaitMatchRequest(offer=pb.OfferPlaces(places=1))
        for _ in range(2):
            await house.hall.do(waiting, offer)
        later = asyncio.create_task(house.hall.do(waiting, offer))
        done, _ = await asyncio.wait((later,), timeout=0.2)
        assert not done
        async with asyncio.timeout(SOON_S):
            await later
        await house.hall.leave(waiting)


async def test_more_invitations_than_anybody_plays_are_refused(world) -> None:
    async with opened(world) as house:
        with pytest.raises(UsageError, match="cannot be played at once"):
            await house.enter(playing=[str(number) for number in range(MOST_PLAYING + 1)])


async def test_a_stream_whose_requests_fail_ends_with_that(world) -> None:
    async def requests() -> AsyncIterator[pb.AwaitMatchRequest]:
        yield pb.AwaitMatchRequest(enter=pb.EnterLobby(session=SESSION, bot="far", version=1))
        raise Unforeseen

    class Context:
        def invocation_metadata(self) -> list[tuple[str, str]]:
            return [("authorization", f"Bearer {house.secret}")]

    async with opened(world) as house:
        answers = LobbyServicer(house.site, house.hall).AwaitMatch(requests(), Context())
        assert (await anext(answers)).entered.bot == "far"
        with pytest.raises(Unforeseen):
            async with asyncio.timeout(SOON_S):
                await anext(answers)
    assert not house.streams()


async def test_whoever_comes_to_a_server_that_stood_still_waits_and_the_others_are_sent_back(world) -> None:
    lobby.register(world.store, world.admin, 'name = "next"\ngames = ["*"]\n', "a" * 64, world.now)
    async with opened(world) as house:
        first = await house.enter()
        ((lost,),) = house.rows("SELECT desk_id FROM lobby WHERE desk_id IS NOT NULL")
        lobby.close_desk(world.store, lost, world.now)  # as another process does that took it for dead
        second = await house.enter("next")
        told = await first.answers.get()
        assert house.streams() == [second.stream]
    assert isinstance(told, Unavailable)
    assert told.code == lobby.DESK_LOST


class Anteroom:
    """A room in which somebody is about to wait."""

    def __init__(self) -> None:
        self.lost = asyncio.Event()

    def is_empty(self) -> bool:
        return False

    async def hear(self, board: lobby.Board) -> None:
        pass

    async def beaten(self, *, lost: bool) -> None:
        if lost:
            self.lost.set()


async def test_whoever_sits_down_at_a_desk_that_is_being_lost_sits_down_at_another(world, monkeypatch) -> None:
    monkeypatch.setattr(lobby, "BEAT", lobby.BEAT / 500)
    room, sat = Anteroom(), []
    made = desk.Desk(world.store, lambda: world.now, room, 0.01)

    async def enter(number: int) -> None:
        sat.append(number)
        if len(sat) == 1:
            made.attend()
            await asyncio.to_thread(lobby.close_desk, world.store, number, world.now)
            await room.lost.wait()

    async with asyncio.timeout(SOON_S):
        await made.seat(enter)
        await made.close()
    assert len(sat) == 2


async def test_a_hall_closes_while_the_database_is_away(world) -> None:
    async with opened(world) as house:
        waiting = await house.enter()
        house.store.fail(100, Unavailable("the database is away"))
        await house.hall.close()
        told = await waiting.answers.get()
        house.store.fail(0)
    assert isinstance(told, Unavailable)
    assert told.code == "SERVER_STOPPING"
