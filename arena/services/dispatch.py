"""Handing blocks to workers: queue length, claims, heartbeats, expiry."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from arena.store import Store
from arena.store.records import Claim
from arena.store.states import Queue

LEASE: Final = timedelta(seconds=30)
"""How long a claim lives without a heartbeat: six beats of five seconds, so that one slow commit loses nothing."""

HEARTBEAT: Final = timedelta(seconds=5)
"""How often a worker beats."""

STALL_GRACE: Final = timedelta(seconds=10)
"""How long after the acting seat's deadline a ply may stand still: "several seconds" for a referee under load."""

RETRY_DELAY: Final = timedelta(seconds=5)
"""Wait before a lost block is claimed again, times the number of losses: a broken worker must not eat it at once."""

MAX_LOST: Final = 3
"""LOST attempts after which a match is ABORTED: twice may be bad luck with machines, three times is the match."""


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


def count_queued(store: Store, now: datetime, queue: Queue = Queue.HOSTED) -> int:
    """Return how many blocks could be claimed now; the dispatcher keeps that many doorbells, within its bound."""
    raise NotImplementedError


def claim(store: Store, worker: str, now: datetime, queue: Queue = Queue.HOSTED) -> Claim | None:
    """Claim the lowest queued block whose delay is over; None if there is none. Never the same block to two callers.

    worker: a name for people, such as "host:pid". The lease ends LEASE after now unless a heartbeat comes.
    """
    raise NotImplementedError


def heartbeat(
    store: Store, block_id: int, attempt: int, now: datetime, progress: LegProgress | None = None
) -> datetime:
    """Prolong a lease and say how far the match is; return when the lease now ends. Raises LeaseLost.

    progress: None between matches. The time of the last progress moves only when match or ply do.
    """
    raise NotImplementedError


def release(store: Store, block_id: int, attempt: int, now: datetime) -> None:
    """Hand a block back unplayed (a worker shuts down); counts as no loss and it can be claimed at once.

    Raises LeaseLost.
    """
    raise NotImplementedError


def give_up(store: Store, block_id: int, attempt: int, now: datetime, *, match_id: int, reason: str) -> None:
    """Report that the platform failed at a match (no sandbox, referee died ...): this attempt is LOST, with a reason.

    The block is queued again after a delay, or its match ABORTED at the third loss. Raises LeaseLost.
    """
    raise NotImplementedError


def expire(store: Store, now: datetime) -> Expired:
    """Find attempts whose lease is over, or whose ply stands still past its deadline, and make them LOST.

    Their blocks are queued again after a delay with the legs that have no result; a match that was being played in
    MAX_LOST lost attempts is ABORTED. Any number of processes may call this at once.
    """
    raise NotImplementedError
