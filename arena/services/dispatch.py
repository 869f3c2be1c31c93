"""Handing blocks to workers: queue length, claims, heartbeats, expiry."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from arena.core.errors import LeaseLost
from arena.services.lifecycle import put_back
from arena.services.lobby import PATIENCE, moments
from arena.services.lookup import changed_rules
from arena.services.settling import settle
from arena.store import Store, Transaction, claims, finish, lobby
from arena.store import queue as repository
from arena.store.records import Claim
from arena.store.states import AttemptState, Lane, Queue

LEASE: Final = timedelta(seconds=30)
"""How long a claim lives without a heartbeat: six beats of five seconds, so that one slow commit loses nothing."""

BEATS: Final = 6
"""Heartbeats in a lease, however long that is."""

HEARTBEAT: Final = LEASE / BEATS
"""How often a worker beats."""

STALL_GRACE: Final = LEASE / 3
"""How long after the acting seat's deadline a ply may stand still: "several seconds" for a referee under load."""

RETRY_DELAY: Final = HEARTBEAT
"""Wait before a lost block is claimed again, times the number of losses: a broken worker must not eat it at once."""

MAX_LOST: Final = 3
"""LOST attempts after which a match is ABORTED: twice may be bad luck with machines, three times is the match."""

EXPIRY_BATCH: Final = 200
"""Attempts that one expiry step looks at: each is a transaction of its own, and the next step is seconds away."""

MOST_COUNTED: Final = 1000
"""Queued blocks that are counted where nobody says how many matter."""

CLAIM_TRIES: Final = 3
"""How often a claim looks again after somebody else took a place in the lobby under its eyes."""

TURNS: Final = (Lane.TOURNAMENT, Lane.QUALIFICATION, Lane.TOURNAMENT, Lane.CHALLENGE, Lane.TOURNAMENT, Lane.LADDER)
"""Which lane a claim tries first, one claim after the other; an empty one passes its turn on to the next.

So whatever is asked for by hand gets every sixth block at least, and takes no more while tournaments wait.
"""


@dataclass(frozen=True, slots=True)
class LegProgress:
    """What a worker is doing: which match, at which ply, and until when the acting seat may think (None: no limit)."""

    match_id: int
    ply: int
    deadline: datetime | None


@dataclass(frozen=True, slots=True)
class Expired:
    """What one expiry step did: attempts found dead, blocks queued again, matches aborted."""

    lost: int
    requeued: int
    aborted: int


def count_queued(
    store: Store,
    now: datetime,
    queue: Queue = Queue.HOSTED,
    *,
    most: int = MOST_COUNTED,
    patience: timedelta = PATIENCE,
) -> int:
    """Return how many blocks could be claimed now, counting no further than most; the dispatcher rings for so many."""
    with store.read() as tx:
        return repository.count_queued(tx, queue, now, most, _only(queue, now, patience))


def claim(
    store: Store,
    worker: str,
    now: datetime,
    queue: Queue = Queue.HOSTED,
    *,
    lease: timedelta = LEASE,
    patience: timedelta = PATIENCE,
) -> Claim | None:
    """Claim the lowest queued block whose delay is over; None if there is none. Never the same block to two callers.

    worker: a name for people, such as "host:pid". lease: how long the claim lives unless a heartbeat comes. The lanes
    take turns, see TURNS. Blocks of other rules or components than are installed here are left to others. A block with
    remote seats is claimed once all of them are in the lobby, or have been away for longer than patience, and calls
    them to their seats.
    """
    for _ in range(CLAIM_TRIES):
        try:
            return _claim(store, worker, now, queue, lease=lease, patience=patience)
        except _PlaceTaken:
            continue  # by another claim at this moment: this one has left nothing
    return None


def _claim(
    store: Store, worker: str, now: datetime, queue: Queue, *, lease: timedelta, patience: timedelta
) -> Claim | None:
    lease_until = now + lease
    with store.write() as tx:
        turn, played = repository.read_turn(tx)
        strange = [pool for pool, game, rules, parts in played if changed_rules(tx, game, rules, parts)]
        for lane in lanes(turn):
            claimed = claims.claim_block(
                tx,
                queue,
                lane,
                now=now,
                without_pools=strange,
                only=_only(queue, now, patience),
            )
            if claimed is not None:
                found = claims.read_claim(tx, *claimed, now, lease_until)
                claims.begin_attempt(tx, found, worker, now)
                _call_to_seats(tx, found, moments(now, patience))
                return found
    return None


def lanes(claims: int) -> list[Lane]:
    """Return in which order a claim looks through the lanes, after so many claims."""
    turn = claims % len(TURNS)
    return list(dict.fromkeys(TURNS[turn:] + TURNS[:turn]))


def heartbeat(
    store: Store,
    block_id: int,
    attempt: int,
    now: datetime,
    progress: LegProgress | None = None,
    *,
    lease: timedelta = LEASE,
) -> datetime:
    """Prolong a lease and say how far the match is; return when the lease now ends. Raises LeaseLost.

    progress: None between matches. The time of the last progress moves only when match or ply do.
    """
    lease_until = now + lease
    said = None if progress is None else (progress.match_id, progress.ply, progress.deadline)
    with store.write() as tx:
        if not repository.beat(tx, block_id, attempt, now=now, lease_until=lease_until, progress=said):
            raise _lease_lost(block_id, attempt)
    return lease_until


