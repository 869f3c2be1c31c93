"""Running matches as those see them who look on: events, resuming, limits, what never leaves; the page in a browser."""

import asyncio
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import dataclass

import pytest
import redis
from onlooking import Listener, listening
from playing import World, finished
from playwright.sync_api import expect
from webbing import Web, scrolls_sideways, serving, violations, window

import arena.web.live
from arena.cli.local.broker import broker_command, broker_url, find_broker
from arena.core.live import UPDATE, stream_name
from arena.hosting.matches import Progress
from arena.match import Match, SeatLabel, Setup
from arena.store import open_store
from arena.store.records import Claim, Leg
from arena.v1.live_pb2 import LiveUpdate
from arena.web.rendering import EventStream
from arena.web.server import WebServer
from arena.web.site import Site
from worker.live import Herald


@dataclass
class Arena:
    """A world with running matches, its broker, and who tells the broker of them.

    first, last: the legs of one deal; alone: the last leg of a deal of Frost Shelter.
    """

    world: World
    broker: str
    herald: Herald
    claims: dict[str, Claim]
    first: Leg
    last: Leg
    alone: Leg

    def end(self, name: str, leg: Leg) -> None:
        self.world.record(self.claims[name], leg, finished(*range(1, len(leg.seats) + 1)))


@pytest.fixture(scope="module")
def broker(tmp_path_factory) -> Iterator[str]:
    path = tmp_path_factory.mktemp("b") / "broker.sock"
    server = subprocess.Popen(broker_command(find_broker(), path), stdout=subprocess.DEVNULL)
    until = time.monotonic() + 20
    while not path.exists():
        assert time.monotonic() < until
        time.sleep(0.01)
    yield broker_url(path)
    server.terminate()
    server.wait(10)


@pytest.fixture
def arena_(sqlite_template, tmp_path, broker) -> Iterator[Arena]:
    store = open_store(sqlite_template.new_url(tmp_path))
    world = World(store)
    for bot in ("alpha", "beta", "gamma"):
        world.submit(bot, games='"first-snow", "frost-shelter"')
    world.started("snow", "alpha", "beta")
    world.started("shelter", "alpha", "beta", "gamma", game="frost-shelter", seats=3, deals=1)
    claims = {claim.tournament: claim for claim in world.claim_all()}
    herald = Herald(broker)
    herald.start()
    first, last = claims["snow"].legs
    *others, alone = claims["shelter"].legs
    made = Arena(world, broker, herald, claims, first, last, alone)
    for leg in others:
        made.end("shelter", leg)
    yield made
    herald.close()
    with redis.Redis.from_url(broker.replace("redis+socket", "unix")) as client:
        client.flushall()
    store.close()


@pytest.fixture(autouse=True)
def _impatient(monkeypatch) -> None:
    monkeypatch.setattr(arena.web.live, "LOOK_S", 0.3)


@pytest.fixture
def web(arena_) -> Iterator[Web]:
    world = arena_.world
    with serving(Site(world.store, now=lambda: world.now, key=bytes(32), broker=arena_.broker)) as running:
        yield running


def match_of(game: str, seats: int) -> Match:
    match = Match(Setup(game, "standard", (SeatLabel("b", "1"),) * seats, bytes(16)))
    match.start()
    match.tell_public()
    return match


def tell(arena_: Arena, leg: Leg, match: Match, plies: int = 1) -> None:
    """Play on, and tell the broker as a worker does."""
    show = arena_.herald.show(leg.match_id)
    for _ in range(plies):
        ask = match.decision
        match.answer(ask.ply, 0)
        view = match.take_public_view().SerializeToString(deterministic=True)
        show(Progress(match.plies, match.decision.seat, 9000, (8000,) * len(match.setup.seats), view))


def test_an_onlooker_gets_positions_as_they_come(arena_, web) -> None:
    match = match_of("frost-shelter", 3)
    with listening(web.url, arena_.alone.match_id) as listener:
        assert listener.answer.headers["content-type"].startswith("text/event-stream")
        tell(arena_, arena_.alone, match)
        listener.until(lambda content: b"<svg" in content)
        (told,) = listener.events()
    assert told["ply"] == match.plies
    assert told["seat"] == match.decision.seat
    assert told["banks"] == [8000] * 3
    assert any("plays" in line for line in told["words"])


def test_nothing_leaves_but_what_the_public_may_see(arena_, web) -> None:
    """All bytes of the stream, and all on the broker, hold no card of a hand; those laid are there."""
    match = match_of("frost-shelter", 3)
    hands = {card for seat in range(3) for card in map(str, match.view(seat).hand)}
    assert len(hands) > 10
    with listening(web.url, arena_.alone.match_id) as listener:
        tell(arena_, arena_.alone, match, plies=6)
        listener.until(lambda content: f'"ply":{match.plies},'.encode() in content)
        sent = listener.content.decode()
    assert "Hand of seat" not in sent
    assert "is dealt Fuel" not in sent
    with redis.Redis.from_url(arena_.broker.replace("redis+socket", "unix")) as client:
        kept = client.xrange(stream_name(arena_.alone.match_id))
    kind = type(match.view(None))
    views = [kind.FromString(LiveUpdate.FromString(fields[UPDATE]).public_view) for _, fields in kept]
    assert len(views) == 6
    assert not any(view.hand or view.HasField("seat") for view in views)
    assert match.setup.seed.hex() not in sent


