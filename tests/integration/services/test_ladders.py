"""Open ladders: what is scheduled, for whom, and when it ends."""

from cupsteps import FOUR, cancel, enter, matches_of, pause, play, resume, state, withdraw
from playing import older_wins

from arena.services import tournaments
from arena.store.states import Format, MatchState, TournamentState


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
