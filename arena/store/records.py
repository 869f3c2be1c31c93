"""What the repository hands out: frozen records, free of any database type."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from arena.match.result import MatchEnd, SeatEnd
from arena.store.states import Format, MatchState, Queue, Role, TournamentState, VersionState

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page of a listing; next_page_token is empty on the last one and opaque otherwise."""

    items: tuple[T, ...]
    next_page_token: str


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody who may use the arena."""

    id: int
    name: str
    role: Role
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Token:
    """A token without its secret; only a hash of the secret is stored."""

    id: int
    account: str
    label: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True)
class BotVersion:
    """One submitted archive of a bot; immutable but for its state.

    version: 1, 2, 3 ... per bot. sha256: of the archive's bytes. manifest: text of its bot.toml. reason: why it was
    rejected or set aside, else empty. failed_in_row: tournament matches failed one after the other, up to the latest.
    remote: it plays from its author's machine, sha256 is over its files and there is no archive.
    """

    id: int
    bot: str
    author: str
    version: int
    state: VersionState
    reason: str
    games: tuple[str, ...]
    language: str
    sha256: str
    size_bytes: int
    manifest: str
    submitted_at: datetime
    failed_in_row: int
    remote: bool = False

    @property
    def label(self) -> str:
        """The name people use: "bot@3"."""
        return f"{self.bot}@{self.version}"


@dataclass(frozen=True, slots=True)
class QualificationMatch:
    """The match that decides about a version at one game; seat is the version's.

    running: a worker reports to be playing it. plies: so far, or in all. end, seat_end: None until it is over.
    """

    game: str
    match_id: int
    state: MatchState
    running: bool
    plies: int
    end: MatchEnd | None
    seat: int
    seat_end: SeatEnd | None
    reason: str


@dataclass(frozen=True, slots=True)
class Bot:
    """A bot with its newest version."""

    name: str
    author: str
    latest: BotVersion


@dataclass(frozen=True, slots=True)
class MatchCounts:
    """Matches of a tournament by where they stand; total is the sum of the others.

    running: the matches that workers report to be playing now. without_result: VOID, ABORTED or cancelled.
    """

    total: int
    queued: int
    running: int
    finished: int
    without_result: int


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot version entered in a tournament.

    sha256: of its archive. late: it came after the start. first_deal: the first one it plays. head: it meets the rest
    of a gauntlet. head_start: blocks of a ladder that it counts as played. remote: it plays from its author's machine.
    """

    version_id: int
    bot: str
    version: int
    author: str
    sha256: str = ""
    first_deal: int = 1
    late: bool = False
    head: bool = False
    head_start: int = 0
    withdrawn: bool = False
    remote: bool = False


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament as everybody may see it.

    clock: notation or "none". components_digest: 64 hex digits; custom_components: not the game's own. commitment: hash
    of the secret behind the seeds (64 hex digits), shown from the start. secret: the secret itself as 32 hex digits
    once the tournament is over, else empty. deals: 0 for a ladder without an end. rated: its matches change ratings.
    """

    id: int
    name: str
    organiser: str
    state: TournamentState
    game: str
    variant: str
    seats: int
    deals: int
    clock: str
    rules_version: int
    components_digest: str
    custom_components: bool
    remote: bool
    pool_id: int
    commitment: str
    secret: str
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    format: Format
    rated: bool


@dataclass(frozen=True, slots=True)
class Deal:
    """One deal of a tournament; seed is None until its last block is final."""

    number: int
    seed: bytes | None
    opened_at: datetime | None


@dataclass(frozen=True, slots=True)
class MatchSeat:
    """One seat of a match; rank 0, score None and end None until there is a result."""

    seat: int
    version_id: int
    bot: str
    version: int
    author: str
    rank: int
    score: int | None
    end: SeatEnd | None
    turns: int
    think_max_ms: int
    think_total_ms: int
    charged_total_ms: int


@dataclass(frozen=True, slots=True)
class Match:
    """One match of a tournament.

    deal and leg count from 1. running: a worker reports to be playing it. deal_open: its seed, log and outputs may be
    read. log_sha256: over the log's bytes, empty until the match is final and its deal open. remote: it counts in a
    pool of matches with remote seats.
    """

    id: int
    tournament: str
    game: str
    variant: str
    deal: int
    leg: int
    state: MatchState
    running: bool
    end: MatchEnd | None
    reason: str
    plies: int
    attempts: int
    deal_open: bool
    log_sha256: str
    rating_seq: int | None
    finished_at: datetime | None
    seats: tuple[MatchSeat, ...]
    remote: bool = False


@dataclass(frozen=True, slots=True)
class Pool:
    """Where bots are compared: everything that makes two results alike."""

    id: int
    game: str
    variant: str
    seats: int
    rules_version: int
    components_digest: str
    remote: bool
    draw_probability: float


@dataclass(frozen=True, slots=True)
class RatingRow:
    """A line of a leaderboard.

    place: 1 is best, equal scores share one. matches: rated matches folded in; pending: scheduled ones that are not
    yet. mean_rank: 0.0 without a match. forfeits: rated matches in which this version's seat did not end PLAYED.
    """

    place: int
    version_id: int
    bot: str
    version: int
    author: str
    mu: float
    sigma: float
    score: float
    matches: int
    pending: int
    mean_rank: float
    forfeits: int


@dataclass(frozen=True, slots=True)
class RatingChange:
    """What one rated match changed for one version."""

    bot: str
    version: int
    pool_id: int
    rating_seq: int
    match_id: int
    rank: int
    mu_before: float
    sigma_before: float
    mu_after: float
    sigma_after: float
    finished_at: datetime


@dataclass(frozen=True, slots=True)
class LegSeat:
    """Who sits where in a leg that a worker has to play; sha256 is empty for the arena's own bot: it has no archive.

    remote: the seat is played from its author's machine.
    """

    version_id: int
    bot: str
    version: int
    sha256: str
    manifest: str
    remote: bool = False


@dataclass(frozen=True, slots=True)
class Leg:
    """A match that a worker has to play; seats in seat order, seed of 16 bytes."""

    match_id: int
    leg: int
    seed: bytes
    seats: tuple[LegSeat, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """A block on lease, with everything a worker needs; legs holds only those without a result, in order.

    components: text of a component file, empty for the game's own. clock: notation or "none". more: whether another
    hosted block was queued then.
    """

    block_id: int
    attempt: int
    lease_until: datetime
    queue: Queue
    tournament: str
    game: str
    variant: str
    rules_version: int
    components: str
    clock: str
    legs: tuple[Leg, ...]
    more: bool
