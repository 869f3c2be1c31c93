"""The claim protocol as a machine with a faked clock: workers, expiry and time as steps on the real services.

A state is what the tables hold, the hour, and what each worker remembers. `explore` walks every order of steps from a
state, each step on the real repository code; equal states are walked once.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import TypeAlias

from playing import World, older_wins
from tablespace import Contents, noticing, put_back, take, take_again

from arena.core.errors import Conflict, LeaseLost
from arena.match.result import MatchEnd
from arena.services import dispatch, results
from arena.services.dispatch import LEASE, MAX_LOST, STALL_GRACE, LegProgress
from arena.services.results import Recording
from arena.store.records import Claim
from arena.store.states import AttemptState, BlockState, MatchState
from arena.store.tables import (
    attempts,
    blocks,
    deals,
    match_logs,
    match_seats,
    matches,
    rating_changes,
    ratings,
    tournaments,
)

Row: TypeAlias = dict[str, object]

MOMENT = timedelta(milliseconds=1)
LOOK_WHOLE = 50
"""Every so many steps all tables are read, to see that none was written to unnoticed."""
THINKING = timedelta(seconds=5)
"""What a worker says the acting seat may still think."""


@dataclass(frozen=True)
class Worker:
    """What a worker remembers. played: legs of its claim it is through with; told: its last recording."""

    claim: Claim | None = None
    played: int = 0
    told: Recording | None = None


@dataclass(frozen=True)
class Situation:
    """A state of the whole; spent: how often each bounded step has been taken on the way here."""

    contents: Contents
    now: datetime
    workers: tuple[Worker, ...]
    spent: tuple[tuple[str, int], ...] = ()


@dataclass
class Explored:
    """What a walk saw. answers: how often a step of each kind ended in which way."""

    states: int = 0
    steps: int = 0
    answers: Counter[str] = field(default_factory=Counter)


class Machine:
    """Takes steps on a store.

    limits: how often a step may be taken on one way, without a number as often as possible. same_logs: every attempt at
    a match writes the same log. orders: what else may be done, by name.
    """

    def __init__(
        self,
        world: World,
        *,
        limits: dict[str, int],
        same_logs: bool,
        orders: dict[str, Callable[[], object]] | None = None,
    ) -> None:
        self.world = world
        self._limits = limits
        self._same_logs = same_logs
        self._orders = orders or {}
        self._there = take(world.store)
        self._looks = 0

    def first(self, workers: int) -> Situation:
        """The state that the store is in, with idle workers."""
        return Situation(self._there, self.world.now, (Worker(),) * workers)

    def steps(self, at: Situation) -> Iterator[str]:
        """Name every step that may come next."""
        spent = dict(at.spent)

        def is_left(kind: str) -> bool:
            return kind not in self._limits or spent.get(kind, 0) < self._limits[kind]

        active = [one for one in _rows(at, attempts) if one["state"] is AttemptState.ACTIVE]
        if any(one["lease_until"] >= at.now for one in active) or any(
            one["not_before"] > at.now for one in _rows(at, blocks)
        ):
            yield "wait"
        if any(one["deadline"] is not None and one["deadline"] + STALL_GRACE >= at.now for one in active):
            yield "idle"
        yield "expire"
        for number, worker in enumerate(at.workers):
            if worker.told is not None:
                yield f"resend {number}"
            if worker.claim is None:
                yield f"claim {number}"
                continue
            for kind in ("beat", "record", "give_up", "release", "crash"):
                if is_left(kind):
                    yield f"{kind} {number}"
        yield from filter(is_left, self._orders)

    def take(self, at: Situation, step: str) -> tuple[Situation, str]:
        """Take a step from a state; return the state after it and how the step was answered."""
        put_back(self.world.store, self._there, at.contents)
        self.world.now = at.now
        with noticing() as written:
            after, answer = self._taken(at, step)
        self._there = take_again(self.world.store, at.contents, written)
        self._looks += 1
        if self._looks % LOOK_WHOLE == 0:
            assert self._there == take(self.world.store), f"{step} wrote to tables unnoticed"
        return replace(after, contents=self._there), answer

    def _taken(self, at: Situation, step: str) -> tuple[Situation, str]:
        kind, _, number = step.partition(" ")
        workers = list(at.workers)
        answer = "done"
        if kind == "wait":
            self.world.now += LEASE + MOMENT
        elif kind == "idle":
            self.world.now += THINKING + STALL_GRACE + MOMENT
        elif kind == "expire":
            dispatch.expire(self.world.store, self.world.now)
        elif kind in self._orders:
            answer = self._order(kind)
        else:
            one = int(number)
            workers[one], answer = self._work(kind, workers[one], f"worker-{one}")
        spent = Counter(dict(at.spent))
        if kind in self._limits:
            spent[kind] += 1
        after = Situation(at.contents, self.world.now, tuple(workers), tuple(sorted(spent.items())))
        return after, f"{kind}: {answer}"

    def _order(self, kind: str) -> str:
        try:
            self._orders[kind]()
        except Conflict as error:
            return error.code
        return "done"

    def _work(self, kind: str, worker: Worker, name: str) -> tuple[Worker, str]:
        store, now, claim = self.world.store, self.world.now, worker.claim
        if kind == "crash":
            return Worker(), "done"
        if kind == "claim":
            claim = self.world.claim(name)
            return (worker, "nothing") if claim is None else (Worker(claim), "done")
        if kind == "resend":
            assert worker.told is not None
            return worker, self._record(worker.told)
        assert claim is not None
        leg = claim.legs[worker.played]
        try:
            if kind == "beat":
                dispatch.heartbeat(
                    store, claim.block_id, claim.attempt, now, LegProgress(leg.match_id, 1, now + THINKING)
                )
                return worker, "done"
            if kind == "give_up":
                dispatch.give_up(
                    store, claim.block_id, claim.attempt, now, match_id=leg.match_id, reason="no sandbox here"
                )
                return Worker(), "done"
            if kind == "release":
                dispatch.release(store, claim.block_id, claim.attempt, now)
                return Worker(), "done"
        except LeaseLost:
            return Worker(), "LEASE_LOST"
        log = f"match {leg.match_id}\n" if self._same_logs else f"match {leg.match_id}, attempt {claim.attempt}\n"
        told = Recording(claim.block_id, claim.attempt, leg.match_id, older_wins(leg), log)
        answer = self._record(told)
        if answer in {"recorded", "duplicate"}:
            played = worker.played + 1
            return Worker(claim if played < len(claim.legs) else None, played, told), answer
        return Worker(told=told), answer

    def _record(self, told: Recording) -> str:
        try:
            return "duplicate" if results.record(self.world.store, told, self.world.now).duplicate else "recorded"
        except (LeaseLost, Conflict) as error:
            return error.code


def explore(machine: Machine, first: Situation, check: Callable[[Situation, str, Situation, str], None]) -> Explored:
    """Walk every order of steps; check is given each step with the states before and after it.

    Also asserts that from every state that was seen, a state can be reached in which every match is over.
    """
    seen = Explored()
    ids = {_key(first): 0}
    before: list[set[int]] = [set()]
    over = {0} if _is_over(first) else set()
    stack = [(0, first)]
    while stack:
        number, at = stack.pop()
        for step in machine.steps(at):
            after, answer = machine.take(at, step)
            seen.steps += 1
            seen.answers[answer] += 1
            check(at, step, after, answer)
            key = _key(after)
            if key not in ids:
                ids[key] = len(ids)
                before.append(set())
                stack.append((ids[key], after))
                if _is_over(after):
                    over.add(ids[key])
            before[ids[key]].add(number)
    seen.states = len(ids)
    reached, edge = set(over), list(over)
    while edge:
        for number in before[edge.pop()] - reached:
            reached.add(number)
            edge.append(number)
    assert len(reached) == len(ids), f"{len(ids) - len(reached)} states never come to an end"
    return seen


def check_step(at: Situation, step: str, after: Situation, answer: str) -> None:
    """Assert what must hold of every step, whatever came before it."""
    old, new = _rows(at, matches), _rows(after, matches)
    old_logs, new_logs = _rows(at, match_logs), _rows(after, match_logs)
    for was, now in zip(old, new, strict=True):
        if was["state"] is not MatchState.SCHEDULED:
            assert {**was, "folded": True} == {**now, "folded": True}, f"{step} changed a match that was over"
        assert now["lost"] <= MAX_LOST
        assert (now["lost"] == MAX_LOST) == (now["end"] is MatchEnd.ABORTED)
    assert all(log in new_logs for log in old_logs)
    became_final = sum(now["state"] is MatchState.FINAL for now in new) - sum(
        was["state"] is MatchState.FINAL for was in old
    )
    if answer.endswith(": recorded"):
        assert became_final == 1
    elif answer.endswith((": duplicate", ": LEASE_LOST", ": RESULT_DIFFERS", ": nothing")):
        assert (old, _rows(at, ratings)) == (new, _rows(after, ratings))
    check_state(after)


def check_state(at: Situation) -> None:
    """Assert what must hold of every state."""
    claimed = [one for one in _rows(at, attempts) if one["state"] is AttemptState.ACTIVE]
    for block in _rows(at, blocks):
        own = [one for one in claimed if one["block_id"] == block["id"]]
        assert len(own) == (block["state"] is BlockState.CLAIMED)
        left = [
            one for one in _rows(at, matches) if one["block_id"] == block["id"] and one["state"] is MatchState.SCHEDULED
        ]
        assert bool(left) == (block["state"] in {BlockState.QUEUED, BlockState.CLAIMED, BlockState.HELD})
        lost = [
            one for one in _rows(at, attempts) if one["block_id"] == block["id"] and one["state"] is AttemptState.LOST
        ]
        assert block["lost"] == len(lost)
    played = [one["id"] for one in _rows(at, matches) if one["end"] is MatchEnd.COMPLETED]
    assert [one["match_id"] for one in _rows(at, match_logs)] == played
    seats = [one for one in _rows(at, match_seats) if one["match_id"] in played and one["folded"]]
    changes = [(one["match_id"], one["version_id"]) for one in _rows(at, rating_changes)]
    assert sorted(changes) == sorted((one["match_id"], one["version_id"]) for one in seats)
    assert sum(one["matches"] for one in _rows(at, ratings)) == len(seats)
    places = [(one["rating_seq"], one["folded"]) for one in _rows(at, matches) if one["rating_seq"] is not None]
    assert all(folded for _, folded in sorted(places)[: sum(folded for _, folded in places)])


def _rows(at: Situation, table: object) -> list[Row]:
    names = [column.name for column in table.columns]
    return [dict(zip(names, row, strict=True)) for _, row in sorted(at.contents[table.name].items())]


def _is_over(at: Situation) -> bool:
    return all(one["state"] is not MatchState.SCHEDULED for one in _rows(at, matches))


def _key(at: Situation) -> tuple[object, ...]:
    """What decides everything that can still happen: numbers of attempts, ids and the hour do not."""

    def left(moment: datetime | None) -> float | None:
        return None if moment is None else max((moment - at.now).total_seconds(), -1)

    active = [one for one in _rows(at, attempts) if one["state"] is AttemptState.ACTIVE]
    numbers = {one["block_id"]: one["number"] for one in active}
    logs = {one["match_id"]: one["sha256"] for one in _rows(at, match_logs)}

    def remembered(worker: Worker) -> str:
        claim, told = worker.claim, worker.told
        on = claim and (
            numbers.get(claim.block_id) == claim.attempt,
            [leg.match_id for leg in claim.legs[worker.played :]],
        )
        of = told and (
            told.match_id,
            numbers.get(told.block_id) == told.attempt,
            logs.get(told.match_id) == sha256(told.log.encode()).hexdigest(),
        )
        return repr((on, of))

    return (
        tuple((one["state"], one["lost"], left(one["not_before"])) for one in _rows(at, blocks)),
        tuple(
            (left(one["lease_until"]), one["match_id"], one["deadline"] and left(one["deadline"] + STALL_GRACE))
            for one in active
        ),
        tuple((one["state"], one["lost"], one["end"], one["folded"], one["rating_seq"]) for one in _rows(at, matches)),
        tuple(one["state"] for one in _rows(at, tournaments)),
        tuple(one["opened_at"] is not None for one in _rows(at, deals)),
        tuple(sorted(map(remembered, at.workers))),  # workers are alike
        at.spent,
    )
