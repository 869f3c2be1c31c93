"""Pause, resume, cancel, late entries, withdrawals: what happens to blocks, deals, seeds and rating numbers."""

import pytest
from playing import finished, older_wins, unrated
from sqlalchemy import text

from arena.core.errors import ArenaError, Conflict, LeaseLost, NotFound, PermissionDenied
from arena.match.result import MatchEnd
from arena.services import dispatch, ratings, submissions, tournaments
from arena.services.matches import list_matches
from arena.store.states import Format, MatchState, Role, TournamentState

FOUR = ("ada", "bert", "cleo", "dora")


def pause(world, name="cup"):
    return tournaments.pause(world.store, world.admin, name)


def resume(world, name="cup"):
    return tournaments.resume(world.store, world.admin, name, world.now)


def cancel(world, name="cup"):
    return tournaments.cancel(world.store, world.admin, name, world.now)


def withdraw(world, bot, name="cup", caller=None):
    return tournaments.withdraw(world.store, caller or world.admin, world.now, tournament=name, bot=bot)


def enter(world, bot, name="cup", caller=None, **options):
    return tournaments.enter(world.store, caller or world.admin, world.now, tournament=name, bot=bot, **options)


def state(world, name="cup"):
    return tournaments.get(world.store, name).state


def matches_of(world, name="cup", **wanted):
    return list_matches(world.store, tournament=name, page_size=1000, **wanted).items


def pending(world):
    return sum(row.pending for row in ratings.leaderboard(world.store, 1).items)


def play(world, blocks):
    for _ in range(blocks):
        claim = world.claim()
        for leg in claim.legs:
            world.record(claim, leg, older_wins(leg))


def refused(code, call, *arguments):
    with pytest.raises(ArenaError) as caught:
        call(*arguments)
    assert caught.value.code == code
    return caught.value.message


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


def test_with_an_odd_number_everybody_plays_equally_often(world):
    world.started("cup", "ada", "bert", "cleo", "dora", "emil")
    world.play_all()
    assert {row.standing.matches for row in tournaments.standings(world.store, "cup").rows} == {8}


def test_a_double_no_show_counts_for_nobody_and_ends_the_block(world):
    world.started("cup", "ada", "bert")
    claim = world.claim()
    for leg in claim.legs:
        world.record(claim, leg, unrated(2))
    table = tournaments.standings(world.store, "cup")
    assert [(row.standing.matches, row.standing.unrated) for row in table.rows] == [(0, 2), (0, 2)]
    assert state(world) is TournamentState.FINISHED
    assert {row.matches for row in ratings.leaderboard(world.store, 1).items} == {0}
    assert pending(world) == 0


def test_a_forfeited_leg_counts_and_its_block_goes_on(world):
    world.started("cup", "ada", "bert")
    claim = world.claim()
    world.record(claim, claim.legs[0], finished(1, 2, end=MatchEnd.FORFEIT))
    world.record(claim, claim.legs[1], older_wins(claim.legs[1]))
    assert tournaments.progress(world.store, "cup").counts.finished == 2
    assert {row.matches for row in ratings.leaderboard(world.store, 1).items} == {2}


def change_rules(world, name="cup"):
    """As if the tournament had been made for other rules than are installed."""
    pool = tournaments.get(world.store, name).pool_id
    with world.store.write() as tx:
        tx.execute(text("UPDATE pools SET rules_version = rules_version + 1 WHERE id = :pool"), {"pool": pool})


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


def test_what_is_asked_for_by_hand_gets_its_share_and_no_more(world):
    turns = [dispatch.lanes(number)[0] for number in range(12)]
    assert {lane: turns.count(lane) for lane in turns} == {
        "TOURNAMENT": 6,
        "QUALIFICATION": 2,
        "CHALLENGE": 2,
        "LADDER": 2,
    }
    assert all(len(dispatch.lanes(number)) == 4 for number in range(6))


def test_several_faults_are_told_at_once_each_with_its_field(world):
    world.submit("ada")
    with pytest.raises(ArenaError) as caught:
        tournaments.create(
            world.store,
            world.admin,
            world.now,
            name="The Cup",
            game="first-snow",
            entrants=(("ada", 0), ("nobody", 0)),
            seats=5,
            deals=0,
            clock="soon",
        )
    assert caught.value.code == "BAD_TOURNAMENT"
    for field in ("5 faults: name: ", "deals: ", "clock: ", "seats: ", "bots[2]: "):
        assert field in caught.value.message


