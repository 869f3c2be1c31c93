"""Pause, resume, cancel, other rules: what happens to blocks, deals, seeds and rating numbers."""

import pytest
from cupsteps import (
    FOUR,
    cancel,
    change_rules,
    enter,
    matches_of,
    pause,
    pending,
    play,
    refused,
    resume,
    state,
    withdraw,
)
from playing import older_wins
from sqlalchemy import text

from arena.core.errors import LeaseLost, PermissionDenied
from arena.services import dispatch, ratings, tournaments
from arena.store.states import MatchState, Role, TournamentState


def test_a_paused_tournament_queues_nothing_and_gives_its_rating_numbers_back(world):
    world.started("cup", *FOUR)
    play(world, 2)
    assert pause(world).state is TournamentState.PAUSED
    assert pause(world).state is TournamentState.PAUSED
    assert world.claim() is None
    assert pending(world) == 0


def test_a_block_in_play_at_the_pause_is_played_to_its_end_and_counts(world):
    world.started("cup", "ada", "bert", "cleo")
    claim = world.claim()
    pause(world)
    for leg in claim.legs:
        world.record(claim, leg, older_wins(leg))
    assert tournaments.progress(world.store, "cup").counts.finished == 2
    assert pending(world) == 0


def test_a_block_lost_or_handed_back_during_a_pause_is_held(world):
    world.started("cup", "ada", "bert", "cleo")
    lost, released = world.claim(), world.claim()
    pause(world)
    dispatch.release(world.store, released.block_id, released.attempt, world.now)
    world.wait(minutes=5)
    expired = dispatch.expire(world.store, world.now)
    assert (expired.lost, expired.requeued) == (1, 0)
    assert world.claim() is None
    assert pending(world) == 0
    resume(world)
    assert {claim.block_id for claim in world.claim_all()} >= {lost.block_id, released.block_id}


def test_resuming_queues_the_rest_behind_all_other_rating_numbers(world):
    world.started("cup", "ada", "bert")
    pause(world)
    world.started("other", "ada", "bert")
    assert resume(world).state is TournamentState.RUNNING
    numbers = {name: [match.rating_seq for match in matches_of(world, name)] for name in ("cup", "other")}
    assert min(numbers["cup"]) > max(numbers["other"])
    world.play_all()
    assert state(world) is TournamentState.FINISHED


def test_results_of_others_do_not_wait_for_a_paused_tournament(world):
    world.started("cup", "ada", "bert")
    world.started("other", "ada", "bert")
    first = world.claim()
    dispatch.release(world.store, first.block_id, first.attempt, world.now)
    claims = world.claim_all()
    later = next(claim for claim in claims if claim.tournament == "other")
    for leg in later.legs:
        assert world.record(later, leg, older_wins(leg)).folded == 0
    earlier = next(claim for claim in claims if claim.tournament == "cup")
    pause(world)
    assert pending(world) == 8  # the block of cup is being played and keeps its numbers
    dispatch.release(world.store, earlier.block_id, earlier.attempt, world.now)
    assert pending(world) == 0
    assert {row.matches for row in ratings.leaderboard(world.store, 1).items} == {2}


def test_a_cancelled_tournament_keeps_what_was_played_and_opens_everything(world):
    world.started("cup", "ada", "bert", "cleo", deals=2)
    play(world, 1)
    claim = world.claim()
    world.record(claim, claim.legs[0], older_wins(claim.legs[0]))
    assert cancel(world).state is TournamentState.CANCELLED
    assert cancel(world).state is TournamentState.CANCELLED
    with pytest.raises(LeaseLost):
        dispatch.heartbeat(world.store, claim.block_id, claim.attempt, world.now)
    with pytest.raises(LeaseLost):
        world.record(claim, claim.legs[1], older_wins(claim.legs[1]))
    assert world.claim() is None
    ended = matches_of(world)
    assert [match.state for match in ended].count(MatchState.FINAL) == 3
    assert [match.state for match in ended].count(MatchState.CANCELLED) == 9
    assert {match.rating_seq is None for match in ended if match.state is MatchState.CANCELLED} == {True}
    assert all(deal.seed is not None for deal in tournaments.list_deals(world.store, "cup").items)
    assert tournaments.get(world.store, "cup").secret
    assert pending(world) == 0


