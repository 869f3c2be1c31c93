"""Tournaments as people see them: reading, watching, standings; and all that can be done with one, in one place."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from arena.services import ladder
from arena.services.lifecycle import cancel, pause, resume, set_aside, start, withdraw
from arena.services.lookup import find_tournament
from arena.services.obstacles import Obstacle, find_obstacles
from arena.services.proof import Proof, proof
from arena.services.proposals import create, enter
from arena.services.standings import EntrantStanding, Standings, standings
from arena.store import Store, Transaction
from arena.store import tournaments as repository
from arena.store.records import Deal, Entrant, MatchCounts, Page, Tournament
from arena.store.states import Format, TournamentState

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


RATED_OVER: Final = timedelta(minutes=5)
"""Over how long the rate of a tournament is taken: long enough for slow games, short enough to show a change."""

RATE_STEP_S: Final = 5


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a tournament is.

    finished_deals: those that are open. longest_wait, wait_bound: on a ladder, the most blocks scheduled since somebody
    last was in one, and the most that this can become. obstacles: what keeps it from going on. matches_per_minute: of
    late. seconds_left: at that rate, None where nothing ends or there is no end.
    """

    tournament: Tournament
    counts: MatchCounts
    finished_deals: int
    longest_wait: int = 0
    wait_bound: int = 0
    obstacles: tuple[Obstacle, ...] = ()
    matches_per_minute: float = 0.0
    seconds_left: int | None = None


def get(store: Store, tournament: str) -> Tournament:
    """Return a tournament by name. Raises NotFound (NO_SUCH_TOURNAMENT)."""
    with store.read() as tx:
        return find_tournament(tx, tournament)


def list_tournaments(
    store: Store,
    *,
    state: TournamentState | None = None,
    requests: bool = False,
    page_size: int = 0,
    page_token: str = "",
) -> Page[Tournament]:
    """List tournaments, newest first; requests: also the matches that somebody asked for."""
    with store.read() as tx:
        return repository.page_tournaments(tx, state, page_size, page_token, requests=requests)


def entrants(store: Store, tournament: str) -> tuple[Entrant, ...]:
    """Return everybody entered, in order of entry. Raises NotFound."""
    with store.read() as tx:
        return repository.list_entrants(tx, find_tournament(tx, tournament).id)


def progress(store: Store, tournament: str, now: datetime | None = None) -> Progress:
    """Return how far a tournament is, read from the stored rows; now: for its obstacles, too. Raises NotFound."""
    with store.read() as tx:
        found = find_tournament(tx, tournament)
        wait, bound = ladder.waits(tx, found) if found.format is Format.LADDER else (0, 0)
        counts = repository.count_matches(tx, found.id)
        rate = 0.0 if now is None else _matches_per_minute(tx, found, now)
        left = counts.queued + counts.running
        return Progress(
            found,
            counts,
            repository.count_open_deals(tx, found.id),
            wait,
            bound,
            () if now is None else find_obstacles(tx, found, now),
            rate,
            round(60 * left / rate) if rate and found.format is not Format.LADDER else None,
        )


def _matches_per_minute(tx: Transaction, tournament: Tournament, now: datetime) -> float:
    """Return how many matches ended per minute, in RATED_OVER or since the start.

    Its end moves in steps, so that a watch in which nothing happens does not tell a new rate at every look.
    """
    if tournament.state is not TournamentState.RUNNING or tournament.started_at is None:
        return 0.0
    until = datetime.fromtimestamp(now.timestamp() // RATE_STEP_S * RATE_STEP_S, UTC)
    since = max(tournament.started_at, until - RATED_OVER)
    minutes = (until - since).total_seconds() / 60
    return round(repository.count_finished(tx, tournament.id, since) / minutes, 1) if minutes > 0 else 0.0


def list_deals(store: Store, tournament: str, *, page_size: int = 0, page_token: str = "") -> Page[Deal]:
    """List the deals of a started tournament in order; the seed of a closed one is withheld. Raises NotFound."""
    with store.read() as tx:
        return repository.page_deals(tx, find_tournament(tx, tournament).id, page_size, page_token)
