"""Recording what a worker has played."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from arena.match.result import MatchResult
from arena.store import Store


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
    """One leg as played. log: JSON Lines as text. outputs and times: one per seat, or empty (remote, aborted)."""

    block_id: int
    attempt: int
    match_id: int
    result: MatchResult
    log: str
    outputs: tuple[SeatOutput, ...] = ()
    times: tuple[SeatTimes, ...] = ()


@dataclass(frozen=True, slots=True)
class Recorded:
    """duplicate: the same result was there already. folded: matches whose ratings this record settled, this one or
    others that waited for it. block_done: no leg of the block is left.
    """

    duplicate: bool
    folded: int
    block_done: bool


def record(store: Store, recording: Recording, now: datetime) -> Recorded:
    """Store one leg in one transaction: result, seats, log, outputs, times, and every rating that can be folded now.

    The same result again (same attempt or a later one) is a success; another result for a final match is a Conflict
    (RESULT_DIFFERS). Raises LeaseLost when the attempt is no longer the active one: the result is kept aside and does
    not count. Raises NotFound (NO_SUCH_MATCH), UsageError when the result does not fit the match. An ABORTED result is
    final: a worker whose own machine failed calls dispatch.give_up instead.
    """
    raise NotImplementedError
