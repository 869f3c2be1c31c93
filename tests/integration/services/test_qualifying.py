"""A version is accepted once it has played a match at each of its games, and says why if it is not."""

from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from threading import Barrier

import pytest
from playing import bot_zip, finished

from arena.core.errors import ArenaError, Conflict, LimitReached
from arena.match.result import MatchEnd, MatchResult, SeatEnd
from arena.services import dispatch, matches, qualifying, ratings, submissions, tournaments
from arena.services.results import SeatOutput, SeatTimes
from arena.store.states import MatchState, VersionState

PASSED = finished(2, 1)
FAILED = finished(2, 1, end=MatchEnd.FORFEIT, seat_ends=(SeatEnd.CRASHED, SeatEnd.PLAYED))


def submit(world, name="ada", caller=None, **content):
    archive = bot_zip(name, **content)
    digest = sha256(archive).hexdigest()
    return submissions.submit(world.store, caller or world.admin, archive, digest, world.now, qualify=True)


def state(world, name="ada", version=0):
    return submissions.get_version(world.store, name, version).state


def reason(world, name="ada"):
    return submissions.get_version(world.store, name).reason


def played(world, result, output=b""):
    """Claim the next block and record this result for its one leg."""
    claim = world.claim()
    outputs = (SeatOutput(output, truncated=False), SeatOutput(b"", truncated=False))
    times = (SeatTimes((4,), (1,)), SeatTimes((2,), (0,)))
    world.record(claim, claim.legs[0], result, outputs=outputs, times=times)
    return claim


def test_a_version_is_checked_by_a_match_at_each_of_its_games_against_the_arenas_own_bot(world):
    made = submit(world)
    assert (made.created, made.version.state) == (True, VersionState.CHECKING)
    version, decisive = submissions.get_submission(world.store, "ada")
    assert [(one.game, one.state, one.running) for one in decisive] == [
        ("first-snow", MatchState.SCHEDULED, False),
        ("icefall", MatchState.SCHEDULED, False),
    ]
    claim = world.claim()
    seats = claim.legs[0].seats
    assert [(seat.bot, bool(seat.sha256)) for seat in seats] == [("ada", True), ("(random)", False)]
    assert seats[0].sha256 == version.sha256


def test_a_bot_for_any_game_plays_every_installed_one(world):
    submit(world, games='"*"')
    games = [one.game for one in submissions.get_submission(world.store, "ada")[1]]
    assert {"first-snow", "frost-shelter", "icefall", "snowblind"} <= set(games)


def test_it_is_accepted_when_the_last_match_is_played_to_its_end_whatever_the_result(world):
    submit(world)
    played(world, PASSED)
    assert state(world) is VersionState.CHECKING
    played(world, finished(1, 2))
    assert (state(world), reason(world)) == (VersionState.ACCEPTED, "")


def test_one_failed_match_rejects_it_with_match_and_end_and_cancels_the_rest(world):
    submit(world)
    played(world, FAILED, b"Traceback ...\nImportError: no snow\x1b[2J\n[arena: its process ended with status 1]\n")
    assert state(world) is VersionState.REJECTED
    assert reason(world) == (
        "its qualification match 1 at first-snow ended CRASHED: its process ended with status 1; see `arena output 1`"
    )
    assert world.claim() is None
    other = submissions.get_submission(world.store, "ada")[1][1]
    assert other.state is MatchState.CANCELLED


def test_what_the_bot_printed_is_not_told_to_everybody(world):
    submit(world)
    played(world, FAILED, b"my secret plan")
    assert reason(world) == "its qualification match 1 at first-snow ended CRASHED; see `arena output 1`"


def test_a_program_that_just_ends_is_told_how_a_bot_ends(world):
    submit(world)
    played(world, FAILED, b"[arena: its process ended with status 0]\n")
    assert "before the match was over; a Python bot ends with run(MyBot)" in reason(world)


def test_both_failing_to_start_rejects_too(world):
    submit(world)
    played(world, MatchResult(MatchEnd.VOID, (SeatEnd.NO_SHOW,) * 2, (0, 0), (None, None), "no bot started", 0))
    assert state(world) is VersionState.REJECTED
    assert "NO_SHOW" in reason(world)


def test_the_author_reads_the_output_of_a_qualification_match_and_nobody_else(world):
    ada, bert = world.account("ann"), world.account("bob")
    submit(world, caller=ada)
    played(world, FAILED, b"help\n")
    assert matches.get_seat_record(world.store, ada, 1, 0).output.output == b"help\n"
    assert matches.get_log(world.store, 1).content
    for seat in (0, 1):
        with pytest.raises(ArenaError) as caught:
            matches.get_seat_record(world.store, bert, 1, seat)
        assert caught.value.code == "NOT_YOURS"


