"""Matches with remote seats and guests that are asked for by hand."""

import pytest
from playing import finished

from arena.core.errors import Conflict, PermissionDenied
from arena.services import requests, submissions


def test_a_match_with_a_remote_seat_cannot_be_repeated(hall, challenge, world):
    hall.enter("far")
    claim = hall.claim()
    world.record(claim, claim.legs[0], finished(1, 2))
    with pytest.raises(Conflict) as caught:
        requests.reproduce(world.store, world.admin, world.now, match_id=claim.legs[0].match_id)
    assert caught.value.code == "REMOTE_VERSION"


def test_a_guest_is_the_caller_and_nobody_else_can_take_its_seat(hall, world):
    ada, bob = world.account("ada"), world.account("bob")
    world.submit("near")
    made = requests.challenge(world.store, ada, world.now, challenged=(None, ("near", 0)), game="first-snow")
    assert not made.tournament.rated
    hall.enter("", guest=True, caller=bob, stream="bob's")
    assert hall.queued() == 0
    hall.enter("", guest=True, caller=ada, stream="ada's")
    hall.open_seats(hall.claim())
    (call,) = hall.called()
    assert (call.stream, call.bots[call.seat]) == ("ada's", "(ada in person)@1")


def test_guests_may_have_more_time_than_bots(hall, world):
    ada = world.account("ada")
    world.submit("near", ada)
    slow = "10m+10s,start=60s,margin=500ms"
    requests.challenge(world.store, ada, world.now, challenged=(None, ("near", 0)), game="first-snow", clock=slow)
    with pytest.raises(PermissionDenied):
        requests.challenge(world.store, ada, world.now, challenged=(("near", 0),) * 2, game="first-snow", clock=slow)
    with pytest.raises(PermissionDenied):
        requests.challenge(
            world.store, ada, world.now, challenged=(None, ("near", 0)), game="first-snow", clock="31m+0s"
        )


def test_guests_are_no_bots_of_a_listing(hall, world):
    requests.challenge(world.store, world.admin, world.now, challenged=(None, None), game="first-snow")
    assert submissions.list_bots(world.store).items == ()
