"""The lobby on the database: who is there, which blocks can be played with them, who is called to which seat."""

from datetime import timedelta

import pytest
from playing import finished

from arena.core.errors import Conflict, NotFound, PermissionDenied, UsageError
from arena.services import dispatch, lobby, ratings, requests, submissions, tournaments
from arena.services.lobby import BEAT, DEAD_AFTER, PATIENCE
from arena.store import matches
from arena.store.matches import MatchFilter
from arena.store.states import Format, Queue, VersionState

MANIFEST = 'name = "{}"\ngames = ["*"]\n'
SESSION = "0123456789abcdef"
SECOND = timedelta(seconds=1)


class Hall:
    """A desk, and versions that wait there; every call is the world's own time."""

    def __init__(self, world):
        self.world = world
        self.desk = lobby.open_desk(world.store, world.now)

    def register(self, name, caller=None, sha="a"):
        return lobby.register(
            self.world.store, caller or self.world.admin, MANIFEST.format(name), sha * 64, self.world.now
        ).version

    def enter(self, bot, places=1, *, stream="", session=SESSION, caller=None, **rest):
        return lobby.enter(
            self.world.store, caller or self.world.admin, self.world.now,
            desk=self.desk, stream=stream or f"stream of {bot}", session=session, bot=bot, version=1, places=places,
            **rest,
        )  # fmt: skip

    def queued(self):
        return dispatch.count_queued(self.world.store, self.world.now, Queue.REMOTE)

    def claim(self):
        return dispatch.claim(self.world.store, "w", self.world.now, Queue.REMOTE)

    def called(self):
        """What a look finds that is to be told."""
        return list(lobby.look(self.world.store, self.desk).calls)

    def open_seats(self, claim, address="arena:7443"):
        for leg in claim.legs:
            for seat, one in enumerate(leg.seats):
                if one.remote:
                    lobby.open_seat(
                        self.world.store, claim.block_id, claim.attempt, leg.match_id, seat,
                        address=address, ticket=f"ticket {leg.match_id}.{seat}.{claim.attempt}",
                    )  # fmt: skip

    def wait(self, span, *, beating=True):
        """Let time pass; the desk beats meanwhile, or not."""
        until = self.world.now + span
        while beating and self.world.now + BEAT < until:
            self.world.now += BEAT
            assert lobby.beat(self.world.store, self.desk, self.world.now)
        self.world.now = until


@pytest.fixture
def hall(world):
    return Hall(world)


@pytest.fixture
def challenge(world, hall):
    """A challenge of a remote bot "far" to a hosted bot "near": two matches are queued."""
    hall.register("far")
    world.submit("near")
    return requests.challenge(world.store, world.admin, world.now, challenged=(("far", 0), ("near", 0)))


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


def test_a_block_can_be_claimed_only_while_its_remote_seat_waits(hall, challenge):
    assert (hall.queued(), hall.claim()) == (0, None)
    hall.enter("far")
    assert hall.queued() == 2
    claim = hall.claim()
    assert [seat.remote for seat in claim.legs[0].seats] == [True, False]
    assert (hall.queued(), hall.claim()) == (0, None)  # its one place is taken


def test_hosted_workers_leave_such_blocks_alone(hall, challenge, world):
    hall.enter("far", places=2)
    assert dispatch.claim(world.store, "w", world.now) is None


def test_a_bot_against_itself_needs_two_places(hall, world):
    hall.register("far")
    requests.challenge(world.store, world.admin, world.now, challenged=(("far", 0), ("far", 0)))
    hall.enter("far", places=1)
    assert hall.queued() == 0
    lobby.offer(world.store, 1, "stream of far", 1)
    claim = hall.claim()
    hall.open_seats(claim)
    assert [call.seat for call in hall.called()] == [0, 1]


def test_a_seat_is_called_once_when_it_can_be_taken_and_only_on_its_own_stream(hall, challenge, world):
    bob = world.account("bob")
    hall.register("other", bob)
    hall.enter("other", caller=bob, session="b" * 16)
    hall.enter("far")
    claim = hall.claim()
    assert hall.called() == []
    hall.open_seats(claim)
    (call,) = hall.called()
    assert call.stream == "stream of far"
    assert (call.address, call.ticket) == ("arena:7443", f"ticket {claim.legs[0].match_id}.0.1")
    assert call.bots == ("far@1", "near@1")
    assert call.ticket not in repr(call)
    assert lobby.mark_told(world.store, call)
    assert hall.called() == []


