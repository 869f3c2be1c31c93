"""Open ladders: as many blocks as there are places for everybody always wait, each on a deal of its own."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Final

from arena.ladder.openladder import Climber, longest_wait, next_group
from arena.ladder.pairing import cyclic_orders
from arena.ladder.rating import MU
from arena.ladder.seeds import deal_seed
from arena.services.planning import seed_of
from arena.store import Transaction, climbing, schedule
from arena.store import tournaments as repository
from arena.store.records import Entrant, Tournament
from arena.store.states import Lane, TournamentState

LEAST_AHEAD: Final = 4
"""Blocks that wait or are being played on a ladder, at the least: something for several workers, and not so much that
opponents are chosen by ratings of long ago."""


def top_up(tx: Transaction, tournament: Tournament, now: datetime) -> int:
    """Schedule blocks until enough wait; return how many. The caller has locked the tournament.

    Nothing is done on a ladder that does not run, has no entrants to fill a match, or has dealt all it was to deal.
    """
    if tournament.state is not TournamentState.RUNNING:
        return 0
    climbers = climbers_of(tx, tournament)
    if len(climbers) < max(tournament.seats, 2):
        return 0
    dealt = climbing.count_deals(tx, tournament.id)
    ahead = max(LEAST_AHEAD, -(-len(climbers) // tournament.seats))
    missing = ahead - climbing.count_unfinished(tx, tournament.id)
    if tournament.deals:
        missing = min(missing, tournament.deals - dealt)
    if missing <= 0:
        return 0
    seed = seed_of(tx, tournament)
    numbers = range(dealt + 1, dealt + missing + 1)
    deal_ids = repository.insert_deals(
        tx, tournament.id, [deal_seed(seed, number) for number in numbers], first=dealt + 1
    )
    planned, groups = [], []
    for number, deal_id in zip(numbers, deal_ids, strict=True):
        group = next_group(climbers, tournament.seats)
        planned.append(schedule.PlannedBlock(deal_id, cyclic_orders(group, mirrored=number % 2 == 1)))
        groups.append((number, group))
        climbers = [
            replace(one, blocks=one.blocks + 1, waited=0) if one.key in group else replace(one, waited=one.waited + 1)
            for one in climbers
        ]
    schedule.insert_blocks(tx, tournament, planned, now, lane=Lane.LADDER)
    for number, group in groups:
        climbing.count_block(tx, tournament.id, number, group)
    return missing


def climbers_of(tx: Transaction, tournament: Tournament) -> list[Climber]:
    """Return how everybody on a ladder stands who has not withdrawn, in order of entry."""
    return [
        Climber(rung.version_id, rung.blocks, rung.since, MU if rung.mu is None else rung.mu)
        for rung in climbing.list_rungs(tx, tournament.id)
    ]


def newcomer(tx: Transaction, tournament: Tournament, entrant: Entrant) -> Entrant:
    """Return the entry of somebody who joins a ladder that runs: level with whoever has played least."""
    head_start = min((one.blocks for one in climbers_of(tx, tournament)), default=0)
    return replace(entrant, late=True, first_deal=climbing.count_deals(tx, tournament.id) + 1, head_start=head_start)


def waits(tx: Transaction, tournament: Tournament) -> tuple[int, int]:
    """Return the longest wait on a ladder now and its bound, in blocks scheduled."""
    climbers = climbers_of(tx, tournament)
    return max((one.waited for one in climbers), default=0), longest_wait(len(climbers))