def release(store: Store, block_id: int, attempt: int, now: datetime) -> None:
    """Hand a block back unplayed (a worker shuts down); counts as no loss and it can be claimed at once.

    Raises LeaseLost.
    """
    with store.write() as tx:
        if not repository.end_attempt(tx, block_id, attempt, AttemptState.RELEASED):
            raise _lease_lost(block_id, attempt)
        put_back(tx, block_id, now, now)


def give_up(
    store: Store,
    block_id: int,
    attempt: int,
    now: datetime,
    *,
    match_id: int,
    reason: str,
    retry_delay: timedelta = RETRY_DELAY,
) -> None:
    """Report that the platform failed at a match (no sandbox, referee died ...): this attempt is LOST, with a reason.

    The block is queued again after a delay, or its match ABORTED at the third loss. Raises LeaseLost.
    """
    with store.write() as tx:
        if not repository.end_attempt(tx, block_id, attempt, AttemptState.LOST, reason):
            raise _lease_lost(block_id, attempt)
        _after_loss(tx, block_id, attempt, now, match_id=match_id, reason=reason, retry_delay=retry_delay)


def expire(
    store: Store, now: datetime, *, stall_grace: timedelta = STALL_GRACE, retry_delay: timedelta = RETRY_DELAY
) -> Expired:
    """Find attempts whose lease is over, or whose ply stands still past its deadline, and make them LOST.

    Their blocks are queued again after a delay with the legs that have no result; a match that was being played in
    MAX_LOST lost attempts is ABORTED. Any number of processes may call this at once.
    """
    stalled_before = now - stall_grace
    with store.read() as tx:
        found = repository.find_dead(tx, now, stalled_before, EXPIRY_BATCH)
    lost = requeued = aborted = 0
    for block_id, attempt, reason in found:
        with store.write() as tx:
            if not repository.lose_if_dead(
                tx, block_id, attempt, now=now, stalled_before=stalled_before, reason=reason
            ):
                continue
            lost += 1
            has_aborted, is_queued = _after_loss(
                tx, block_id, attempt, now, match_id=None, reason=reason, retry_delay=retry_delay
            )
            aborted += has_aborted
            requeued += is_queued
    return Expired(lost, requeued, aborted)


def end_all(store: Store, now: datetime, reason: str) -> Expired:
    """Make every attempt LOST that has not ended, and let its block be claimed at once.

    To be called where nobody can be playing: at the start of an arena that is the only one on its database. The losses
    count: a match that brings the whole machine down would otherwise do so for ever.
    """
    with store.read() as tx:
        found = repository.list_active(tx)
    lost = requeued = aborted = 0
    for block_id, attempt in found:
        with store.write() as tx:
            if not repository.end_attempt(tx, block_id, attempt, AttemptState.LOST, reason):
                continue
            lost += 1
            has_aborted, is_queued = _after_loss(
                tx, block_id, attempt, now, match_id=None, reason=reason, retry_delay=timedelta(0)
            )
            aborted += has_aborted
            requeued += is_queued
    return Expired(lost, requeued, aborted)


class _PlaceTaken(Exception):
    """Between the look at a block and the claim, another block took a place in the lobby that this one needs."""


def _only(queue: Queue, now: datetime, patience: timedelta) -> lobby.Blocks | None:
    """Return which blocks of a queue can be played at all; None: all of them."""
    return lobby.playable(moments(now, patience)) if queue is Queue.REMOTE else None


def _call_to_seats(tx: Transaction, claim: Claim, judged: lobby.Moments) -> None:
    """Invite the remote seats of a claim. Raises _PlaceTaken, by which the claim is undone."""
    remote = [
        (leg.match_id, seat, one.version_id) for leg in claim.legs for seat, one in enumerate(leg.seats) if one.remote
    ]
    if remote and not lobby.call_to_seats(tx, claim.block_id, claim.attempt, remote, judged):
        raise _PlaceTaken


def _after_loss(
    tx: Transaction,
    block_id: int,
    attempt: int,
    now: datetime,
    *,
    match_id: int | None,
    reason: str,
    retry_delay: timedelta,
) -> tuple[bool, bool]:
    """Abort the match that has been lost too often, and queue what is left; return (aborted, queued)."""
    loss = repository.count_loss(tx, block_id, attempt, match_id)
    aborted = False
    if loss.match_id is not None and loss.match_lost >= MAX_LOST:
        match = finish.find_match(tx, loss.match_id)
        if match is not None:
            finish.write_aborted(tx, match.id, f"given up after {MAX_LOST} lost attempts; the last: {reason}", now)
            # The block goes on, or ends, with its other legs.
            aborted = True
            if settle(tx, match, attempt, now).block_done:
                return True, False
    return aborted, put_back(tx, block_id, now + loss.lost * retry_delay, now)


def _lease_lost(block_id: int, attempt: int) -> LeaseLost:
    return LeaseLost(f"attempt {attempt} at block {block_id} is over; stop playing it and claim another block")