def test_of_a_deal_that_others_have_still_to_play_no_byte_leaves_even_if_the_broker_had_some(arena_, web) -> None:
    """A worker tells nothing of such a match; here the broker has something of it all the same."""
    match = match_of("first-snow", 2)
    tell(arena_, arena_.first, match, plies=4)
    with listening(web.url, arena_.first.match_id) as listener:
        arena_.end("snow", arena_.first)
        listener.ended.wait(20)
        content = listener.content
    assert b"position" not in content
    assert b"svg" not in content
    assert content.split(b"\n\n") == [b'event: over\ndata: {"replay":false}', b""]
    page = web.fetch(f"/matches/{arena_.first.match_id}").text
    assert "rank 1" not in page
    assert "still being played by others" in page


def test_the_last_match_of_a_deal_is_shown_once_the_others_are_over(arena_, web) -> None:
    assert "data-closed" in web.fetch(f"/matches/{arena_.last.match_id}/live").text
    arena_.end("snow", arena_.first)
    assert "data-board" in web.fetch(f"/matches/{arena_.last.match_id}/live").text


def test_whoever_comes_late_gets_the_newest_picture_and_what_happened(arena_, web) -> None:
    match = match_of("frost-shelter", 3)
    with listening(web.url, arena_.alone.match_id) as early:
        tell(arena_, arena_.alone, match, plies=5)
        early.until(lambda content: f'"ply":{match.plies},'.encode() in content)
        with listening(web.url, arena_.alone.match_id) as late:
            late.until(lambda content: b"<svg" in content)
            told = late.events()
    assert [("picture" in one) for one in told] == [False] * 4 + [True]
    assert all(one["words"] for one in told)


def test_whoever_comes_back_gets_what_was_missed(arena_, web) -> None:
    match = match_of("frost-shelter", 3)
    with listening(web.url, arena_.alone.match_id) as before:
        tell(arena_, arena_.alone, match, plies=2)
        before.until(lambda content: f'"ply":{match.plies},'.encode() in content)
        seen = before.last_id()
    tell(arena_, arena_.alone, match, plies=2)
    with listening(web.url, arena_.alone.match_id, seen) as after:
        after.until(lambda content: f'"ply":{match.plies},'.encode() in content)
        assert len(after.events()) == 2


def test_a_match_that_is_not_there_cannot_be_followed(web) -> None:
    assert web.fetch("/matches/999999/events").status == 404


@pytest.mark.parametrize("last_event", ["nonsense", "9" * 500, "1-1-1", "99999999999999999-0"])
def test_a_strange_last_event_is_no_obstacle(arena_, web, last_event) -> None:
    with listening(web.url, arena_.alone.match_id, last_event) as listener:
        arena_.end("shelter", arena_.alone)
        listener.ended.wait(20)
        assert listener.events("over") == [{"replay": True}]


def test_what_the_broker_has_that_is_no_update_is_left_out(arena_, web) -> None:
    with redis.Redis.from_url(arena_.broker.replace("redis+socket", "unix")) as client:
        client.xadd(stream_name(arena_.alone.match_id), {UPDATE: b"\xff\xff broken"})
        client.xadd(stream_name(arena_.alone.match_id), {"other": b"x"})
    match = match_of("frost-shelter", 3)
    tell(arena_, arena_.alone, match)
    with listening(web.url, arena_.alone.match_id) as listener:
        listener.until(lambda content: b"<svg" in content)


def test_a_broker_that_is_away_leaves_the_end_of_the_match(arena_) -> None:
    world = arena_.world
    site = Site(world.store, now=lambda: world.now, key=bytes(32), broker="redis+socket:///nowhere/broker.sock")
    with serving(site) as alone, listening(alone.url, arena_.alone.match_id) as listener:
        arena_.end("shelter", arena_.alone)
        listener.ended.wait(20)
        assert listener.events("over") == [{"replay": True}]


def test_a_quiet_match_sends_heartbeats(arena_, web, monkeypatch) -> None:
    monkeypatch.setattr(arena.web.live, "HEARTBEAT_S", 0.05)
    with listening(web.url, arena_.alone.match_id) as listener:
        listener.until(lambda content: content.count(b": still here") > 2)


