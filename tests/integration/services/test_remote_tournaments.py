"""Tournaments with remote bots: their deals, their pool, who may enter, who is waited for."""

import pytest
from playing import finished

from arena.core.errors import Conflict, UsageError
from arena.services import dispatch, ratings, tournaments
from arena.store import matches
from arena.store.matches import MatchFilter
from arena.store.states import Format


def test_a_remote_tournament_gives_every_match_a_deal_of_its_own_and_a_pool_of_its_own(hall, world):
    hall.register("far")
    for name in ("near", "next"):
        world.submit(name)
    made = world.started("far-cup", "far", "near", "next", deals=2, remote=True)
    hosted = world.started("cup", "near", "next")
    assert (made.remote, hosted.remote) == (True, False)
    assert made.pool_id != hosted.pool_id
    with world.store.read() as tx:
        played = matches.page_matches(tx, MatchFilter(tournament="far-cup"), 100, "").items
    assert len(played) == 12  # 3 pairs, 2 rounds, both seat orders
    assert sorted(one.deal for one in played) == list(range(1, 13))
    assert {one.leg for one in played} == {1}
    orders = {tuple(seat.bot for seat in one.seats) for one in played}
    assert len(orders) == 6


def test_matches_of_hosted_bots_alone_need_no_public_worker(hall, world):
    hall.register("far")
    for name in ("near", "next"):
        world.submit(name)
    world.started("far-cup", "far", "near", "next", remote=True)
    assert dispatch.count_queued(world.store, world.now) == 2
    hall.enter("far", places=9)
    assert hall.queued() == 4


def test_results_with_a_remote_seat_change_ratings_of_their_pool_only(hall, world):
    hall.register("far")
    world.submit("near")
    made = world.started("far-cup", "far", "near", remote=True)
    hall.enter("far", places=9)
    while (claim := hall.claim()) is not None:
        world.record(claim, claim.legs[0], finished(1, 2))
    pools = ratings.list_pools(world.store).items
    assert [(pool.id, pool.remote) for pool in pools] == [(made.pool_id, True)]


@pytest.mark.parametrize(
    ("options", "error", "code"),
    [
        ({}, Conflict, "REMOTE_VERSION"),
        ({"remote": True, "clock": "none"}, UsageError, "NEEDS_CLOCK"),
        ({"remote": True, "format": Format.LADDER}, UsageError, "BAD_FORMAT"),
    ],
)
def test_a_tournament_that_cannot_have_a_remote_bot_says_why(hall, world, options, error, code):
    hall.register("far")
    world.submit("near")
    with pytest.raises(error) as caught:
        world.create("cup", "far", "near", **options)
    assert caught.value.code == code


def test_a_remote_bot_enters_an_open_remote_tournament_before_its_start_only(hall, world):
    hall.register("far")
    hall.register("late")
    world.submit("near")
    world.create("cup", remote=True)
    for bot in ("far", "near"):
        tournaments.enter(world.store, world.admin, world.now, tournament="cup", bot=bot)
    tournaments.start(world.store, world.admin, "cup", world.now)
    with pytest.raises(Conflict, match="take nobody late"):
        tournaments.enter(world.store, world.admin, world.now, tournament="cup", bot="late")


def test_an_absent_bot_is_named_while_its_matches_wait(hall, world):
    hall.register("far")
    world.submit("near")
    world.started("cup", "far", "near", remote=True)
    told = [one.message for one in tournaments.progress(world.store, "cup", world.now).obstacles]
    assert told == ["far@1 is not in the lobby; its author has to `arena connect` it"]
    hall.enter("far")
    assert tournaments.progress(world.store, "cup", world.now).obstacles == ()
