"""Late entries: what a tournament that has begun deals to those who come, and whom it takes."""

import pytest
from cupsteps import FOUR, enter, matches_of, pause, pending, play, refused, resume, state, withdraw
from playing import older_wins

from arena.core.errors import Conflict
from arena.services import tournaments
from arena.store.states import Format, MatchState, TournamentState


def test_a_late_entrant_plays_the_deals_of_which_nothing_has_begun(world):
    world.started("cup", "ada", "bert", "cleo", deals=3)
    claim = world.claim()
    seeds = {deal.number: deal for deal in tournaments.list_deals(world.store, "cup").items}
    world.submit("dora")
    late = enter(world, "dora")
    assert (late.late, late.first_deal) == (True, 2)
    for leg in claim.legs:
        world.record(claim, leg, older_wins(leg))
    assert {match.deal for match in matches_of(world, bot="dora")} == {2, 3}
    world.play_all()
    assert len(matches_of(world)) == 6 + 2 * 12
    assert {match.state for match in matches_of(world)} == {MatchState.FINAL}
    assert state(world) is TournamentState.FINISHED
    assert set(seeds) == {1, 2, 3}
    assert pending(world) == 0


def test_a_late_entrant_of_a_gauntlet_meets_the_heads_only(world):
    for bot in FOUR:
        world.submit(bot)
    world.create("cup", "cleo", "dora", format=Format.GAUNTLET, heads=(("ada", 0), ("bert", 0)), deals=2)
    tournaments.start(world.store, world.admin, "cup", world.now)
    play(world, 1)
    world.submit("emil")
    assert enter(world, "emil").first_deal == 2
    world.play_all()
    met = {seat.bot for match in matches_of(world, bot="emil") for seat in match.seats} - {"emil"}
    assert met == {"ada", "bert"}
    assert state(world) is TournamentState.FINISHED


def test_a_late_entrant_of_a_tournament_of_three_seats_is_in_groups_with_all_others(world):
    world.started("cup", *FOUR, game="icefall", seats=3, deals=3)
    play(world, 1)
    world.submit("emil")
    enter(world, "emil")
    world.play_all()
    groups = [{seat.bot for seat in match.seats} for match in matches_of(world, bot="emil")]
    assert set().union(*groups) == {*FOUR, "emil"}
    assert {match.deal for match in matches_of(world, bot="emil")} == {2, 3}
    assert state(world) is TournamentState.FINISHED


def test_a_late_entry_keeps_the_schedule_deal_after_deal(world):
    world.started("cup", "ada", "bert", "cleo", deals=3)
    claim = world.claim()
    world.submit("dora")
    enter(world, "dora")
    played = [claim.legs[0].match_id] + [one.legs[0].match_id for one in world.claim_all()]
    deals = {match.id: match.deal for match in matches_of(world)}
    assert [deals[match_id] for match_id in played] == sorted(deals[match_id] for match_id in played)


def test_a_late_entrant_of_a_paused_tournament_waits_with_the_others(world):
    world.started("cup", "ada", "bert", "cleo", deals=2)
    play(world, 1)
    pause(world)
    world.submit("dora")
    enter(world, "dora")
    assert world.claim() is None
    assert pending(world) == 0
    resume(world)
    world.play_all()
    assert state(world) is TournamentState.FINISHED
    assert len(matches_of(world)) == 6 + 12


def test_nobody_enters_when_every_deal_has_begun_or_twice_or_after_a_withdrawal(world):
    world.started("cup", "ada", "bert", "cleo", deals=2)
    world.submit("dora")
    refused("ALREADY_ENTERED", enter, world, "ada")
    withdraw(world, "ada")
    refused("WITHDRAWN", enter, world, "ada")
    world.claim_all()
    assert "has begun" in refused("NO_DEAL_LEFT", enter, world, "dora")


def test_after_the_start_only_the_organiser_enters_bots(world):
    alice = world.account("alice")
    world.submit("dora", alice)
    world.started("cup", "ada", "bert", deals=2)
    with pytest.raises(Conflict) as closed:
        enter(world, "dora", caller=alice)
    assert closed.value.code == "ENTRY_CLOSED"
    assert "admin" in closed.value.message


def test_the_same_archive_is_entered_once(world):
    world.submit("ada")
    world.submit("bert")
    with pytest.raises(Conflict) as twice:
        tournaments.create(
            world.store,
            world.admin,
            world.now,
            name="cup",
            game="first-snow",
            entrants=(("ada", 0), ("bert", 0), ("ada", 1)),
            entropy=world.entropy,
        )
    assert twice.value.code == "ALREADY_ENTERED"
    assert twice.value.message.startswith("bots[3]: ada@1")
