from datetime import timedelta
from threading import Barrier, Thread

import pytest
from playing import finished, older_wins, unrated

from arena.core.errors import Conflict, LeaseLost, NotFound, UsageError
from arena.match.result import MatchEnd, SeatEnd
from arena.services import dispatch, matches, ratings, tournaments
from arena.store import tables
from arena.store.states import MatchState, TournamentState


def test_a_recorded_match_is_final_with_its_seats(world):
    world.started("cup", "ada", "bert")
    claim = world.claim()
    ends = (SeatEnd.PLAYED, SeatEnd.TIMEOUT)
    world.record_whole(claim, claim.legs[0], finished(1, 2, end=MatchEnd.FORFEIT, seat_ends=ends))
    world.record_whole(claim, claim.legs[1], finished(1, 2))  # opens the deal, and with it who thought how long
    match = matches.get_match(world.store, claim.legs[0].match_id)
    assert (match.state, match.end, match.plies, match.finished_at) == (
        MatchState.FINAL,
        MatchEnd.FORFEIT,
        30,
        world.now,
    )
    assert [(seat.rank, seat.score, seat.end) for seat in match.seats] == [
        (1, 10, SeatEnd.PLAYED),
        (2, 0, SeatEnd.TIMEOUT),
    ]
    assert [(s.turns, s.think_max_ms, s.think_total_ms, s.charged_total_ms) for s in match.seats] == [
        (2, 5, 8, 1),
        (2, 6, 9, 1),
    ]


def test_the_same_result_twice_is_a_success_and_counts_once(world):
    world.started("cup", "ada", "bert")
    claim = world.claim()
    assert not world.record(claim, claim.legs[0], finished(1, 2)).duplicate
    before = ratings.leaderboard(world.store, 1).items
    again = world.record(claim, claim.legs[0], finished(1, 2))
    assert (again.duplicate, again.folded) == (True, 0)
    assert ratings.leaderboard(world.store, 1).items == before


def test_the_same_result_is_a_success_even_after_the_block_is_done(world):
    world.started("cup", "ada", "bert")
    claim = world.claim()
    for leg in claim.legs:
        world.record(claim, leg, finished(1, 2))
    again = world.record(claim, claim.legs[1], finished(1, 2))
    assert (again.duplicate, again.block_done) == (True, True)


def test_another_result_for_a_final_match_is_a_conflict(world):
    world.started("cup", "ada", "bert")
    claim = world.claim()
    world.record(claim, claim.legs[0], finished(1, 2))
    with pytest.raises(Conflict) as caught:
        world.record(claim, claim.legs[0], finished(2, 1))
    assert caught.value.code == "RESULT_DIFFERS"
    assert [seat.rank for seat in matches.get_match(world.store, claim.legs[0].match_id).seats] == [1, 2]


def test_the_same_ranks_with_another_log_are_another_result(world):
    world.started("cup", "ada", "bert")
    claim = world.claim()
    world.record(claim, claim.legs[0], finished(1, 2))
    with pytest.raises(Conflict):
        world.record(claim, claim.legs[0], finished(1, 2), log="another course\n")


def test_a_late_result_is_refused_and_kept_aside(world):
    world.started("cup", "ada", "bert")
    late = world.claim()
    world.now = late.lease_until + timedelta(seconds=1)
    dispatch.expire(world.store, world.now)
    with pytest.raises(LeaseLost):
        world.record(late, late.legs[0], finished(1, 2))
    world.wait(seconds=60)
    claim = world.claim()
    world.record(claim, claim.legs[0], finished(2, 1))
    assert [seat.rank for seat in matches.get_match(world.store, claim.legs[0].match_id).seats] == [2, 1]
    with world.store.read() as tx:
        kept = tx.execute(tables.late_results.select()).all()
    assert [(row.match_id, row.attempt) for row in kept] == [(late.legs[0].match_id, 1)]