def test_no_more_look_on_than_there_is_room_for_and_leaving_makes_room(arena_, web, monkeypatch) -> None:
    monkeypatch.setattr(arena.web.live, "MOST_ONLOOKERS", 2)
    monkeypatch.setattr(arena.web.live, "HEARTBEAT_S", 0.05)
    path = f"/matches/{arena_.alone.match_id}/events"
    with listening(web.url, arena_.alone.match_id), listening(web.url, arena_.alone.match_id) as second:
        refused = web.fetch(path)
        assert refused.status == 429
        assert "retry-after" in refused.headers
        second.close()
        until = time.monotonic() + 20
        while True:
            with listening(web.url, arena_.alone.match_id) as third:
                if third.answer.status == 200:
                    break
            assert time.monotonic() < until, "the one who left is still counted"


def test_streams_end_when_the_server_stops(arena_) -> None:
    world = arena_.world
    with serving(Site(world.store, now=lambda: world.now, key=bytes(32), broker=arena_.broker)) as alone:
        listener = Listener(alone.url, arena_.alone.match_id)
    ended = listener.ended.wait(20)
    listener.close()
    assert ended


async def test_no_reader_outlives_its_server_whoever_still_looks_on(arena_, monkeypatch) -> None:
    """The reader waits for the broker, longer than a server takes to stop."""
    monkeypatch.setattr(arena.web.live, "LOOK_S", 30.0)
    world = arena_.world
    with socket.create_server(("127.0.0.1", 0)) as listener:
        site = Site(world.store, now=lambda: world.now, key=bytes(32), broker=arena_.broker)
        server = WebServer(site, listener)
        running = asyncio.create_task(server.run())
        hub = server._app.state.hub
        hub.admit("here")
        async with aclosing(hub.follow(arena_.alone.match_id, "here", "")) as events:
            await anext(events)
            await asyncio.to_thread(tell, arena_, arena_.alone, match_of("frost-shelter", 3))
            assert b"position" in await anext(events)
            assert (await asyncio.to_thread(Web(site, server.url).fetch, "/")).status == 200
            server.stop()
            await running
            assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_an_onlooker_who_leaves_without_taking_an_event_is_not_counted_any_more() -> None:
    counted = []

    async def events():
        counted.append("in")
        try:
            yield b"first"
            yield b"second"
        finally:
            counted.append("out")

    async def gone() -> dict[str, str]:
        return {"type": "http.disconnect"}

    async def never_taken(message) -> None:
        await asyncio.Event().wait()

    begun = events()
    await anext(begun)
    await EventStream(begun)({"type": "http"}, gone, never_taken)
    assert counted == ["in", "out"]


def test_a_match_that_is_over_leads_to_its_replay(arena_, web) -> None:
    arena_.end("shelter", arena_.alone)
    answer = web.fetch(f"/matches/{arena_.alone.match_id}/live")
    assert (answer.status, answer.headers["location"]) == (303, f"/matches/{arena_.alone.match_id}/replay")


def test_the_log_of_an_open_deal_is_a_file_and_that_of_a_closed_one_is_not(arena_, web) -> None:
    arena_.end("shelter", arena_.alone)
    arena_.end("snow", arena_.first)
    assert web.fetch(f"/matches/{arena_.alone.match_id}/log.jsonl").text == f"log of {arena_.alone.match_id}\n"
    assert web.fetch(f"/matches/{arena_.first.match_id}/log.jsonl").status == 403


def test_the_page_follows_a_match_to_its_end(arena_, web, browser) -> None:
    match = match_of("frost-shelter", 3)
    with window(browser, web, size="phone") as context:
        page = context.new_page()
        faults = []
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        page.goto(f"/matches/{arena_.alone.match_id}/live")
        tell(arena_, arena_.alone, match)
        page.locator("[data-board] svg").wait_for()
        tell(arena_, arena_.alone, match)
        expect(page.locator("[data-place]")).to_have_text(f"ply {match.plies}")
        assert "plays" in page.locator("[data-story]").inner_text()
        assert page.locator("[data-clock]").first.inner_text() == "8.0 s"
        assert page.locator(f"[data-seat='{match.decision.seat}'] [data-to-move]").is_visible()
        page.get_by_role("button", name="Larger board").click()
        assert page.locator("[data-board] svg").bounding_box()["width"] > 1000
        assert not scrolls_sideways(page)
        assert not violations(page)
        arena_.end("shelter", arena_.alone)
        page.get_by_role("link", name="Watch the replay").wait_for()
        assert not faults


def test_the_words_of_the_newest_update_come_to_be_said_however_quickly_it_followed(arena_, web, browser) -> None:
    match = match_of("frost-shelter", 3)
    with window(browser, web) as context:
        page = context.new_page()
        page.goto(f"/matches/{arena_.alone.match_id}/live")
        for _ in range(3):
            tell(arena_, arena_.alone, match)
            expect(page.locator("[data-place]")).to_have_text(f"ply {match.plies}")
        newest = page.locator("[data-story] li").last.locator("span").last.inner_text()
        expect(page.locator("[data-now] p").last).to_have_text(newest)
