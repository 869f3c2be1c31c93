"""A version that fails match after match is taken out of play, is told why, and comes back."""

import pytest
from playing import finished, unrated

from arena.core.errors import Conflict, PermissionDenied
from arena.match.result import MatchEnd, SeatEnd
from arena.services import matches, ratings, results, submissions, tournaments
from arena.services.setting_aside import SET_ASIDE_AFTER, has_failed
from arena.store import bots
from arena.store.states import MatchState, TournamentState, VersionState


@pytest.mark.parametrize(
    ("end", "answers", "verdict"),
    [
        (SeatEnd.CRASHED, 9, True),
        (SeatEnd.NO_SHOW, 0, True),
        (SeatEnd.MALFORMED, 4, True),
        (SeatEnd.DISCONNECTED, None, True),
        (SeatEnd.TIMEOUT, 0, True),
        (SeatEnd.ILLEGAL_ACTION, 0, True),
        (SeatEnd.TIMEOUT, 7, False),
        (SeatEnd.ILLEGAL_ACTION, 7, False),
        (SeatEnd.RESIGNED, 0, False),
        (SeatEnd.PLAYED, 12, False),
        (SeatEnd.PLAYED, 0, None),
        (SeatEnd.REPLACED, 3, None),
    ],
)
def test_what_shows_a_broken_bot(end, answers, verdict):
    assert has_failed(end, answers) is verdict


def failing(bot, end=SeatEnd.CRASHED):
    """Decide legs: this bot fails at its first choice, the other one wins."""

    def decide(leg):
        ends = tuple(end if seat.bot == bot else SeatEnd.PLAYED for seat in leg.seats)
        if SeatEnd.PLAYED in ends and end in ends:
            ranks = tuple(1 if one is SeatEnd.PLAYED else 2 for one in ends)
            return finished(*ranks, end=MatchEnd.FORFEIT, seat_ends=ends)
        return finished(1, 2)

    return decide


def play(world, decide, blocks=1000):
    """Record so many blocks; whoever fails has made no choice, everybody else five."""
    for _ in range(blocks):
        if (claim := world.claim()) is None:
            return
        for leg in claim.legs:
            result = decide(leg)
            answers = tuple(0 if end is not SeatEnd.PLAYED else 5 for end in result.seat_ends)
            world.record(claim, leg, result, answers=answers)


def version(world, name="ada"):
    return submissions.get_version(world.store, name)


def test_three_failed_matches_in_a_row_set_a_version_aside_and_say_why(world):
    world.started("cup", "ada", "bert", "cleo", deals=3)
    play(world, failing("ada"))
    found = version(world)
    assert found.state is VersionState.SET_ASIDE
    assert found.failed_in_row >= SET_ASIDE_AFTER
    assert found.reason.startswith("it failed 3 matches in a row, the last: match ")
    assert found.reason.endswith(", CRASHED; it was withdrawn from cup")
    assert {version(world, name).state for name in ("bert", "cleo")} == {VersionState.ACCEPTED}


def test_what_it_has_not_begun_is_void_and_the_tournament_finishes_without_it(world):
    world.started("cup", "ada", "bert", "cleo", deals=3)
    play(world, failing("ada"))
    played = matches.list_matches(world.store, tournament="cup", page_size=100).items
    with_ada = [one.state for one in played if "ada" in {seat.bot for seat in one.seats}]
    assert (with_ada.count(MatchState.FINAL), with_ada.count(MatchState.CANCELLED)) == (4, 8)
    others = [one.state for one in played if "ada" not in {seat.bot for seat in one.seats}]
    assert others == [MatchState.FINAL] * 6
    assert tournaments.get(world.store, "cup").state is TournamentState.FINISHED


def test_a_match_played_to_its_end_ends_the_row(world):
    world.started("cup", "ada", "bert", deals=3)
    play(world, failing("ada"), blocks=1)
    assert version(world).failed_in_row == 2
    play(world, failing("nobody"), blocks=1)
    assert (version(world).failed_in_row, version(world).state) == (0, VersionState.ACCEPTED)


