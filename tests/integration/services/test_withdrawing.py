"""Withdrawals: which blocks are void, which are played to their end, and who may."""

import pytest
from cupsteps import FOUR, enter, matches_of, pending, state, withdraw
from playing import older_wins

from arena.core.errors import NotFound, PermissionDenied
from arena.services import dispatch, submissions, tournaments
from arena.store.states import MatchState, TournamentState


def test_a_withdrawn_bots_unplayed_blocks_are_void_and_its_played_ones_stay(world):
    world.started("cup", "ada", "bert", "cleo")
    claim = world.claim()
    assert {seat.bot for seat in claim.legs[0].seats} == {"bert", "cleo"}
    for leg in claim.legs:
        world.record(claim, leg, older_wins(leg))
    withdraw(world, "bert")
    withdraw(world, "bert")
    assert {match.state for match in matches_of(world, bot="bert")} == {MatchState.FINAL, MatchState.CANCELLED}
    world.play_all()
    assert state(world) is TournamentState.FINISHED
    table = {row.entrant.bot: row.standing.matches for row in tournaments.standings(world.store, "cup").rows}
    assert table == {"ada": 2, "bert": 2, "cleo": 4}
    assert pending(world) == 0


def test_a_block_of_a_withdrawn_bot_that_has_begun_is_played_to_its_end(world):
    world.started("cup", "ada", "bert")
    claim = world.claim()
    world.record(claim, claim.legs[0], older_wins(claim.legs[0]))
    withdraw(world, "ada")
    dispatch.release(world.store, claim.block_id, claim.attempt, world.now)
    again = world.claim()
    assert [leg.match_id for leg in again.legs] == [claim.legs[1].match_id]
    world.record(again, again.legs[0], older_wins(again.legs[0]))
    assert tournaments.progress(world.store, "cup").counts.finished == 2
    assert state(world) is TournamentState.FINISHED


def test_a_block_in_play_at_the_withdrawal_that_is_handed_back_unplayed_is_void(world):
    world.started("cup", "ada", "bert")
    claim = world.claim()
    withdraw(world, "ada")
    dispatch.release(world.store, claim.block_id, claim.attempt, world.now)
    assert world.claim() is None
    assert state(world) is TournamentState.FINISHED
    assert pending(world) == 0


def test_authors_withdraw_their_own_bots_and_nobody_elses(world):
    alice, bob = world.account("alice"), world.account("bob")
    world.submit("cleo", alice)
    world.started("cup", "ada", "bert", "cleo")
    with pytest.raises(PermissionDenied):
        withdraw(world, "cleo", caller=bob)
    withdraw(world, "cleo", caller=alice)
    with pytest.raises(NotFound):
        withdraw(world, "nobody")


def test_before_the_start_a_withdrawal_takes_the_entry_back(world):
    for bot in FOUR:
        world.submit(bot)
    world.create("cup", *FOUR)
    withdraw(world, "ada")
    assert [one.bot for one in tournaments.entrants(world.store, "cup")] == ["bert", "cleo", "dora"]
    enter(world, "ada")
    assert [one.bot for one in tournaments.entrants(world.store, "cup")][-1] == "ada"


def test_a_version_set_aside_is_withdrawn_everywhere(world):
    world.started("cup", *FOUR[:3])
    world.started("cold", *FOUR[:3])
    world.create("soon", *FOUR[:3])
    version = submissions.get_version(world.store, "ada").id
    with world.store.write() as tx:
        assert tournaments.set_aside(tx, version, world.now) == ("cup", "cold", "soon")
    with world.store.write() as tx:
        assert tournaments.set_aside(tx, version, world.now) == ()
    assert "ada" not in [one.bot for one in tournaments.entrants(world.store, "soon")]
    world.play_all()
    for name in ("cup", "cold"):
        assert tournaments.progress(world.store, name).counts.finished == 2
        assert state(world, name) is TournamentState.FINISHED