def test_a_match_the_arena_could_not_play_rejects_without_blame_and_the_same_files_try_again(world):
    submit(world)
    for _ in range(dispatch.MAX_LOST):
        claim = world.claim()
        dispatch.give_up(
            world.store, claim.block_id, claim.attempt, world.now, match_id=claim.legs[0].match_id, reason="no sandbox"
        )
        world.wait(minutes=1)
    assert state(world) is VersionState.REJECTED
    assert reason(world).startswith("the arena could not play its qualification match 1 at first-snow")
    again = submit(world)
    assert (again.created, again.version.version, again.version.state) == (False, 1, VersionState.CHECKING)
    played(world, PASSED)
    played(world, PASSED)
    assert state(world) is VersionState.ACCEPTED


def test_the_same_files_of_a_rejected_version_are_that_version_and_nothing_is_played(world):
    submit(world)
    played(world, FAILED)
    again = submit(world)
    assert (again.created, again.version.state) == (False, VersionState.REJECTED)
    assert world.claim() is None


def test_a_version_retired_while_it_is_checked_is_not_accepted_any_more(world):
    submit(world)
    claim = world.claim()
    submissions.retire(world.store, world.admin, "ada", 1, world.now)
    assert world.claim() is None
    world.record(claim, claim.legs[0], PASSED)
    assert state(world) is VersionState.RETIRED
    with pytest.raises(Conflict) as caught:
        submissions.restore(world.store, world.admin, "ada", 1)
    assert caught.value.code == "NEVER_ACCEPTED"


def test_an_account_has_a_bounded_number_of_versions_in_checking(world):
    for number in range(qualifying.MAX_CHECKING):
        submit(world, text=f"{number}")
    with pytest.raises(LimitReached) as caught:
        submit(world, text="one more")
    assert caught.value.code == "TOO_MANY_CHECKS"
    assert submissions.get_version(world.store, "ada").version == qualifying.MAX_CHECKING
    assert submit(world, "bert", world.account("bob")).created


def test_a_qualification_touches_no_rating_no_tournament_and_no_list_of_bots(world):
    submit(world)
    played(world, PASSED)
    played(world, PASSED)
    assert tournaments.list_tournaments(world.store).items == ()
    assert [bot.name for bot in submissions.list_bots(world.store).items] == ["ada"]
    for pool in ratings.list_pools(world.store).items:
        assert ratings.leaderboard(world.store, pool.id).items == ()
    assert matches.get_match(world.store, 1).rating_seq is None


@pytest.mark.parametrize("left", [VersionState.CHECKING, VersionState.REJECTED])
def test_a_version_that_is_not_accepted_cannot_be_entered(world, left):
    submit(world)
    if left is VersionState.REJECTED:
        played(world, FAILED)
    world.submit("bert")
    with pytest.raises(Conflict) as caught:
        world.create("cup", "bert", "ada")
    assert caught.value.code == "VERSION_NOT_ACCEPTED"
    assert ("checked" if left is VersionState.CHECKING else "CRASHED") in caught.value.message


def test_an_older_accepted_version_is_entered_while_the_newest_is_checked(world):
    world.submit("ada")
    submit(world, text="newer")
    world.submit("bert")
    world.create("cup", "ada", "bert")
    assert [one.version for one in tournaments.entrants(world.store, "cup")] == [1, 1]


def test_it_does_not_wait_for_a_long_tournament(world):
    world.started("cup", "bert", "cleo", deals=20)
    submit(world)
    claims = [world.claim() for _ in range(len(dispatch.TURNS))]
    assert "ada" in {seat.bot for claim in claims for seat in claim.legs[0].seats}


def test_two_last_matches_that_end_at_the_same_moment_accept_it(world):
    submit(world)
    claims = world.claim_all()
    together = Barrier(2)

    def record(claim):
        together.wait()
        world.record(claim, claim.legs[0], PASSED)

    with ThreadPoolExecutor(2) as pool:
        assert len(list(pool.map(record, claims))) == 2
    assert state(world) is VersionState.ACCEPTED


def test_two_first_submissions_at_the_same_moment_both_arrive(world):
    together = Barrier(2)

    def send(name):
        together.wait()
        return submit(world, name).version.state

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(send, ("ada", "bert"))) == [VersionState.CHECKING] * 2


def test_the_same_files_sent_twice_at_the_same_moment_make_one_version(world):
    together = Barrier(2)

    def send(_):
        together.wait()
        return submit(world).created

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(send, range(2))) == [False, True]
    assert len(submissions.list_versions(world.store, "ada").items) == 1


def test_nobody_retires_the_arenas_own_bot_or_lets_it_into_other_play(world):
    submit(world)
    for change in (
        lambda: submissions.retire(world.store, world.admin, "(random)", 1, world.now),
        lambda: submissions.restore(world.store, world.admin, "(random)", 1),
    ):
        with pytest.raises(ArenaError) as caught:
            change()
        assert caught.value.code == "NOT_YOURS"
    assert state(world, "(random)") is VersionState.RETIRED
