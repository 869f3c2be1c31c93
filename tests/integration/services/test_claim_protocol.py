"""Every order in which two workers, expiry and time can take steps at one block, on the real repository code."""

import pytest
from claimmodel import Machine, Situation, check_state, check_step, explore
from playing import older_wins, unrated
from preempting import Outcome, interrupted, run, statements_of
from tablespace import put_back, take

from arena.match.result import MatchEnd
from arena.services import dispatch, lifecycle
from arena.services.dispatch import LEASE, MAX_LOST
from arena.store.tables import (
    attempts,
    blocks,
    deals,
    late_results,
    matches,
    pools,
    rating_changes,
    ratings,
    tournaments,
)

ON_POSTGRES_LONG = pytest.mark.parametrize(
    "url", ["sqlite", pytest.param("postgresql", marks=pytest.mark.long)], indirect=True
)
ON_SQLITE_LONG = pytest.mark.parametrize(
    "url", [pytest.param("sqlite", marks=pytest.mark.long), "postgresql"], indirect=True
)
"""Walks take a state's tables out and back, which costs most over a socket; races can only happen on PostgreSQL."""

KINDS = ("beat", "give_up", "record", "release")


def solo(world):
    """Queue one block of one leg."""
    world.submit("ada", games='"snowblind"')
    world.started("climb", "ada", game="snowblind", variant="solo")


def explored(world, *, same_logs=False, orders=None, workers=2, **limits):
    machine = Machine(world, limits=limits, same_logs=same_logs, orders=orders)
    return explore(machine, machine.first(workers), check_step)


def orders(world, name, *bots):
    """What an organiser may do at any moment."""
    store, admin = world.store, world.admin
    return {
        "pause": lambda: lifecycle.pause(store, admin, name),
        "resume": lambda: lifecycle.resume(store, admin, name, world.now),
        "cancel": lambda: lifecycle.cancel(store, admin, name, world.now),
        **{
            f"withdraw-{bot}": lambda bot=bot: lifecycle.withdraw(store, admin, world.now, tournament=name, bot=bot)
            for bot in bots
        },
    }


@ON_POSTGRES_LONG
def test_one_leg_ends_once_whatever_two_workers_do_and_wherever_they_crash(world):
    solo(world)
    seen = explored(world)
    for kind in KINDS:
        assert seen.answers[f"{kind}: LEASE_LOST"], f"no late {kind} was seen"
    assert seen.answers["record: recorded"]
    assert seen.answers["resend: duplicate"]
    assert seen.answers["crash: done"]


@ON_POSTGRES_LONG
def test_a_deterministic_bots_late_result_is_the_recorded_one_or_lost(world):
    solo(world)
    seen = explored(world, same_logs=True, beat=0, crash=0, give_up=0, release=0)
    assert seen.answers["record: duplicate"]
    assert not seen.answers["record: RESULT_DIFFERS"]


@ON_POSTGRES_LONG
def test_one_leg_ends_once_whatever_an_organiser_orders_in_between(world):
    solo(world)
    limits = {
        "release": 0,
        "give_up": 0,
        "crash": 0,
        "beat": 0,
        "pause": 1,
        "resume": 1,
        "cancel": 1,
        "withdraw-ada": 1,
    }
    seen = explored(world, orders=orders(world, "climb", "ada"), workers=1, **limits)
    for kind in ("pause", "resume", "cancel", "withdraw-ada"):
        assert seen.answers[f"{kind}: done"], kind
    assert seen.answers["record: LEASE_LOST"]


@pytest.mark.long
@pytest.mark.timeout(2400)
def test_two_legs_end_once_each_whatever_is_ordered_in_between(world):
    world.started("cup", "ada", "bert")
    seen = explored(world, orders=orders(world, "cup", "ada"), release=1, give_up=1, crash=1)
    assert seen.answers["record: LEASE_LOST"]


@pytest.mark.long
@pytest.mark.timeout(2400)
def test_two_legs_end_once_each_whatever_two_workers_do_and_wherever_they_crash(world):
    world.started("cup", "ada", "bert")
    seen = explored(world)
    assert seen.states > 1000
    for kind in KINDS:
        assert seen.answers[f"{kind}: LEASE_LOST"], f"no late {kind} was seen"


def test_the_walk_notices_a_match_that_changes_after_its_end(world):
    solo(world)
    machine = Machine(world, limits={}, same_logs=False)
    at = machine.first(workers=1)
    for step in ("claim 0", "record 0"):
        at, _ = machine.take(at, step)
    with world.store.write() as tx:
        tx.execute(matches.update().values(reason="changed"))
    with pytest.raises(AssertionError, match="changed a match that was over"):
        check_step(at, "expire", Situation(take(world.store), at.now, at.workers), "expire: done")


def test_the_walk_notices_a_claimed_block_that_nobody_holds(world):
    solo(world)
    world.claim()
    with world.store.write() as tx:
        tx.execute(attempts.update().values(state="RELEASED"))
    with pytest.raises(AssertionError):
        check_state(Situation(take(world.store), world.now, ()))


def outcome(contents):
    """What of the contents must not depend on who came in between: no row ids, no moments."""

    def rows(table, *names):
        found = [one.name for one in table.columns]
        return sorted(tuple(row[found.index(name)] for name in names) for row in contents[table.name].values())

    return (
        rows(blocks, "id", "state", "attempt", "lost"),
        rows(attempts, "block_id", "number", "state"),
        rows(matches, "id", "state", "folded", "lost", "attempt", "result_digest", "rating_seq"),
        rows(ratings, "version_id", "mu", "sigma", "matches"),
        rows(rating_changes, "match_id", "version_id", "mu_before", "mu_after"),
        rows(tournaments, "id", "state"),
        rows(late_results, "match_id", "attempt"),
        rows(pools, "id", "next_seq"),
        [row[-1] is not None for row in contents[deals.name].values()],
    )


