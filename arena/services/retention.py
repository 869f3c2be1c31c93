"""Throwing away what grows without end: logs and outputs of matches long over. Results, ratings and digests stay."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from arena.core.errors import UsageError
from arena.store import Store
from arena.store import retention as repository

BATCH: Final = 500
"""Matches in one transaction: others write between two of them."""


@dataclass(frozen=True, slots=True)
class Pruned:
    """What was thrown away, or would be: matches that lost something, logs, outputs, and bytes as stored."""

    logs: int
    outputs: int
    size_bytes: int


def prune(store: Store, now: datetime, keep: timedelta, *, logs: bool, outputs: bool, rehearse: bool = False) -> Pruned:
    """Throw away logs and outputs of matches that were over more than `keep` ago; rehearse: only count.

    Never those of a tournament that is not over, of a closed deal, or of a match that is still to be rated. Raises
    UsageError (BAD_RETENTION).
    """
    if keep < timedelta(0) or not (logs or outputs):
        raise UsageError("say how many days are kept, 0 or more, and what goes: logs, outputs", reason="BAD_RETENTION")
    before, last = now - keep, 0
    found = Pruned(0, 0, 0)
    while True:
        with store.read() as tx:
            ids, following = repository.list_prunable(tx, before, last, BATCH)
            of_logs = repository.measure_logs(tx, ids) if logs and ids else repository.NOTHING
            of_outputs = repository.measure_outputs(tx, ids) if outputs and ids else repository.NOTHING
        if following == last:
            return found
        last = following
        found = Pruned(
            found.logs + of_logs.count,
            found.outputs + of_outputs.count,
            found.size_bytes + of_logs.size_bytes + of_outputs.size_bytes,
        )
        if rehearse:
            continue
        with store.write() as tx:
            if of_logs.count:
                repository.empty_logs(tx, ids)
            if of_outputs.count:
                repository.empty_outputs(tx, ids)