def test_a_late_worker_that_repeats_what_it_recorded_in_time_is_told_success(world):
    world.started("cup", "ada", "bert")
    claim = world.claim()
    world.record(claim, claim.legs[0], finished(1, 2))
    world.wait(seconds=600)
    dispatch.expire(world.store, world.now)
    assert world.record(claim, claim.legs[0], finished(1, 2)).duplicate


def test_a_lease_that_is_over_but_not_yet_expired_still_records(world):
    world.started("cup", "ada", "bert")
    claim = world.claim()
    world.now = claim.lease_until + timedelta(seconds=5)
    world.record(claim, claim.legs[0], finished(1, 2))
    assert dispatch.expire(world.store, world.now).lost == 0


def test_an_unknown_match_and_a_match_of_another_block_are_refused(world):
    world.started("cup", "ada", "bert", "cleo")
    first, second = world.claim(), world.claim()
    with pytest.raises(UsageError) as wrong_block:
        world.record(first, second.legs[0], finished(1, 2))
    assert wrong_block.value.code == "BAD_RESULT"
    stranger = type(first.legs[0])(999, 1, b"", ())
    with pytest.raises(NotFound):
        world.record(first, stranger, finished(1, 2))


def test_ranks_that_do_not_go_with_the_end_are_refused(world):
    world.started("cup", "ada", "bert")
    claim = world.claim()
    for wrong in (finished(0, 0), finished(1, 2, end=MatchEnd.VOID), finished(1, 7)):
        with pytest.raises(UsageError):
            world.record(claim, claim.legs[0], wrong)


def test_unrated_ends_change_no_rating_and_leave_nothing_pending(world):
    world.started("cup", "ada", "bert")
    claim = world.claim()
    world.record(claim, claim.legs[0], unrated(2))
    world.record(claim, claim.legs[1], unrated(2, MatchEnd.ABORTED))
    rows = ratings.leaderboard(world.store, 1).items
    assert [(row.mu, row.matches, row.pending, row.mean_rank) for row in rows] == [(25.0, 0, 0, 0.0)] * 2
    assert tournaments.get(world.store, "cup").state is TournamentState.FINISHED


def test_a_deal_opens_with_its_last_match_and_the_tournament_ends_with_its_last_deal(world):
    world.started("cup", "ada", "bert", deals=2)
    first, second = world.claim(), world.claim()
    world.record(first, first.legs[0], finished(1, 2))
    assert tournaments.progress(world.store, "cup").finished_deals == 0
    world.record(first, first.legs[1], finished(1, 2))
    assert tournaments.progress(world.store, "cup").finished_deals == 1
    assert tournaments.get(world.store, "cup").state is TournamentState.RUNNING
    for leg in second.legs:
        world.record(second, leg, finished(1, 2))
    done = tournaments.get(world.store, "cup")
    assert (done.state, done.finished_at) == (TournamentState.FINISHED, world.now)


def test_workers_that_record_at_the_same_time_leave_nothing_unfolded_or_closed(world):
    world.started("cup", "ada", "bert", "cleo", "dora")
    legs = [(claim, leg) for claim in world.claim_all() for leg in claim.legs]
    together = Barrier(4)
    failures = []

    def work(share):
        together.wait()
        for claim, leg in share:
            try:
                world.record(claim, leg, older_wins(leg))
            except Exception as error:  # noqa: BLE001 - a thread tells the test about everything
                failures.append(error)

    threads = [Thread(target=work, args=(legs[number::4],)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert sum(row.pending for row in ratings.leaderboard(world.store, 1).items) == 0
    progress = tournaments.progress(world.store, "cup")
    assert (progress.finished_deals, progress.tournament.state) == (1, TournamentState.FINISHED)


def test_workers_that_claim_at_the_same_time_never_get_the_same_block(world):
    world.started("cup", *(f"bot{number}" for number in range(8)))
    together = Barrier(4)
    claimed = []

    def work(worker):
        together.wait()
        while (claim := dispatch.claim(world.store, worker, world.now)) is not None:
            claimed.append(claim.block_id)

    threads = [Thread(target=work, args=(f"worker-{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(claimed) == sorted(set(claimed))
    assert len(claimed) == 28
