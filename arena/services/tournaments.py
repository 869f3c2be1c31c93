"""Round-robin tournaments: making, starting, watching, standings."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime

from arena.ladder.standings import Standing
from arena.services.accounts import Entropy
from arena.store import Store
from arena.store.records import Account, Deal, Entrant, MatchCounts, Page, Tournament
from arena.store.states import TournamentState


@dataclass(frozen=True, slots=True)
class EntrantStanding:
    """A line of the table: who, and how it stands."""

    place: int
    entrant: Entrant
    standing: Standing


@dataclass(frozen=True, slots=True)
class Standings:
    """The table of a tournament, best first, as of the matches that are final now."""

    tournament: Tournament
    counts: MatchCounts
    rows: tuple[EntrantStanding, ...]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a tournament is; finished_deals counts the deals that are open."""

    tournament: Tournament
    counts: MatchCounts
    finished_deals: int


def create(
    store: Store,
    caller: Account,
    now: datetime,
    *,
    name: str,
    game: str,
    entrants: tuple[tuple[str, int], ...] = (),
    variant: str = "",
    seats: int = 0,
    deals: int = 1,
    clock: str = "",
    components: str = "",
    entropy: Entropy = secrets.token_bytes,
) -> Tournament:
    """Make a round-robin tournament, state CREATED; organisers only. Everything is checked before anything is stored.

    entrants: (bot, version), 0 for the newest accepted one; more can enter until the start. variant "": the game's
    first; seats 0: the fewest the variant allows; clock "": the game's own, "none": no clock; components: text of a
    component file, "" for the game's own. A secret is drawn and its hash published as the commitment.
    Raises UsageError (BAD_NAME, UNKNOWN_GAME, UNKNOWN_VARIANT, WRONG_NUMBER_OF_SEATS, BAD_CLOCK, BAD_COMPONENTS ...),
    NotFound (NO_SUCH_BOT, NO_SUCH_VERSION), Conflict (TOURNAMENT_EXISTS, VERSION_NOT_ACCEPTED, WRONG_GAME,
    ALREADY_ENTERED), LimitReached (TOO_MANY_MATCHES), PermissionDenied.
    """
    raise NotImplementedError


def enter(store: Store, caller: Account, now: datetime, *, tournament: str, bot: str, version: int = 0) -> Entrant:
    """Enter a bot version while entry is open: its author, or any bot for an organiser.

    Raises NotFound, PermissionDenied, Conflict (ENTRY_CLOSED, ALREADY_ENTERED, VERSION_NOT_ACCEPTED, WRONG_GAME).
    """
    raise NotImplementedError


def start(store: Store, caller: Account, tournament: str, now: datetime) -> Tournament:
    """Close entry, derive the seeds and queue every block, deal after deal; the same request twice is a success.

    Raises NotFound (NO_SUCH_TOURNAMENT), PermissionDenied, Conflict (TOO_FEW_ENTRANTS, TOURNAMENT_OVER, RULES_CHANGED),
    LimitReached (TOO_MANY_MATCHES).
    """
    raise NotImplementedError


def get(store: Store, tournament: str) -> Tournament:
    """Return a tournament by name. Raises NotFound (NO_SUCH_TOURNAMENT)."""
    raise NotImplementedError


def list_tournaments(
    store: Store, *, state: TournamentState | None = None, page_size: int = 0, page_token: str = ""
) -> Page[Tournament]:
    """List tournaments, newest first."""
    raise NotImplementedError


def entrants(store: Store, tournament: str) -> tuple[Entrant, ...]:
    """Return everybody entered, in order of entry. Raises NotFound."""
    raise NotImplementedError


def progress(store: Store, tournament: str) -> Progress:
    """Return how far a tournament is, counted from the stored rows. Raises NotFound."""
    raise NotImplementedError


def standings(store: Store, tournament: str) -> Standings:
    """Return the table as of now. Raises NotFound."""
    raise NotImplementedError


def list_deals(store: Store, tournament: str, *, page_size: int = 0, page_token: str = "") -> Page[Deal]:
    """List the deals of a started tournament in order; the seed of a closed one is withheld. Raises NotFound."""
    raise NotImplementedError
