from hashlib import sha256

import pytest
from playing import finished

from arena.core.errors import NotFound, PermissionDenied
from arena.services import matches
from arena.store.states import MatchState


@pytest.fixture
def half_played(world):
    """Three bots on one deal, one of them alice's; the first block is played."""
    world.alice = world.account("alice")
    world.submit("ada", world.alice)
    world.started("cup", "ada", "bert", "cleo")
    claim = next(claim for claim in world.claim_all() if {"ada", "bert"} == {s.bot for s in claim.legs[0].seats})
    for leg in claim.legs:
        world.record_whole(claim, leg, finished(1, 2))
    world.leg = claim.legs[0]
    world.seat_of_ada = [seat.bot for seat in world.leg.seats].index("ada")
    return world


def finish(world):
    """Lose the remaining claims and play their blocks."""
    world.wait(seconds=3600)
    from arena.services import dispatch

    dispatch.expire(world.store, world.now)
    world.wait(seconds=3600)
    world.play_all()


def test_log_output_and_digest_stay_closed_to_everybody_while_the_deal_is_played(half_played):
    world = half_played
    match_id = world.leg.match_id
    with pytest.raises(PermissionDenied) as log:
        matches.get_log(world.store, match_id)
    for caller in (world.alice, world.admin):
        with pytest.raises(PermissionDenied) as output:
            matches.get_seat_record(world.store, caller, match_id, world.seat_of_ada)
        assert output.value.code == "DEAL_CLOSED"
    assert log.value.code == "DEAL_CLOSED"
    assert matches.get_match(world.store, match_id).log_sha256 == ""


def test_a_closed_deal_says_the_same_of_matches_that_are_not_over(half_played):
    waiting = matches.list_matches(half_played.store, state=MatchState.SCHEDULED).items[0]
    with pytest.raises(PermissionDenied) as caught:
        matches.get_log(half_played.store, waiting.id)
    assert caught.value.code == "DEAL_CLOSED"


def test_an_open_deal_shows_log_and_digest_to_everybody(half_played):
    world = half_played
    finish(world)
    log = matches.get_log(world.store, world.leg.match_id)
    assert log.content == f"log of {world.leg.match_id}\n".encode()
    assert log.sha256 == sha256(log.content).hexdigest()
    assert matches.get_match(world.store, world.leg.match_id).log_sha256 == log.sha256


def test_output_and_times_are_the_authors_and_the_admins(half_played):
    world = half_played
    finish(world)
    match_id, seat = world.leg.match_id, world.seat_of_ada
    for caller in (world.alice, world.admin):
        record = matches.get_seat_record(world.store, caller, match_id, seat)
        assert record.output.output == f"seat {seat} of {match_id}".encode()
        assert record.times.think_ms == (3, 5 + seat)
        assert record.times.charged_ms == (0, 1)
    with pytest.raises(PermissionDenied) as caught:
        matches.get_seat_record(world.store, world.alice, match_id, 1 - seat)
    assert caught.value.code == "NOT_YOURS"


def test_what_does_not_exist_is_not_found(half_played):
    world = half_played
    for ask in (
        lambda: matches.get_match(world.store, 999),
        lambda: matches.get_log(world.store, 999),
        lambda: matches.get_seat_record(world.store, world.admin, world.leg.match_id, 2),
        lambda: matches.list_matches(world.store, tournament="no-cup"),
        lambda: matches.list_matches(world.store, bot="nobody"),
    ):
        with pytest.raises(NotFound):
            ask()


def test_a_match_recorded_without_output_says_so_once_it_is_open(world):
    world.started("cup", "ada", "bert")
    claim = world.claim()
    for leg in claim.legs:
        world.record(claim, leg, finished(1, 2))
    with pytest.raises(NotFound) as caught:
        matches.get_seat_record(world.store, world.admin, claim.legs[0].match_id, 0)
    assert caught.value.code == "NO_OUTPUT"


def test_matches_are_listed_newest_first_page_by_page(half_played):
    store = half_played.store
    ids, token = [], ""
    while True:
        page = matches.list_matches(store, tournament="cup", page_size=4, page_token=token)
        ids.extend(match.id for match in page.items)
        token = page.next_page_token
        if not token:
            break
    assert ids == sorted(ids, reverse=True)
    assert len(ids) == 6


def test_matches_are_filtered_by_every_fact(half_played):
    store = half_played.store

    def count(**filters):
        return len(matches.list_matches(store, **filters).items)

    assert (count(bot="ada"), count(bot="cleo"), count(game="icefall"), count(game="first-snow")) == (4, 4, 0, 6)
    assert (count(state=MatchState.FINAL), count(state=MatchState.SCHEDULED)) == (2, 4)
    assert (count(running=True), count(running=False)) == (2, 2)  # the first matches of two blocks that are claimed
    assert count(bot="ada", state=MatchState.FINAL, tournament="cup", game="first-snow") == 2
