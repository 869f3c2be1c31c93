"""Setting aside: a version that fails match after match plays no more until its author brings it back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from arena.match.result import MatchEnd, MatchResult, SeatEnd
from arena.services import lifecycle
from arena.store import Store, Transaction, bots, finish, qualifying
from arena.store.states import VersionState

SET_ASIDE_AFTER: Final = 3
"""Matches failed in a row: one may be bad luck, two a bad deal, three is the bot. An operator may say otherwise."""

_BROKEN: Final = frozenset({SeatEnd.CRASHED, SeatEnd.NO_SHOW, SeatEnd.MALFORMED, SeatEnd.DISCONNECTED})


def has_failed(end: SeatEnd, answers: int | None) -> bool | None:
    """Whether a seat's end shows a broken bot; None where it shows nothing about it.

    Broken is one that crashed, did not come up, left or spoke wrongly; also one that ran out of time or chose what is
    not there at its very first choice. Whoever won before it was asked, or was replaced, has shown nothing.
    """
    if end is SeatEnd.REPLACED or (end is SeatEnd.PLAYED and answers == 0):
        return None
    return end in _BROKEN or (end in {SeatEnd.TIMEOUT, SeatEnd.ILLEGAL_ACTION} and answers == 0)


def count_failures(
    tx: Transaction, match: finish.MatchKeys, result: MatchResult, answers: Sequence[int]
) -> dict[int, str]:
    """Count a final match for or against its versions; return those that have failed, with the latest failure.

    Qualification matches do not count, nor do ABORTED ones.
    """
    if result.end is MatchEnd.ABORTED or match.decides is not None:
        return {}
    judged = [
        (version_id, seat, failed)
        for version_id, seat in sorted((version_id, seat) for seat, version_id in enumerate(match.versions))
        if (failed := has_failed(result.seat_ends[seat], answers[seat] if answers else None)) is not None
    ]
    bots.count_failures(tx, [(version_id, failed) for version_id, _, failed in judged], match.failing)
    return {version_id: f"match {match.id}, {result.seat_ends[seat]}" for version_id, seat, failed in judged if failed}


def set_aside(store: Store, failed: dict[int, str], after: int, now: datetime) -> tuple[int, ...]:
    """Set those versions aside that have failed `after` matches in a row (0: none ever); return their ids.

    failed: as count_failures gave it. They are withdrawn from every tournament that is not over. In transactions of
    their own: a withdrawal locks whole schedules, a record only its match. One that is not reached because the arena
    dies is set aside at its next failure.
    """
    return tuple(
        version_id for version_id, latest in failed.items() if _set_aside(store, version_id, latest, after, now)
    )


def _set_aside(store: Store, version_id: int, latest: str, after: int, now: datetime) -> bool:
    with store.read() as tx:
        if not after or bots.read_failures(tx, version_id) < after or bots.is_house(bots.get_version(tx, version_id)):
            return False
    with store.write() as tx:
        names = lifecycle.set_aside(tx, version_id, now)
        if qualifying.lock_version(tx, version_id) is not VersionState.ACCEPTED:
            return False
        left = f"; it was withdrawn from {', '.join(names)}" if names else ""
        failed = bots.read_failures(tx, version_id)
        row = "a match" if failed == 1 else f"{failed} matches in a row, the last"
        reason = f"it failed {row}: {latest}{left}"
        bots.set_version_state(tx, version_id, VersionState.SET_ASIDE, reason)
        return True
