"""Who may come to the lobby, with which version, and whose place is free again."""

import pytest
from lobbying import SECOND

from arena.core.errors import Conflict, NotFound, PermissionDenied, Unavailable, UsageError
from arena.services import lobby, submissions, tournaments
from arena.services.lobby import DEAD_AFTER
from arena.store.states import VersionState


def test_the_same_files_are_the_same_version_and_others_the_next(hall, world):
    first = hall.register("far")
    assert (first.label, first.remote, first.state) == ("far@1", True, VersionState.ACCEPTED)
    assert hall.register("far").label == "far@1"
    assert hall.register("far", sha="b").label == "far@2"


def test_files_may_be_submitted_and_connected_and_are_two_versions(hall, world):
    world.submit("both")
    assert hall.register("both").label == "both@2"
    assert submissions.get_version(world.store, "both").remote


def test_a_name_alone_means_the_hosted_version_although_a_remote_one_is_newer(hall, world):
    world.submit("both")
    world.submit("other")
    hall.register("both")
    world.create("cup", "both", "other")
    assert [one.version for one in tournaments.entrants(world.store, "cup")] == [1, 1]


def test_a_bot_of_somebody_else_can_neither_be_registered_nor_connected(hall, world):
    hall.register("far")
    bob = world.account("bob")
    with pytest.raises(Conflict, match="belongs to admin"):
        hall.register("far", bob, "b")
    with pytest.raises(PermissionDenied, match="far@1 is admin's"):
        hall.enter("far", caller=bob)


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"session": "short"}, "BAD_SESSION"),
        ({"places": -1}, "BAD_PLACES"),
        ({"places": lobby.MAX_PLACES + 1}, "BAD_PLACES"),
    ],
)
def test_an_entry_that_makes_no_sense_is_refused(hall, wrong, code):
    hall.register("far")
    with pytest.raises(UsageError) as caught:
        hall.enter("far", **wrong)
    assert caught.value.code == code


def test_only_a_registered_version_can_wait(hall, world):
    world.submit("near")
    with pytest.raises(Conflict, match="near@1 is hosted by the arena"):
        hall.enter("near")
    with pytest.raises(NotFound):
        hall.enter("nobody")


def test_another_program_is_refused_while_the_first_one_is_there(hall, challenge):
    hall.enter("far")
    with pytest.raises(Conflict, match="in the lobby already"):
        hall.enter("far", session="f" * 16, stream="other")


def test_the_place_of_a_desk_that_died_can_be_taken(hall, challenge, world):
    hall.enter("far")
    hall.wait(DEAD_AFTER + SECOND, beating=False)
    assert hall.queued() == 0
    hall.desk = lobby.open_desk(world.store, world.now)
    hall.enter("far", session="f" * 16, stream="other")
    assert hall.queued() == 2


def test_nobody_sits_down_at_a_desk_that_is_gone_or_at_anothers(hall, world):
    hall.register("far")
    gone = hall.desk
    lobby.close_desk(world.store, gone, world.now)
    assert lobby.open_desk(world.store, world.now) != gone
    with pytest.raises(Unavailable) as caught:
        hall.enter("far")
    assert caught.value.code == lobby.DESK_LOST
    assert lobby.beat(world.store, gone, world.now) is False


def test_a_desk_taken_for_dead_is_told_so(hall, challenge, world):
    other = lobby.open_desk(world.store, world.now)
    hall.wait(DEAD_AFTER + SECOND, beating=False)
    assert lobby.beat(world.store, hall.desk, world.now) is False
    assert lobby.beat(world.store, other, world.now) is False
