"""Tournaments as people see them: reading, watching, standings; and all that can be done with one, in one place."""

from __future__ import annotations

from dataclasses import dataclass

from arena.services.lifecycle import cancel, pause, resume, set_aside, start, withdraw
from arena.services.lookup import find_tournament
from arena.services.proof import Proof, proof
from arena.services.proposals import create, enter
from arena.services.standings import EntrantStanding, Standings, standings
from arena.store import Store
from arena.store import tournaments as repository
from arena.store.records import Deal, Entrant, MatchCounts, Page, Tournament
from arena.store.states import TournamentState

__all__ = [
    "EntrantStanding",
    "Progress",
    "Proof",
    "Standings",
    "cancel",
    "create",
    "enter",
    "entrants",
    "get",
    "list_deals",
    "list_tournaments",
    "pause",
    "progress",
    "proof",
    "resume",
    "set_aside",
    "standings",
    "start",
    "withdraw",
]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a tournament is; finished_deals counts the deals that are open."""

    tournament: Tournament
    counts: MatchCounts
    finished_deals: int


def get(store: Store, tournament: str) -> Tournament:
    """Return a tournament by name. Raises NotFound (NO_SUCH_TOURNAMENT)."""
    with store.read() as tx:
        return find_tournament(tx, tournament)


def list_tournaments(
    store: Store, *, state: TournamentState | None = None, page_size: int = 0, page_token: str = ""
) -> Page[Tournament]:
    """List tournaments, newest first."""
    with store.read() as tx:
        return repository.page_tournaments(tx, state, page_size, page_token)


def entrants(store: Store, tournament: str) -> tuple[Entrant, ...]:
    """Return everybody entered, in order of entry. Raises NotFound."""
    with store.read() as tx:
        return repository.list_entrants(tx, find_tournament(tx, tournament).id)


def progress(store: Store, tournament: str) -> Progress:
    """Return how far a tournament is, counted from the stored rows. Raises NotFound."""
    with store.read() as tx:
        found = find_tournament(tx, tournament)
        return Progress(found, repository.count_matches(tx, found.id), repository.count_open_deals(tx, found.id))


def list_deals(store: Store, tournament: str, *, page_size: int = 0, page_token: str = "") -> Page[Deal]:
    """List the deals of a started tournament in order; the seed of a closed one is withheld. Raises NotFound."""
    with store.read() as tx:
        return repository.page_deals(tx, find_tournament(tx, tournament).id, page_size, page_token)
