"""What `arena tournament watch` shows: rates, and what is stuck and why."""

from __future__ import annotations

from playing import World, older_wins

from arena.services import presence, tournaments
from arena.services.obstacles import Kind
from arena.store.states import Queue


def told(world: World) -> dict[Kind, str]:
    return {one.kind: one.message for one in tournaments.progress(world.store, "cup", world.now).obstacles}


def play(world: World, blocks: int) -> None:
    for _ in range(blocks):
        claim = world.claim()
        for leg in claim.legs:
            world.record(claim, leg, older_wins(leg))


def test_the_rate_is_that_of_the_last_minutes_and_says_how_long_the_rest_takes(world) -> None:
    world.started("cup", "ada", "bert", "cleo", deals=10)
    assert tournaments.progress(world.store, "cup", world.now).matches_per_minute == 0
    for _ in range(10):
        world.wait(seconds=30)
        play(world, 1)
    found = tournaments.progress(world.store, "cup", world.now)
    assert (found.matches_per_minute, found.seconds_left) == (4.0, 600)  # 20 in 5 minutes, 40 are left
    world.wait(minutes=3)
    later = tournaments.progress(world.store, "cup", world.now)
    assert (later.matches_per_minute, later.seconds_left) == (2.0, 1200)


def test_a_tournament_that_does_not_run_has_no_rate(world) -> None:
    world.started("cup", "ada", "bert")
    world.wait(minutes=1)
    play(world, 1)
    found = tournaments.progress(world.store, "cup", world.now)
    assert (found.matches_per_minute, found.seconds_left) == (0, None)


def test_a_watch_is_not_told_a_new_rate_every_moment(world) -> None:
    world.started("cup", "ada", "bert", deals=3)
    world.wait(seconds=30)
    play(world, 1)
    rates = set()
    for _ in range(5):
        rates.add(tournaments.progress(world.store, "cup", world.now).matches_per_minute)
        world.wait(seconds=0.9)
    assert len(rates) == 1


def test_a_silent_worker_is_named_with_what_waits_for_it(world) -> None:
    world.started("cup", "ada", "bert")
    claim = world.claim("host:7")
    assert Kind.SILENT_WORKER not in told(world)
    world.wait(seconds=20)
    message = told(world)[Kind.SILENT_WORKER]
    assert message.startswith(f"block {claim.block_id}, match {claim.legs[0].match_id}, is on lease of worker host:7")
    assert "since 12:00:00 UTC; unless it is by 12:00:30" in message


def test_a_worker_that_waits_is_there_and_one_that_has_left_is_not(world) -> None:
    world.started("cup", "ada", "bert")
    presence.appear(world.store, "host:7", [Queue.HOSTED, Queue.REMOTE], world.now)
    world.wait(seconds=29)
    presence.appear(world.store, "host:7", [Queue.HOSTED, Queue.REMOTE], world.now)
    world.wait(seconds=29)
    assert Kind.NO_WORKER not in told(world)
    world.wait(seconds=2)
    assert "since 2030-01-02 12:00:29 UTC" in told(world)[Kind.NO_WORKER]


def test_present_are_those_heard_of_lately_by_the_queues_they_serve(world) -> None:
    presence.appear(world.store, "a:1", [Queue.HOSTED], world.now)
    presence.appear(world.store, "b:2", [Queue.HOSTED, Queue.REMOTE], world.now)
    assert presence.count_present(world.store, world.now) == {Queue.HOSTED: 2, Queue.REMOTE: 1}
    world.wait(seconds=15)
    presence.appear(world.store, "b:2", [Queue.HOSTED, Queue.REMOTE], world.now)
    world.wait(seconds=15)
    assert presence.count_present(world.store, world.now) == {Queue.HOSTED: 1, Queue.REMOTE: 1}
    presence.leave(world.store, "b:2")
    assert presence.count_present(world.store, world.now) == {Queue.HOSTED: 0, Queue.REMOTE: 0}
    presence.forget_silent(world.store, world.wait(hours=2))
    presence.appear(world.store, "a:1", [Queue.HOSTED], world.now)
    assert presence.count_present(world.store, world.now)[Queue.HOSTED] == 1


def test_how_it_stands_tells_waits_and_leases(world) -> None:
    assert presence.standing(world.store, world.now).waits == {}
    world.started("cup", "ada", "bert", "cleo")
    world.wait(seconds=40)
    world.claim()
    world.wait(seconds=3)
    found = presence.standing(world.store, world.now)
    assert [wait.total_seconds() for wait in found.waits.values()] == [43]
    assert (found.leases, found.oldest_lease.total_seconds(), found.longest_silence.total_seconds()) == (1, 3, 3)
