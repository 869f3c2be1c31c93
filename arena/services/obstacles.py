"""What keeps a tournament from going on, and what to do about it, read from the stored rows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from arena.ladder.pairing import entrants_needed
from arena.services.lookup import changed_rules
from arena.store import Transaction, presence
from arena.store import obstacles as repository
from arena.store import tournaments as stored
from arena.store.records import Tournament
from arena.store.states import Format, TournamentState

QUIET: Final = timedelta(seconds=30)
"""How long blocks may wait without a sign of life from any worker: as long as a lease lives."""

SILENT_AFTER: Final = timedelta(seconds=12)
"""Silence after which a worker is told of that has a block on lease: two of its beats and a little."""

SHOWN: Final = 3
"""Obstacles of one kind that are told; the rest would say the same."""


class Kind(StrEnum):
    """What kind of thing it is."""

    PAUSED = "PAUSED"
    RULES_CHANGED = "RULES_CHANGED"
    NO_WORKER = "NO_WORKER"
    LOST_BLOCK = "LOST_BLOCK"
    ABORTED_MATCH = "ABORTED_MATCH"
    TOO_FEW_ENTRANTS = "TOO_FEW_ENTRANTS"
    ABSENT = "ABSENT"
    SILENT_WORKER = "SILENT_WORKER"


@dataclass(frozen=True, slots=True)
class Obstacle:
    """One thing that keeps a tournament from going on; message: one line with the way out."""

    kind: Kind
    message: str


def find_obstacles(tx: Transaction, tournament: Tournament, now: datetime) -> tuple[Obstacle, ...]:
    """Return what keeps a tournament from going on; nothing for one that is not to run now or runs well."""
    name = tournament.name
    found: list[Obstacle] = []
    if tournament.state is TournamentState.PAUSED:
        found.append(Obstacle(Kind.PAUSED, f"{name} is paused; `arena tournament resume {name}` goes on with it"))
    if tournament.state in {TournamentState.RUNNING, TournamentState.PAUSED}:
        changed = changed_rules(tx, tournament.game, tournament.rules_version, tournament.components_digest)
        if changed:
            message = f"{changed}; install what {name} was made for, or `arena tournament cancel {name}`"
            found.append(Obstacle(Kind.RULES_CHANGED, message))
    if tournament.state is TournamentState.RUNNING:
        found += _of_running(tx, tournament, now)
    return tuple(found)


def _of_running(tx: Transaction, tournament: Tournament, now: datetime) -> list[Obstacle]:
    name = tournament.name
    found: list[Obstacle] = []
    absent = repository.list_absent(tx, tournament.id, SHOWN) if tournament.remote else []
    for bot, version in absent:
        found.append(
            Obstacle(Kind.ABSENT, f"{bot}@{version} is not in the lobby; its author has to `arena connect` it")
        )
    waiting = None if absent else repository.waiting_since(tx, tournament.id)
    heard = max((at for at in (repository.last_heard(tx), presence.last_seen(tx)) if at is not None), default=None)
    if waiting is not None and now - max(waiting, heard or waiting) > QUIET:
        since = f"none has been heard of since {heard:%Y-%m-%d %H:%M:%S} UTC" if heard else "none was ever heard of"
        found.append(Obstacle(Kind.NO_WORKER, f"blocks wait for a worker, and {since}; start one, `arena up` has some"))
    found += (
        Obstacle(Kind.SILENT_WORKER, _silence(one))
        for one in repository.list_silent(tx, tournament.id, now - SILENT_AFTER, SHOWN)
    )
    for block in repository.list_lost(tx, tournament.id, SHOWN):
        times = "once" if block.lost == 1 else f"{block.lost} times"
        found.append(
            Obstacle(Kind.LOST_BLOCK, f"block {block.block_id} was lost {times} and is tried again: {block.reason}")
        )
    for match_id, reason in repository.list_aborted(tx, tournament.id, SHOWN):
        found.append(Obstacle(Kind.ABORTED_MATCH, f"match {match_id} stays without a result: {reason}"))
    if tournament.format is Format.LADDER:
        playing = sum(not one.withdrawn for one in stored.list_entrants(tx, tournament.id))
        needed = entrants_needed(tournament.seats)
        if playing < needed:
            message = f"{playing} of the {needed} entrants it needs are left; `arena tournament enter {name} BOT`"
            found.append(Obstacle(Kind.TOO_FEW_ENTRANTS, message))
    return found


def _silence(silent: repository.SilentWorker) -> str:
    what = f"block {silent.block_id}" + ("" if silent.match_id is None else f", match {silent.match_id},")
    return (
        f"{what} is on lease of worker {silent.worker}, which has not been heard of since"
        f" {silent.heard_at:%H:%M:%S} UTC; unless it is by {silent.lease_until:%H:%M:%S}, the block is queued again"
    )
