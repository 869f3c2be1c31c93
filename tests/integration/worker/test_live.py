"""What a worker tells the broker of the matches that it plays, and what it never tells."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import redis
from botsources import FIRST
from playing import finished

from arena.core.live import ENDED_KEPT_S, KEPT, UPDATE, stream_name
from arena.hosting.matches import Progress
from arena.services import live, matches
from arena.store.states import MatchState
from arena.v1.live_pb2 import LiveUpdate
from worker.live import WAITING, Herald
from worker.slot import Slot

pytestmark = pytest.mark.usefixtures("nothing_left")


@contextmanager
def overhearing(broker: str) -> Iterator[list[str]]:
    """Every command that anybody gives the broker meanwhile."""
    heard: list[str] = []
    with redis.Redis.from_url(broker.replace("redis+socket", "unix")) as client:
        listening = threading.Event()

        def listen() -> None:
            with client.monitor() as monitor:
                listening.set()
                for told in monitor.listen():
                    heard.append(told["command"])
                    if told["command"] == "ECHO over":
                        return

        thread = threading.Thread(target=listen)
        thread.start()
        listening.wait(10)
        yield heard
        client.echo("over")
        thread.join(10)


@contextmanager
def heralding(broker: str) -> Iterator[Herald]:
    herald = Herald(broker)
    herald.start()
    yield herald
    herald.close()


def updates(broker: str, match_id: int) -> list[LiveUpdate]:
    with redis.Redis.from_url(broker.replace("redis+socket", "unix")) as client:
        return [LiveUpdate.FromString(fields[UPDATE]) for _, fields in client.xrange(stream_name(match_id))]


def test_a_match_is_told_of_only_when_nobody_has_still_to_play_its_deal(world, submit, broker) -> None:
    """Two legs on one deal. Of the first, no byte reaches the broker; of the second, the public's view."""
    for name in ("ada", "bob"):
        submit(name, FIRST)
    world.started("cup", "ada", "bob", deals=1)
    with overhearing(broker) as heard, heralding(broker) as herald:
        slot = Slot(world.store, "here:1", lambda: world.now, herald=herald)
        assert slot.play_next()
        slot.close()
    played = [match.id for match in matches.list_matches(world.store).items if match.state is MatchState.FINAL]
    first, second = sorted(played)
    assert heard, "nothing was overheard: this test shows nothing"
    assert not [command for command in heard if stream_name(first) in command]
    assert all(
        stream_name(second) in command for command in heard if not command.startswith(("CLIENT", "HELLO", "ECHO"))
    )
    with redis.Redis.from_url(broker.replace("redis+socket", "unix")) as client:
        assert 0 < client.ttl(stream_name(second)) <= ENDED_KEPT_S
    told = updates(broker, second)
    assert told
    assert told[0].public_view
    assert not updates(broker, first)


def test_whether_a_match_may_be_shown_follows_from_its_deal(world) -> None:
    world.started("cup", "ada", "bob", "cid", deals=2)
    claims = world.claim_all()
    deals = {leg.match_id: matches.get_match(world.store, leg.match_id).deal for claim in claims for leg in claim.legs}
    ids = [match_id for match_id, deal in deals.items() if deal == 1]
    assert not any(live.may_show(world.store, match_id) for match_id in ids)
    for claim in claims:
        for leg in claim.legs:
            if leg.match_id in ids[:-1]:
                world.record_whole(claim, leg, finished(1, 2))
    assert live.may_show(world.store, ids[-1])
    assert not any(live.may_show(world.store, match_id) for match_id, deal in deals.items() if deal == 2)


@pytest.mark.parametrize("broker_url", ["redis+socket:///nowhere/broker.sock", "redis://127.0.0.1:1/0"])
def test_a_broker_that_is_away_costs_no_match(world, submit, broker_url) -> None:
    for name in ("ada", "bob"):
        submit(name, FIRST)
    world.started("cup", "ada", "bob", deals=1)
    with heralding(broker_url) as herald:
        slot = Slot(world.store, "here:1", lambda: world.now, herald=herald)
        assert slot.play_next()
        slot.close()
    assert {match.state for match in matches.list_matches(world.store).items} == {MatchState.FINAL}


def test_what_a_broker_does_not_take_in_time_is_dropped() -> None:
    herald = Herald("redis+socket:///nowhere/broker.sock")
    tell = herald.show(1)
    for ply in range(10 * WAITING):
        tell(Progress(ply, None, 0))
    herald.start()
    herald.close()


def test_the_broker_keeps_the_newest_updates_for_a_while(broker) -> None:
    with heralding(broker) as herald:
        tell = herald.show(7)
        for ply in range(WAITING - 1):
            tell(Progress(ply, 1, 500, (9000, 8000)))
    with redis.Redis.from_url(broker.replace("redis+socket", "unix")) as client, heralding(broker) as herald:
        for _ in range(KEPT):
            client.xadd(stream_name(7), {UPDATE: b""})
        herald.show(7)(Progress(99, None, 0))
    with redis.Redis.from_url(broker.replace("redis+socket", "unix")) as client:
        assert client.xlen(stream_name(7)) == KEPT
        assert 0 < client.ttl(stream_name(7)) <= 3600
    last = updates(broker, 7)[-1]
    assert (last.ply, last.seat) == (99, -1)
