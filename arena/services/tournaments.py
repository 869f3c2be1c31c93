"""Tournaments as people see them: reading, watching, standings; and all that can be done with one, in one place."""

from __future__ import annotations

from dataclasses import dataclass

from arena.ladder.solo import Paired, paired
from arena.ladder.standings import Standing, places
from arena.ladder.standings import standings as standings_of
from arena.services.lifecycle import cancel, pause, resume, set_aside, start, withdraw
from arena.services.lookup import find_tournament
from arena.services.proposals import create, enter
from arena.store import Store, matches
from arena.store import tournaments as repository
from arena.store.records import Deal, Entrant, MatchCounts, Page, Tournament
from arena.store.solo import read_solo_games
from arena.store.states import TournamentState

__all__ = [
    "EntrantStanding",
    "Progress",
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
    "resume",
    "set_aside",
    "standings",
    "start",
    "withdraw",
]


@dataclass(frozen=True, slots=True)
class EntrantStanding:
    """A line of the table: who, and how it stands."""

    place: int
    entrant: Entrant
    standing: Standing


@dataclass(frozen=True, slots=True)
class Standings:
    """The table of a tournament, best first, as of the matches that are final now.

    paired: what every two entrants that play alone differ in on the same deals, in the order of the table.
    """

    tournament: Tournament
    counts: MatchCounts
    rows: tuple[EntrantStanding, ...]
    paired: tuple[tuple[Entrant, Entrant, Paired], ...] = ()


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


def standings(store: Store, tournament: str) -> Standings:
    """Return the table as of now. Raises NotFound."""
    with store.read() as tx:
        found = find_tournament(tx, tournament)
        entered = {entrant.version_id: entrant for entrant in repository.list_entrants(tx, found.id)}
        table = standings_of(list(entered), matches.read_played(tx, found.id))
        rows = tuple(EntrantStanding(place, entered[one], table[one]) for place, one in places(table))
        alone = read_solo_games(tx, found.id) if found.seats == 1 else ()
        pairs = paired([one for _, one in places(table)], alone)
        compared = tuple((entered[one], entered[other], pair) for (one, other), pair in pairs.items())
        return Standings(found, repository.count_matches(tx, found.id), rows, compared)


def list_deals(store: Store, tournament: str, *, page_size: int = 0, page_token: str = "") -> Page[Deal]:
    """List the deals of a started tournament in order; the seed of a closed one is withheld. Raises NotFound."""
    with store.read() as tx:
        return repository.page_deals(tx, find_tournament(tx, tournament).id, page_size, page_token)
