"""Recording what a worker has played."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256

from arena.core.errors import Conflict, LeaseLost, NotFound, UsageError
from arena.ladder.standings import is_rated
from arena.match.result import MatchResult
from arena.services.dispatch import LEASE
from arena.services.packing import pack, pack_times
from arena.services.setting_aside import SET_ASIDE_AFTER, count_failures, set_aside
from arena.services.settling import settle
from arena.store import Store, Transaction, finish, queue
from arena.store.states import MatchState


@dataclass(frozen=True, slots=True)
class SeatTimes:
    """Milliseconds per asked turn of one seat: what it took, and what was charged."""

    think_ms: tuple[int, ...]
    charged_ms: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SeatOutput:
    """What a hosted bot's program printed (standard output and error, already capped); truncated: the cap cut it."""

    output: bytes
    truncated: bool


@dataclass(frozen=True, slots=True)
class Recording:
    """One leg as played. log: JSON Lines as text. outputs and times: one per seat, or empty (remote, aborted).

    answers: how many choices each seat made; empty where nobody counted them. following: the match that is played next
    as far as the worker knows, None for none.
    """

    block_id: int
    attempt: int
    match_id: int
    result: MatchResult
    log: str
    outputs: tuple[SeatOutput, ...] = ()
    times: tuple[SeatTimes, ...] = ()
    answers: tuple[int, ...] = ()
    following: int | None = None


@dataclass(frozen=True, slots=True)
class Recorded:
    """duplicate: the same result was there already. folded: matches whose ratings this record settled, this one or
    others that waited for it. block_done: no leg of the block is left.
    """

    duplicate: bool
    folded: int
    block_done: bool


def record(
    store: Store,
    recording: Recording,
    now: datetime,
    *,
    set_aside_after: int = SET_ASIDE_AFTER,
    lease: timedelta = LEASE,
) -> Recorded:
    """Store one leg in one transaction: result, seats, log, outputs, times, and every rating that can be folded now.

    The same result again (same attempt or a later one) is a success; another result for a final match is a Conflict
    (RESULT_DIFFERS). Raises LeaseLost when the attempt is no longer the active one: the result is kept aside and does
    not count. Raises NotFound (NO_SUCH_MATCH), UsageError when the result does not fit the match. An ABORTED result is
    final: a worker whose own machine failed calls dispatch.give_up instead. set_aside_after: see
    arena.services.setting_aside; that follows in transactions of its own. lease: how long the claim lives on.
    """
    content = recording.log.encode()
    log = finish.StoredLog(sha256(content).hexdigest(), len(content), pack(content))
    digest = _digest(recording.result, log.sha256)
    with store.write() as tx:
        # Taking the attempt first makes two records of one match take turns.
        active = queue.touch_attempt(
            tx, recording.block_id, recording.attempt, now, now + lease, following=recording.following
        )
        match = _find(tx, recording.match_id)
        _check(recording, match)
        if match.state is MatchState.FINAL and match.result_digest == digest:
            return Recorded(duplicate=True, folded=0, block_done=queue.is_done(tx, match.block_id))
        if match.state is MatchState.FINAL and active:
            raise Conflict(f"match {match.id} has another result already; the first one stays", reason="RESULT_DIFFERS")
        if not (active and match.state is MatchState.SCHEDULED):
            finish.keep_late(tx, match.id, recording.attempt, _facts(recording.result), log.content, now=now)
            written = None
        else:
            written = _write(tx, recording, match, now, log=log, digest=digest)
            failed = count_failures(tx, match, recording.result, recording.answers)
    if written is None:
        raise LeaseLost(
            f"attempt {recording.attempt} at block {recording.block_id} is over; its result is kept aside, uncounted"
        )
    set_aside(store, failed, set_aside_after, now)
    return written


def _write(
    tx: Transaction, recording: Recording, match: finish.MatchKeys, now: datetime, *, log: finish.StoredLog, digest: str
) -> Recorded:
    sums = [_sums(recording, seat) for seat in range(match.seats)]
    finish.write_result(
        tx, match.id, recording.result,
        attempt=recording.attempt, digest=digest, sums=sums, folded=match.is_next, now=now,
    )  # fmt: skip
    outputs = [finish.StoredOutput(pack(one.output), one.truncated) for one in recording.outputs]
    finish.write_files(
        tx, match.id, log, outputs, [pack_times(one.think_ms, one.charged_ms) for one in recording.times]
    )
    settled = settle(tx, match, recording.attempt, now, recording.following, marked=match.is_next)
    return Recorded(duplicate=False, folded=settled.folded, block_done=settled.block_done)


def _find(tx: Transaction, match_id: int) -> finish.MatchKeys:
    match = finish.find_match(tx, match_id)
    if match is None:
        raise NotFound(f"there is no match {match_id}", reason="NO_SUCH_MATCH")
    return match


def _check(recording: Recording, match: finish.MatchKeys) -> None:
    """Raise UsageError (BAD_RESULT) unless the result can be one of this match."""
    result = recording.result
    wrong = ""
    if match.block_id != recording.block_id:
        wrong = f"it belongs to block {match.block_id}, not {recording.block_id}"
    elif {len(result.ranks), len(result.scores), len(result.seat_ends)} != {match.seats}:
        wrong = f"it has {match.seats} seats, the result another number"
    elif len(recording.outputs) not in {0, match.seats} or len(recording.times) not in {0, match.seats}:
        wrong = f"it has {match.seats} seats, outputs and times are for another number"
    elif len(recording.answers) not in {0, match.seats}:
        wrong = f"it has {match.seats} seats, answers are counted for another number"
    elif any(len(one.think_ms) != len(one.charged_ms) for one in recording.times):
        wrong = "a seat has more thought than charged turns, or fewer"
    elif is_rated(result.end) != all(result.ranks) or not all(
        0 <= rank <= max(match.seats, 2) for rank in result.ranks
    ):
        wrong = f"ranks {result.ranks} do not go with {result.end}"
    if wrong:
        raise UsageError(f"match {match.id} cannot end so: {wrong}", reason="BAD_RESULT")


def _sums(recording: Recording, seat: int) -> finish.SeatSums:
    answers = recording.answers[seat] if recording.answers else None
    times = recording.times[seat] if recording.times else SeatTimes((), ())
    return finish.SeatSums(
        turns=len(times.think_ms),
        answers=answers,
        think_max_ms=max(times.think_ms, default=0),
        think_total_ms=sum(times.think_ms),
        charged_total_ms=sum(times.charged_ms),
    )


def _facts(result: MatchResult) -> str:
    facts = {
        "end": result.end,
        "seat_ends": result.seat_ends,
        "ranks": result.ranks,
        "scores": result.scores,
        "reason": result.reason,
        "plies": result.plies,
    }
    return json.dumps(facts, sort_keys=True)


def _digest(result: MatchResult, log_sha256: str) -> str:
    return sha256(f"{_facts(result)}\n{log_sha256}".encode()).hexdigest()
