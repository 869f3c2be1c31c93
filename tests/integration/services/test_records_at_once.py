"""Records of the same bots' matches, statement by statement in turns that chance decides, with an organiser between.

Whatever the turns, nobody waits for ever, and every match is folded once, in the order of the numbers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from random import Random

import pytest
from databases import PostgresServer
from playing import START, World, older_wins
from sqlalchemy import event, select

from arena.core.errors import ArenaError, Conflict, LeaseLost
from arena.ladder.rating import fold
from arena.services import dispatch, ratings, results, retention, tournaments
from arena.services.results import Recording
from arena.store import Store, open_store
from arena.store.records import Claim
from arena.store.states import MatchState
from arena.store.tables import match_seats, matches

BLOCKED_S = 0.03
"""After how long a statement that has not ended is taken to wait for a row that somebody else has."""

WALKS = 12


class Turns:
    """Lets one of several threads send its next statement, then another; whoever waits for a row is passed over."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._moved = threading.Condition()
        self._ready: set[int] = set()
        self._alive: set[int] = set()
        self._allowed: int | None = None

    def run(self, *works: Callable[[], None]) -> None:
        """Run all to their ends."""
        threads = [threading.Thread(target=self._work, args=(number, work)) for number, work in enumerate(works)]
        self._alive = set(range(len(works)))
        for thread in threads:
            thread.start()
        with self._moved:
            self._moved.wait_for(lambda: self._ready >= self._alive)
            while self._alive:
                self._moved.wait_for(lambda: self._ready or not self._alive)
                if self._ready:
                    self._go_on(self._chance.choice(sorted(self._ready)))
        for thread in threads:
            thread.join()

    def take(self) -> None:
        """Wait for this thread's turn; other threads than those that run here need none."""
        number = getattr(threading.current_thread(), "turn", None)
        if number is None:
            return
        with self._moved:
            self._ready.add(number)
            self._moved.notify_all()
            self._moved.wait_for(lambda: self._allowed == number)
            self._allowed = None

    def _go_on(self, number: int) -> None:
        """Let one send its next statement, and wait until it wants to send another, has ended, or is held up."""
        self._ready.discard(number)
        self._allowed = number
        self._moved.notify_all()
        self._moved.wait_for(lambda: number in self._ready or number not in self._alive, BLOCKED_S)

    def _work(self, number: int, work: Callable[[], None]) -> None:
        threading.current_thread().turn = number  # type: ignore[attr-defined]
        try:
            self.take()
            work()
        finally:
            with self._moved:
                self._alive.discard(number)
                self._moved.notify_all()


@contextmanager
def in_turns(store: Store, chance: Random) -> Iterator[Turns]:
    turns = Turns(chance)

    def before(*_: object) -> None:
        turns.take()

    event.listen(store._writer, "before_cursor_execute", before)
    event.listen(store._writer, "commit", before)
    yield turns
    event.remove(store._writer, "before_cursor_execute", before)
    event.remove(store._writer, "commit", before)


def recordings(claim: Claim) -> list[Recording]:
    following = [leg.match_id for leg in claim.legs[1:]]
    return [
        Recording(claim.block_id, claim.attempt, leg.match_id, older_wins(leg), "log\n", following=after)
        for leg, after in zip(claim.legs, [*following, None], strict=True)
    ]


def withdraw(world: World) -> None:
    tournaments.withdraw(world.store, world.admin, START, tournament="cup", bot="cleo")


def cancel(world: World) -> None:
    tournaments.cancel(world.store, world.admin, "cup", START)


def pause_and_resume(world: World) -> None:
    tournaments.pause(world.store, world.admin, "cup")
    tournaments.resume(world.store, world.admin, "cup", START)


def expire(world: World) -> None:
    dispatch.expire(world.store, START + dispatch.LEASE * 2)


def prune(world: World) -> None:
    retention.prune(world.store, START, dispatch.LEASE * 0, logs=True, outputs=True)


def start_another(world: World) -> None:
    tournaments.start(world.store, world.admin, "other", START)