def test_one_bot_makes_no_tournament(world):
    world.submit("ada")
    with pytest.raises(ArenaError) as caught:
        world.create("cup", "ada")
    assert caught.value.code == "TOO_FEW_ENTRANTS"
    with pytest.raises(NotFound):
        tournaments.get(world.store, "cup")


def test_a_gauntlets_heads_meet_the_rest_and_not_each_other(world):
    for bot in FOUR:
        world.submit(bot)
    world.create("cup", "cleo", "dora", format=Format.GAUNTLET, heads=(("ada", 0), ("bert", 0)))
    tournaments.start(world.store, world.admin, "cup", world.now)
    pairs = {frozenset(seat.bot for seat in match.seats) for match in matches_of(world)}
    assert pairs == {frozenset(pair) for pair in (("ada", "cleo"), ("ada", "dora"), ("bert", "cleo"), ("bert", "dora"))}
    world.play_all()
    assert state(world) is TournamentState.FINISHED


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"format": Format.GAUNTLET}, "BAD_HEADS"),
        ({"heads": (("dora", 0),)}, "BAD_HEADS"),
        ({"format": Format.GAUNTLET, "heads": (("ada", 0),)}, "ALREADY_ENTERED"),
        ({"format": Format.REQUEST}, "BAD_FORMAT"),
        ({"format": Format.LADDER, "game": "icefall", "variant": "solo"}, "TOO_FEW_SEATS"),
    ],
)
def test_a_format_that_does_not_fit_is_refused(world, options, code):
    for bot in FOUR:
        world.submit(bot)
    refused(code, lambda: world.create("cup", "ada", "bert", **options))


def test_an_open_ladder_keeps_scheduling_on_fresh_deals(world):
    world.started("ladder", *FOUR, format=Format.LADDER, deals=0)
    play(world, 30)
    found = tournaments.progress(world.store, "ladder", world.now)
    assert found.counts.finished == 60
    assert found.counts.queued == 2 * 4
    assert found.longest_wait <= found.wait_bound
    finals = matches_of(world, "ladder", state=MatchState.FINAL)
    assert len({match.deal for match in finals}) == 30
    played = [row.standing.matches for row in tournaments.standings(world.store, "ladder").rows]
    assert max(played) - min(played) <= 2 * 4
    assert cancel(world, "ladder").state is TournamentState.CANCELLED


def test_a_ladder_with_a_number_of_deals_ends_after_them(world):
    world.started("ladder", *FOUR, format=Format.LADDER, deals=7)
    assert world.play_all() == 14
    assert state(world, "ladder") is TournamentState.FINISHED


def test_on_a_ladder_a_late_entrant_starts_level_and_plays_no_more_than_others(world):
    alice = world.account("alice")
    world.submit("dora", alice)
    world.started("ladder", "ada", "bert", "cleo", format=Format.LADDER, deals=0)
    play(world, 9)
    late = enter(world, "dora", "ladder", caller=alice)
    assert late.head_start > 0
    play(world, 12)
    played = {row.entrant.bot: row.standing.matches for row in tournaments.standings(world.store, "ladder").rows}
    assert 0 < played["dora"] < min(played[bot] for bot in ("ada", "bert", "cleo"))


def test_on_a_ladder_withdrawn_bots_are_scheduled_no_more(world):
    world.started("ladder", *FOUR, format=Format.LADDER, deals=0)
    play(world, 3)
    withdraw(world, "ada", "ladder")
    withdraw(world, "bert", "ladder")
    play(world, 5)
    waiting = matches_of(world, "ladder", state=MatchState.SCHEDULED)
    assert waiting
    assert all({seat.bot for seat in match.seats} == {"cleo", "dora"} for match in waiting)
    withdraw(world, "cleo", "ladder")
    (left,) = tournaments.progress(world.store, "ladder", world.now).obstacles
    assert "1 of the 2 entrants it needs are left" in left.message
    assert world.claim() is None


def test_a_paused_ladder_deals_nothing_more(world):
    world.started("ladder", *FOUR, format=Format.LADDER, deals=0)
    claim = world.claim()
    pause(world, "ladder")
    for leg in claim.legs:
        world.record(claim, leg, older_wins(leg))
    dealt = len(tournaments.list_deals(world.store, "ladder").items)
    assert world.claim() is None
    resume(world, "ladder")
    assert len(tournaments.list_deals(world.store, "ladder").items) > dealt