def test_what_waited_for_a_cancelled_tournament_is_rated(world):
    world.started("cup", "ada", "bert")
    world.started("other", "ada", "bert")
    claims = {claim.tournament: claim for claim in world.claim_all()}
    for leg in claims["other"].legs:
        world.record(claims["other"], leg, older_wins(leg))
    assert {row.matches for row in ratings.leaderboard(world.store, 1).items} == {0}
    cancel(world)
    assert {row.matches for row in ratings.leaderboard(world.store, 1).items} == {2}


def test_what_is_over_or_not_begun_is_refused(world):
    world.create("cup")
    refused("NOT_STARTED", pause, world)
    refused("NOT_STARTED", resume, world)
    cancel(world)
    for change in (pause, resume):
        assert "cancelled" in refused("TOURNAMENT_OVER", change, world)
    world.started("done", "ada", "bert")
    world.play_all()
    refused("TOURNAMENT_OVER", cancel, world, "done")
    refused("TOURNAMENT_OVER", withdraw, world, "ada", "done")
    refused("NO_SUCH_TOURNAMENT", pause, world, "none")


def test_only_the_organiser_and_admins_pause_resume_and_cancel(world):
    olaf, otto = world.account("olaf", Role.ORGANISER), world.account("otto", Role.ORGANISER)
    tournaments.create(world.store, olaf, world.now, name="cup", game="first-snow", entropy=world.entropy)
    with pytest.raises(PermissionDenied):
        tournaments.cancel(world.store, otto, "cup", world.now)
    assert tournaments.cancel(world.store, olaf, "cup", world.now).state is TournamentState.CANCELLED


def test_under_other_rules_nothing_goes_on_and_the_way_out_is_told(world):
    world.started("cup", "ada", "bert", deals=2)
    play(world, 1)
    change_rules(world)
    assert world.claim() is None
    (obstacle,) = tournaments.progress(world.store, "cup", world.now).obstacles
    assert "rules version 1 here, not 2" in obstacle.message
    assert "arena tournament cancel cup" in obstacle.message
    world.submit("cleo")
    refused("RULES_CHANGED", enter, world, "cleo")
    pause(world)
    refused("RULES_CHANGED", resume, world)
    assert cancel(world).state is TournamentState.CANCELLED


def test_other_components_are_refused_like_other_rules(world):
    world.started("cup", "ada", "bert")
    with world.store.write() as tx:
        tx.execute(text("UPDATE pools SET components_digest = 'other'"))
    assert world.claim() is None
    pause(world)
    assert "other components" in refused("RULES_CHANGED", resume, world)


def test_a_tournament_under_other_rules_keeps_no_other_one_waiting(world):
    world.started("cup", "ada", "bert")
    world.started("fall", "ada", "bert", game="icefall")
    change_rules(world)
    assert world.claim().tournament == "fall"


def test_obstacles_name_the_missing_worker_lost_blocks_and_aborted_matches(world):
    world.started("cup", "ada", "bert", "cleo")
    assert tournaments.progress(world.store, "cup", world.now).obstacles == ()
    (quiet,) = tournaments.progress(world.store, "cup", world.wait(minutes=5)).obstacles
    assert "none was ever heard of" in quiet.message
    claim = world.claim()
    for _ in range(3):
        dispatch.give_up(
            world.store, claim.block_id, claim.attempt, world.now, match_id=claim.legs[0].match_id, reason="no sandbox"
        )
        told = [one.message for one in tournaments.progress(world.store, "cup", world.wait(seconds=20)).obstacles]
        assert any("no sandbox" in one for one in told)
        claim = next(one for one in world.claim_all() if one.block_id == claim.block_id)
    assert any("stays without a result" in one for one in told)