def test_two_that_do_not_start_both_count(world):
    world.started("cup", "ada", "bert", deals=2)
    play(world, lambda leg: unrated(2), blocks=2)
    assert {version(world, name).state for name in ("ada", "bert")} == {VersionState.SET_ASIDE}


def test_a_fault_of_the_arena_counts_against_nobody(world):
    world.started("cup", "ada", "bert", deals=2)
    play(world, lambda leg: unrated(2, MatchEnd.ABORTED))
    assert version(world).failed_in_row == 0


def test_who_resigns_every_match_is_not_set_aside(world):
    world.started("cup", "ada", "bert", deals=3)
    play(world, failing("ada", SeatEnd.RESIGNED))
    assert version(world).state is VersionState.ACCEPTED


def test_it_cannot_be_entered_until_its_author_brings_it_back(world):
    author, other = world.account("ann"), world.account("bob")
    world.submit("ada", author)
    world.started("cup", "ada", "bert", "cleo", deals=2)
    play(world, failing("ada"))
    with pytest.raises(Conflict, match=r"is set aside: it failed 3 matches in a row.*arena restore ada@1"):
        world.create("next", "ada", "bert")
    with pytest.raises(PermissionDenied):
        submissions.restore(world.store, other, "ada", 1)
    for _ in range(2):
        back = submissions.restore(world.store, author, "ada", 1)
        assert (back.state, back.reason, back.failed_in_row) == (VersionState.ACCEPTED, "", 0)
    world.create("next", "ada", "bert")
    assert [one.bot for one in tournaments.entrants(world.store, "next")] == ["ada", "bert"]


def test_a_new_version_starts_afresh(world):
    world.started("cup", "ada", "bert", "cleo", deals=2)
    play(world, failing("ada"))
    assert world.submit("ada", text="mended").state is VersionState.ACCEPTED
    world.create("next", "ada", "bert")
    assert [one.version for one in tournaments.entrants(world.store, "next")] == [2, 1]


def test_an_operator_may_switch_it_off(world):
    world.started("cup", "ada", "bert", deals=3)
    while (claim := world.claim()) is not None:
        for leg in claim.legs:
            recording = results.Recording(
                claim.block_id, claim.attempt, leg.match_id, failing("ada")(leg), "log\n", answers=(0, 0)
            )
            results.record(world.store, recording, world.now, set_aside_after=0)
    assert (version(world).failed_in_row, version(world).state) == (6, VersionState.ACCEPTED)


def test_a_rejected_version_cannot_be_brought_back(world):
    made = world.submit("ada")
    with world.store.write() as tx:
        bots.set_version_state(tx, made.id, VersionState.REJECTED, "it crashed")
    with pytest.raises(Conflict, match="was rejected: it crashed"):
        submissions.restore(world.store, world.admin, "ada", 1)


def test_a_retired_version_leaves_tournaments_that_have_not_begun_and_comes_back(world):
    for name in ("ada", "bert", "cleo"):
        world.submit(name)
    world.create("cup", "ada", "bert", "cleo")
    submissions.retire(world.store, world.admin, "ada", 1, world.now)
    assert [one.bot for one in tournaments.entrants(world.store, "cup")] == ["bert", "cleo"]
    assert submissions.restore(world.store, world.admin, "ada", 1).state is VersionState.ACCEPTED


def test_the_winner_of_a_walkover_keeps_its_rating_and_the_absent_one_loses(world):
    world.started("cup", "ada", "bert")
    play(world, failing("ada"))
    table = {
        row.bot: row for row in ratings.leaderboard(world.store, tournaments.get(world.store, "cup").pool_id).items
    }
    assert (table["bert"].mu, table["bert"].sigma, table["bert"].matches) == (25.0, 25 / 3, 2)
    assert table["ada"].mu < 25
    assert table["ada"].forfeits == 2
