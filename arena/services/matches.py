"""Reading matches, their logs, and what the bots' programs printed."""

from __future__ import annotations

from dataclasses import dataclass

from arena.services.results import SeatOutput, SeatTimes
from arena.store import Store
from arena.store.records import Account, Match, MatchSeat, Page
from arena.store.states import MatchState


@dataclass(frozen=True, slots=True)
class MatchLog:
    """A log as it was recorded: JSON Lines in UTF-8, and sha256 over these bytes."""

    match_id: int
    content: bytes
    sha256: str


@dataclass(frozen=True, slots=True)
class SeatRecord:
    """What the author of a seat's bot may read of a match."""

    seat: MatchSeat
    output: SeatOutput
    times: SeatTimes


def list_matches(
    store: Store,
    *,
    tournament: str = "",
    game: str = "",
    bot: str = "",
    state: MatchState | None = None,
    running: bool | None = None,
    page_size: int = 0,
    page_token: str = "",
) -> Page[Match]:
    """List matches, newest first; empty filters match everything.

    running: of the SCHEDULED ones only those being played now (True) or only those waiting (False). Raises NotFound for
    an unknown tournament or bot.
    """
    raise NotImplementedError


def get_match(store: Store, match_id: int) -> Match:
    """Return a match. Raises NotFound (NO_SUCH_MATCH)."""
    raise NotImplementedError


def get_log(store: Store, match_id: int) -> MatchLog:
    """Return a match's log. Raises NotFound (NO_SUCH_MATCH, NO_LOG), PermissionDenied (DEAL_CLOSED)."""
    raise NotImplementedError


def get_seat_record(store: Store, caller: Account, match_id: int, seat: int) -> SeatRecord:
    """Return what a seat's program printed and how long it thought; for the bot's author and admins.

    Raises NotFound (NO_SUCH_MATCH, NO_SUCH_SEAT, NO_OUTPUT), PermissionDenied (NOT_YOURS, DEAL_CLOSED).
    """
    raise NotImplementedError
