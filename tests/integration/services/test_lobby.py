"""The lobby on the database: which blocks can be played with those who are there, and who is called to which seat."""

from lobbying import SECOND
from playing import finished

from arena.services import dispatch, lobby, requests
from arena.services.lobby import PATIENCE


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
