"""Which blocks a tournament plays: its entrants and deals handed to the pairing, and the answer to the schedule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Final

from arena.core.errors import Conflict, LimitReached
from arena.ladder import pairing
from arena.ladder.rating import Rating
from arena.ladder.seeds import deal_seed, tournament_seed
from arena.store import Transaction, schedule
from arena.store import tournaments as repository
from arena.store.records import Entrant, Tournament
from arena.store.states import Format, Queue, TournamentState

MAX_MATCHES: Final = 100_000
"""Matches of one tournament: scheduled in one transaction of some ten seconds, in which nobody else can write to
SQLite; heartbeats wait for it and still have to come within a lease."""


def check_plan(tournament: Tournament, entered: Sequence[Entrant], *, deals: int | None = None) -> None:
    """Raise Conflict (TOO_FEW_ENTRANTS) or LimitReached unless those entered can play a tournament's deals."""
    playing = [one for one in entered if not one.withdrawn]
    heads = sum(one.head for one in playing)
    needed = pairing.entrants_needed(tournament.seats, heads=heads if tournament.format is Format.GAUNTLET else None)
    if len(playing) < needed:
        raise Conflict(
            f"{tournament.name} has {len(playing)} entrants and needs {needed} for its {tournament.seats} seats;"
            " enter more bots",
            reason="TOO_FEW_ENTRANTS",
        )
    if tournament.format is not Format.LADDER:
        check_size(
            tournament.format, len(playing), heads, tournament.seats, tournament.deals if deals is None else deals
        )


def check_size(kind: Format, entrants: int, heads: int, seats: int, deals: int) -> None:
    """Raise UsageError (TOO_FEW_ENTRANTS) or LimitReached (TOO_MANY_MATCHES, TOO_MANY_ENTRANTS)."""
    if kind is Format.GAUNTLET:
        pairing.check_gauntlet(heads, entrants - heads, seats)
        planned = pairing.count_gauntlet_matches(heads, entrants - heads, seats, deals)
    else:
        pairing.check_entrants(entrants, seats)
        planned = pairing.count_matches(entrants, seats, deals)
    if planned > MAX_MATCHES:
        raise LimitReached(
            f"{entrants} entrants on {deals} deals are {planned} matches, {MAX_MATCHES} are allowed; take fewer deals",
            reason="TOO_MANY_MATCHES",
        )


def insert_plan(
    tx: Transaction,
    tournament: Tournament,
    entered: Sequence[Entrant],
    now: datetime,
    deals: Sequence[tuple[int, int]] = (),
) -> None:
    """Store the blocks of deals, (number, id) each, for everybody who has not withdrawn; none given: all, made here.

    A remote tournament is planned whole, see deal_each_leg.
    """
    playing = [one for one in entered if not one.withdrawn]
    held = tournament.state is TournamentState.PAUSED
    if tournament.remote:
        planned = _planned(tournament, playing, range(tournament.deals))
        schedule.insert_blocks(tx, tournament, deal_each_leg(tx, tournament, playing, planned), now, held=held)
        return
    deals = deals or _new_deals(tx, tournament, tournament.deals)
    planned = _planned(tournament, playing, [deal_id for _, deal_id in deals])
    schedule.insert_blocks(tx, tournament, planned, now, held=held)


def deal_each_leg(
    tx: Transaction, tournament: Tournament, playing: Sequence[Entrant], planned: Iterable[schedule.PlannedBlock]
) -> list[schedule.PlannedBlock]:
    """Return every leg of a remote tournament's blocks as a block of its own, on a deal of its own, made here.

    A bot on its author's machine remembers: no deal may come twice before it. So nothing is paired, and statistics over
    blocks are statistics over matches. Legs of hosted bots alone need no public worker.
    """
    remote = {one.version_id for one in playing if one.remote}
    legs = [leg for block in planned for leg in block.legs]
    deals = _new_deals(tx, tournament, len(legs))
    return [
        schedule.PlannedBlock(deal_id, (leg,), Queue.HOSTED if remote.isdisjoint(leg) else Queue.REMOTE)
        for (_, deal_id), leg in zip(deals, legs, strict=True)
    ]


def insert_ratings(tx: Transaction, tournament: Tournament, entered: Sequence[Entrant]) -> None:
    """Give everybody who is new to the pool of a rated tournament the first rating."""
    if tournament.rated:
        first = Rating()
        ids = [entrant.version_id for entrant in entered]
        schedule.insert_first_ratings(
            tx, tournament.pool_id, ids, schedule.FirstRating(first.mu, first.sigma, first.score)
        )


def seed_of(tx: Transaction, tournament: Tournament) -> bytes:
    """Return a tournament's seed: of its secret and the archives of those who were in at the start."""
    entered = repository.list_entrants(tx, tournament.id)
    archives = [one.sha256 for one in entered if not one.late]
    return tournament_seed(repository.read_secret(tx, tournament.id), archives)


def _new_deals(tx: Transaction, tournament: Tournament, count: int) -> list[tuple[int, int]]:
    seed = seed_of(tx, tournament)
    numbers = range(1, count + 1)
    ids = repository.insert_deals(tx, tournament.id, [deal_seed(seed, number) for number in numbers])
    return list(zip(numbers, ids, strict=True))


def _planned(
    tournament: Tournament, playing: Sequence[Entrant], deal_ids: Sequence[int]
) -> Iterator[schedule.PlannedBlock]:
    # A gauntlet's pairing numbers the heads first.
    ordered = sorted(playing, key=lambda one: not one.head)
    heads = sum(one.head for one in ordered)
    if tournament.format is Format.GAUNTLET:
        blocks = pairing.gauntlet(heads, len(ordered) - heads, tournament.seats, len(deal_ids))
    else:
        blocks = pairing.round_robin(len(ordered), tournament.seats, len(deal_ids))
    for block in blocks:
        legs = tuple(tuple(ordered[number].version_id for number in leg) for leg in block.legs)
        yield schedule.PlannedBlock(deal_ids[block.deal - 1], legs)
