from datetime import timedelta

import pytest
from playing import finished, older_wins

from arena.core.errors import LeaseLost
from arena.match.result import MatchEnd
from arena.services import dispatch, matches, tournaments
from arena.services.dispatch import HEARTBEAT, LEASE, MAX_LOST, RETRY_DELAY, STALL_GRACE, LegProgress
from arena.store.states import MatchState, Queue, TournamentState


def lose(world, claim):
    """Let a claim's lease run out, and wait until its block may be claimed again."""
    world.now = claim.lease_until + timedelta(milliseconds=1)
    expired = dispatch.expire(world.store, world.now)
    world.now += 2 * MAX_LOST * RETRY_DELAY
    return expired


def test_a_claim_brings_everything_a_worker_needs(world):
    tournament = world.started("cup", "ada", "bert", clock="2s+0.1s")
    claim = world.claim()
    assert (claim.game, claim.variant, claim.attempt) == ("first-snow", tournament.variant, 1)
    assert (claim.clock, claim.components, claim.queue) == ("2s+0.1s,start=10s,margin=50ms", "", Queue.HOSTED)
    assert [leg.leg for leg in claim.legs] == [1, 2]
    assert [[seat.bot for seat in leg.seats] for leg in claim.legs] in (
        [["ada", "bert"], ["bert", "ada"]],
        [["bert", "ada"], ["ada", "bert"]],
    )
    assert {len(leg.seed) for leg in claim.legs} == {16}
    assert 'name = "ada"' in next(seat for seat in claim.legs[0].seats if seat.bot == "ada").manifest


def test_both_legs_of_a_block_have_the_seed_of_their_deal(world):
    world.started("cup", "ada", "bert", "cleo", deals=2)
    seeds = [leg.seed for claim in world.claim_all() for leg in claim.legs]
    assert len(set(seeds[:6])) == 1
    assert len(set(seeds[6:])) == 1
    assert seeds[0] != seeds[6]


def test_blocks_are_claimed_deal_after_deal_and_never_twice(world):
    world.started("cup", "ada", "bert", "cleo", deals=2)
    claims = world.claim_all()
    ids = [claim.block_id for claim in claims]
    assert ids == sorted(set(ids))
    deals = [matches.get_match(world.store, claim.legs[0].match_id).deal for claim in claims]
    assert deals == [1, 1, 1, 2, 2, 2]
    assert dispatch.count_queued(world.store, world.now) == 0


def test_a_claimed_block_is_no_longer_counted_as_queued(world):
    world.started("cup", "ada", "bert", "cleo")
    assert dispatch.count_queued(world.store, world.now) == 3
    world.claim()
    assert dispatch.count_queued(world.store, world.now) == 2


def test_blocks_of_another_queue_are_left_alone(world):
    world.started("cup", "ada", "bert")
    assert dispatch.claim(world.store, "w", world.now, Queue.REMOTE) is None


def test_heartbeats_keep_a_lease_alive(world):
    world.started("cup", "ada", "bert")
    claim = world.claim()
    for _ in range(20):
        world.wait(seconds=HEARTBEAT.total_seconds())
        until = dispatch.heartbeat(world.store, claim.block_id, claim.attempt, world.now)
        assert until == world.now + LEASE
        assert dispatch.expire(world.store, world.now).lost == 0


def test_an_expired_lease_requeues_the_block_after_a_delay(world):
    world.started("cup", "ada", "bert")
    claim = world.claim()
    world.now = claim.lease_until + timedelta(milliseconds=1)
    expired = dispatch.expire(world.store, world.now)
    assert (expired.lost, expired.requeued, expired.aborted) == (1, 1, 0)
    assert world.claim() is None
    world.now += RETRY_DELAY
    again = world.claim()
    assert (again.block_id, again.attempt) == (claim.block_id, 2)


def test_only_the_legs_without_a_result_are_played_again(world):
    world.started("cup", "ada", "bert")
    claim = world.claim()
    world.record(claim, claim.legs[0], older_wins(claim.legs[0]))
    lose(world, dispatch_claim_with_lease(world, claim))
    assert world.claim().legs == claim.legs[1:]


def dispatch_claim_with_lease(world, claim):
    """The claim as it stands after a record prolonged its lease."""
    until = dispatch.heartbeat(world.store, claim.block_id, claim.attempt, world.now)
    return type(claim)(**{name: getattr(claim, name) for name in claim.__slots__} | {"lease_until": until})


def test_a_ply_that_stands_still_past_its_deadline_loses_the_attempt_in_spite_of_heartbeats(world):
    world.started("cup", "ada", "bert")
    claim = world.claim()
    deadline = world.now + timedelta(seconds=8)
    lost_at = None
    while lost_at is None:
        world.wait(seconds=HEARTBEAT.total_seconds())
        # The worker is stuck and keeps promising a new deadline for the same ply.
        progress = LegProgress(claim.legs[0].match_id, 7, max(deadline, world.now + timedelta(seconds=8)))
        dispatch.heartbeat(world.store, claim.block_id, claim.attempt, world.now, progress)
        if dispatch.expire(world.store, world.now).lost:
            lost_at = world.now
    assert lost_at - deadline <= STALL_GRACE + 2 * HEARTBEAT + timedelta(seconds=8)