class Race:
    """Two calls from the same contents; what they may lead to is what one after the other leads to."""

    def __init__(self, world):
        self.store = world.store
        self.first = take(world.store)

    def allowed(self, one, two):
        ends = set()
        for calls in ((one, two), (two, one)):
            said = {id(call): run(call) for call in calls}
            ends.add((Outcome(said[id(one)], said[id(two)]), repr(outcome(self.back()))))
        return ends

    def back(self):
        now = take(self.store)
        put_back(self.store, now, self.first)
        return now

    def check(self, one, two):
        allowed = self.allowed(one, two)
        for first, second in ((one, two), (two, one)):
            sent = statements_of(self.store, first)
            self.back()
            for at in range(sent):
                said = interrupted(self.store, first, at, second)
                if first is two:
                    said = Outcome(said.second, said.first)
                seen = (said, repr(outcome(self.back())))
                assert seen in allowed, f"stopped before statement {at} of {first}: {said}"


def overdue(world, claim):
    """Let a claim's lease run out."""
    world.now = claim.lease_until + LEASE / 100


def claimer(world, name):
    return lambda: world.claim(name)


def recorder(world, claim, leg, result=None, log=""):
    return lambda: world.record(claim, claim.legs[leg], result or older_wins(claim.legs[leg]), log)


def expirer(world):
    return lambda: dispatch.expire(world.store, world.now)


def beater(world, claim):
    return lambda: dispatch.heartbeat(world.store, claim.block_id, claim.attempt, world.now)


def giver(world, claim):
    return lambda: dispatch.give_up(
        world.store, claim.block_id, claim.attempt, world.now, match_id=claim.legs[0].match_id, reason="no sandbox"
    )


@ON_SQLITE_LONG
@pytest.mark.parametrize("bots", [("ada", "bert"), ("ada", "bert", "cleo")], ids=["one block", "three blocks"])
def test_two_claims_at_once_get_different_blocks(world, bots):
    world.started("cup", *bots)
    race = Race(world)
    one, two = claimer(world, "one"), claimer(world, "two")
    race.check(one, two)


@ON_SQLITE_LONG
@pytest.mark.parametrize(
    "other",
    [
        expirer,
        *(pytest.param(other, marks=pytest.mark.long) for other in (beater, giver, recorder)),
    ],
    ids=["expiry", "a beat", "giving up", "itself"],
)
def test_a_record_at_the_end_of_its_lease_counts_wholly_or_not_at_all(world, other):
    world.started("cup", "ada", "bert")
    claim = world.claim()
    overdue(world, claim)
    against = recorder(world, claim, 0) if other is recorder else other(world, *(() if other is expirer else (claim,)))
    Race(world).check(recorder(world, claim, 0), against)


@ON_SQLITE_LONG
@pytest.mark.parametrize("order", ["pause", "cancel", "withdraw-ada"])
def test_an_order_and_a_record_at_once_are_as_one_after_the_other(world, order):
    world.started("cup", "ada", "bert", "cleo")
    claim, *_ = world.claim_all()[:2]
    Race(world).check(orders(world, "cup", "ada")[order], recorder(world, claim, 0))


@pytest.mark.long
def test_two_expiries_at_once_lose_an_attempt_once(world):
    world.started("cup", "ada", "bert", "cleo")
    for claim in world.claim_all():
        overdue(world, claim)
    Race(world).check(expirer(world), expirer(world))


@pytest.mark.long
def test_a_beat_and_an_expiry_at_once_leave_the_attempt_alive_or_lost(world):
    world.started("cup", "ada", "bert")
    claim = world.claim()
    overdue(world, claim)
    Race(world).check(beater(world, claim), expirer(world))


@ON_SQLITE_LONG
def test_a_late_worker_and_its_successor_record_one_result(world):
    world.started("cup", "ada", "bert")
    late = world.claim("one")
    overdue(world, late)
    dispatch.expire(world.store, world.now)
    world.now += LEASE
    successor = world.claim("two")
    Race(world).check(recorder(world, late, 0, log="late\n"), recorder(world, successor, 0, log="in time\n"))


@pytest.mark.long
def test_the_third_loss_and_the_last_record_of_a_deal_at_once_open_it_once(world):
    world.started("cup", "ada", "bert")
    for _ in range(MAX_LOST - 1):
        claim = world.claim()
        giver(world, claim)()
        world.now += LEASE
    claim = world.claim()
    world.record(claim, claim.legs[1], older_wins(claim.legs[1]))
    Race(world).check(giver(world, claim), recorder(world, claim, 0))


@ON_SQLITE_LONG
def test_the_last_records_of_two_blocks_at_once_open_the_deal_and_end_the_tournament(world):
    world.started("cup", "ada", "bert", "cleo")
    claims = world.claim_all()
    for claim in claims:
        for leg in claim.legs[: 1 if claim in claims[:2] else 2]:
            world.record(claim, leg, older_wins(leg))
    race = Race(world)
    one, two = (recorder(world, claim, 1) for claim in claims[:2])
    race.check(one, two)
    run(one)
    run(two)
    ended = outcome(take(world.store))
    assert [state for _, state in ended[5]] == ["FINISHED"]
    assert ended[8] == [True]


@pytest.mark.long
def test_a_void_and_a_rated_match_of_one_bot_at_once_fold_in_their_order(world):
    world.started("cup", "ada", "bert", "cleo")
    one, two, _ = world.claim_all()
    void = recorder(world, one, 0, unrated(2, MatchEnd.VOID))
    Race(world).check(void, recorder(world, two, 0))