def nothing(_: World) -> None:
    """Only records."""


MEANWHILE = (nothing, withdraw, cancel, pause_and_resume, expire, prune, start_another)


def assert_nothing_was_missed(store: Store) -> None:
    """No match with a result is next for all who play it and yet not folded: the next record would hide that."""
    query = select(matches.c.id, matches.c.state, match_seats.c.version_id)
    query = query.join(match_seats, match_seats.c.match_id == matches.c.id)
    query = query.where(~matches.c.folded, matches.c.rating_seq.is_not(None)).order_by(matches.c.rating_seq)
    with store.read() as tx:
        rows = tx.execute(query).all()
    first = {row.version_id: row.id for row in reversed(rows)}
    waiting = {row.id for row in rows if first[row.version_id] != row.id}
    assert {row.id for row in rows if row.state is MatchState.FINAL} <= waiting


def assert_folded_in_order(store: Store) -> None:
    """Every rated match that has a result is folded, and the ratings are those of a fold one after the other."""
    query = select(matches.c.rating_seq, matches.c.folded, match_seats.c.version_id, match_seats.c.rank)
    query = query.join(match_seats, match_seats.c.match_id == matches.c.id)
    query = query.where(matches.c.state == MatchState.FINAL, matches.c.rating_seq.is_not(None))
    played: dict[int, list[tuple[int, int]]] = {}
    with store.read() as tx:
        for seq, folded, version_id, rank in tx.execute(query.order_by(matches.c.rating_seq, match_seats.c.seat)):
            assert folded
            played.setdefault(seq, []).append((version_id, rank))
    games = (([one for one, _ in seats], [rank for _, rank in seats]) for seats in played.values())
    expected = fold(games, ratings.get_pool(store, 1).draw_probability)
    rows = {row.version_id: row for row in ratings.leaderboard(store, 1).items}
    assert {one: (rows[one].mu, rows[one].sigma) for one in expected} == {
        one: (rating.mu, rating.sigma) for one, rating in expected.items()
    }
    assert {row.pending for row in rows.values()} == {0}
    counted = {one: sum(one in dict(seats) for seats in played.values()) for one in rows}
    assert {one: row.matches for one, row in rows.items()} == counted


@pytest.mark.parametrize("meanwhile", MEANWHILE, ids=lambda each: each.__name__)
def test_in_chance_turns_records_of_the_same_bots_are_folded_in_order(postgres: PostgresServer, meanwhile):
    walk(open_store(postgres.new_url()), meanwhile, Random(1))


@pytest.mark.long
@pytest.mark.parametrize("meanwhile", MEANWHILE, ids=lambda each: each.__name__)
def test_in_many_chance_turns_records_of_the_same_bots_are_folded_in_order(postgres: PostgresServer, meanwhile):
    for seed in range(2, WALKS):
        walk(open_store(postgres.new_url()), meanwhile, Random(seed))


def walk(store: Store, meanwhile: Callable[[World], None], chance: Random) -> None:
    failures: list[ArenaError] = []
    world = World(store)
    world.started("cup", "ada", "bert", "cleo", deals=2)
    world.create("other", "ada", "bert", "cleo")

    def work(claim: Claim) -> None:
        try:
            for recording in recordings(claim)[begun[claim.block_id] :]:
                results.record(store, recording, START)
        except LeaseLost:
            pass
        except ArenaError as failure:
            failures.append(failure)

    def organise() -> None:
        try:
            with suppress(Conflict):
                meanwhile(world)
        except ArenaError as failure:
            failures.append(failure)

    claims = [world.claim() for _ in range(3)]
    begun = {claim.block_id: chance.randrange(2) for claim in claims}
    for claim in claims:
        for recording in recordings(claim)[: begun[claim.block_id]]:
            results.record(store, recording, START)
    with in_turns(store, chance) as turns:
        turns.run(*(lambda claim=claim: work(claim) for claim in claims), organise)
    assert failures == []
    assert_nothing_was_missed(store)
    world.wait(minutes=5)
    world.play_all()
    assert_folded_in_order(store)
    store.close()