def test_a_ply_that_moves_on_keeps_its_attempt(world):
    world.started("cup", "ada", "bert")
    claim = world.claim()
    for ply in range(20):
        world.wait(seconds=HEARTBEAT.total_seconds())
        progress = LegProgress(claim.legs[0].match_id, ply, world.now + timedelta(seconds=3))
        dispatch.heartbeat(world.store, claim.block_id, claim.attempt, world.now, progress)
        assert dispatch.expire(world.store, world.now).lost == 0


def test_a_worker_whose_lease_was_lost_is_told_at_its_next_heartbeat(world):
    world.started("cup", "ada", "bert")
    claim = world.claim()
    lose(world, claim)
    with pytest.raises(LeaseLost):
        dispatch.heartbeat(world.store, claim.block_id, claim.attempt, world.now)


def test_a_released_block_can_be_claimed_at_once_and_counts_no_loss(world):
    world.started("cup", "ada", "bert")
    for attempt in range(1, 2 * MAX_LOST):
        claim = world.claim()
        assert claim.attempt == attempt
        dispatch.release(world.store, claim.block_id, claim.attempt, world.now)
    assert world.claim() is not None


def test_a_match_lost_three_times_is_aborted_and_the_other_leg_still_played(world):
    world.started("cup", "ada", "bert")
    for _ in range(MAX_LOST):
        claim = world.claim()
        poisonous = claim.legs[0].match_id
        dispatch.heartbeat(world.store, claim.block_id, claim.attempt, world.now, LegProgress(poisonous, 3, None))
        expired = lose(world, claim)
    assert (expired.aborted, expired.requeued) == (1, 1)
    aborted = matches.get_match(world.store, poisonous)
    assert (aborted.state, aborted.end) == (MatchState.FINAL, MatchEnd.ABORTED)
    assert "lost attempts" in aborted.reason
    last = world.claim()
    assert [leg.leg for leg in last.legs] == [2]
    world.record(last, last.legs[0], older_wins(last.legs[0]))
    progress = tournaments.progress(world.store, "cup")
    assert progress.tournament.state is TournamentState.FINISHED
    assert (progress.counts.finished, progress.counts.without_result) == (1, 1)


def test_a_block_whose_every_match_is_poisonous_ends_and_does_not_block_the_queue(world):
    world.started("cup", "ada", "bert", "cleo")
    first = world.claim()
    claim = first
    while claim is not None and claim.block_id == first.block_id:
        lose(world, claim)
        claim = world.claim()
    assert claim.attempt == 1
    world.record(claim, claim.legs[0], older_wins(claim.legs[0]))
    world.record(claim, claim.legs[1], older_wins(claim.legs[1]))
    world.play_all()
    assert tournaments.get(world.store, "cup").state is TournamentState.FINISHED


def test_giving_up_names_the_reason_when_the_match_is_aborted(world):
    world.started("cup", "ada", "bert")
    for _ in range(MAX_LOST):
        claim = world.claim()
        match_id = claim.legs[0].match_id
        dispatch.give_up(
            world.store, claim.block_id, claim.attempt, world.now, match_id=match_id, reason="no sandbox here"
        )
        world.now += MAX_LOST * RETRY_DELAY
    assert "no sandbox here" in matches.get_match(world.store, match_id).reason


def test_expiry_run_twice_at_once_loses_an_attempt_once(world):
    world.started("cup", "ada", "bert")
    claim = world.claim()
    world.now = claim.lease_until + timedelta(milliseconds=1)
    assert dispatch.expire(world.store, world.now).lost == 1
    assert dispatch.expire(world.store, world.now).lost == 0


def test_a_match_that_is_being_played_is_shown_as_running(world):
    world.started("cup", "ada", "bert")
    claim = world.claim()
    match_id = claim.legs[1].match_id
    dispatch.heartbeat(world.store, claim.block_id, claim.attempt, world.now, LegProgress(match_id, 3, None))
    assert matches.get_match(world.store, match_id).running
    assert [match.id for match in matches.list_matches(world.store, running=True).items] == [match_id]
    counts = tournaments.progress(world.store, "cup").counts
    assert (counts.queued, counts.running) == (1, 1)


def test_a_result_of_seats_that_do_not_exist_is_refused(world):
    world.started("cup", "ada", "bert")
    claim = world.claim()
    with pytest.raises(Exception, match=r"2 seats") as caught:
        world.record(claim, claim.legs[0], finished(1, 2, 3))
    assert caught.value.code == "BAD_RESULT"


def test_an_arena_that_begins_anew_takes_up_at_once_what_the_last_one_left_and_counts_the_loss(world):
    world.started("cup", "ada", "bert", "cleo")
    left = [world.claim(), world.claim()]
    assert dispatch.end_all(world.store, world.now, "the power was cut").lost == 2
    again = world.claim_all()
    assert [(claim.block_id, claim.attempt) for claim in again[:2]] == [(claim.block_id, 2) for claim in left]
    with pytest.raises(LeaseLost):
        dispatch.heartbeat(world.store, left[0].block_id, 1, world.now)


def test_a_match_that_ends_the_arena_again_and_again_is_aborted(world):
    world.started("cup", "ada", "bert")
    for _ in range(MAX_LOST):
        assert world.claim() is not None
        ended = dispatch.end_all(world.store, world.now, "the power was cut")
    assert ended.aborted == 1
    assert matches.get_match(world.store, 1).end is MatchEnd.ABORTED
    assert [leg.leg for leg in world.claim().legs] == [2]