def test_a_stream_that_comes_back_hears_again_of_what_it_does_not_play(hall, challenge, world):
    hall.enter("far")
    hall.open_seats(hall.claim())
    (call,) = hall.called()
    lobby.mark_told(world.store, call)
    hall.enter("far", stream="second", places=1)
    (again,) = hall.called()
    assert (again.stream, again.ticket) == ("second", call.ticket)
    assert hall.claim() is None  # the call uses up the place
    hall.enter("far", stream="third", places=1, playing=[call.id])
    assert hall.called() == []
    assert hall.claim() is not None


def test_a_call_that_another_stream_has_by_now_is_not_told_on_the_old_one(hall, challenge, world):
    hall.enter("far")
    hall.open_seats(hall.claim())
    (call,) = hall.called()
    hall.enter("far", stream="second")
    assert not lobby.mark_told(world.store, call)


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


def test_a_desk_taken_for_dead_is_told_so(hall, challenge, world):
    other = lobby.open_desk(world.store, world.now)
    hall.wait(DEAD_AFTER + SECOND, beating=False)
    assert lobby.beat(world.store, hall.desk, world.now) is False
    assert lobby.beat(world.store, other, world.now) is False


def test_who_leaves_is_not_called_any_more_and_who_withdraws_keeps_what_was_called(hall, challenge, world):
    hall.enter("far", places=2)
    hall.open_seats(hall.claim())
    lobby.withdraw(world.store, 1, "stream of far")
    assert hall.claim() is None
    assert len(hall.called()) == 1
    lobby.leave(world.store, "stream of far", world.now)
    assert hall.called() == []


def test_a_match_waits_for_an_absent_seat_and_is_played_without_it_when_patience_ends(hall, challenge, world):
    hall.wait(PATIENCE - SECOND)
    assert hall.queued() == 0
    hall.wait(2 * SECOND)
    claim = hall.claim()
    assert claim.legs[0].seats[0].remote
    hall.open_seats(claim)
    assert hall.called() == []


def test_who_comes_after_all_is_called_to_the_match_that_waits_no_longer(hall, challenge, world):
    hall.wait(PATIENCE + SECOND)
    hall.open_seats(hall.claim())
    hall.enter("far")
    assert len(hall.called()) == 1


def test_patience_begins_anew_when_somebody_was_there(hall, challenge, world):
    hall.enter("far", places=0)
    hall.wait(PATIENCE / 2)
    lobby.leave(world.store, "stream of far", world.now)
    hall.wait(PATIENCE - SECOND)
    assert hall.queued() == 0
    hall.wait(2 * SECOND)
    assert hall.queued() == 2


def test_who_is_there_and_takes_nothing_is_not_waited_for_for_ever(hall, challenge):
    hall.enter("far", places=0)
    hall.wait(PATIENCE + SECOND)
    assert hall.queued() == 2


def test_who_plays_is_waited_for(hall, challenge, world):
    hall.enter("far", places=1)
    claim = hall.claim()
    hall.wait(3 * SECOND)
    for _ in range(40):  # a long match, whose worker beats
        dispatch.heartbeat(world.store, claim.block_id, claim.attempt, world.now)
        hall.wait(20 * SECOND)
    assert hall.queued() == 0


def test_a_block_that_is_lost_calls_its_seat_anew_and_the_old_call_is_over(hall, challenge, world):
    hall.enter("far", places=2)
    first = hall.claim()
    hall.open_seats(first)
    (call,) = hall.called()
    lobby.mark_told(world.store, call)
    hall.claim()
    dispatch.give_up(
        world.store, first.block_id, first.attempt, world.now, match_id=first.legs[0].match_id, reason="killed"
    )
    board = lobby.look(world.store, hall.desk)
    assert call.id not in board.open
    lobby.offer(world.store, 1, "stream of far", 1)  # its place is free again
    hall.wait(10 * SECOND)
    second = hall.claim()
    assert (second.block_id, second.attempt) == (first.block_id, 2)
    hall.open_seats(second)
    (again,) = hall.called()
    assert again.ticket != call.ticket


def test_a_call_that_nobody_was_told_of_gives_its_place_back(hall, challenge, world):
    hall.enter("far", places=1)
    claim = hall.claim()
    dispatch.release(world.store, claim.block_id, claim.attempt, world.now)
    assert hall.queued() == 0
    assert lobby.beat(world.store, hall.desk, world.now)
    assert hall.queued() == 2


def test_a_call_is_over_when_its_match_has_a_result(hall, challenge, world):
    hall.enter("far")
    claim = hall.claim()
    hall.open_seats(claim)
    world.record(claim, claim.legs[0], finished(1, 2))
    assert lobby.look(world.store, hall.desk).open == {}
    assert lobby.is_finished(world.store, claim.legs[0].match_id)
    lobby.beat(world.store, hall.desk, world.now)
    hall.enter("far", stream="second")
    assert hall.called() == []


# Tournaments


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


# Requests


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
