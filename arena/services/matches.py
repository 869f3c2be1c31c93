"""Reading matches, their logs, and what the bots' programs printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from arena.core.errors import NotFound, PermissionDenied
from arena.services.packing import unpack, unpack_times
from arena.services.results import SeatOutput, SeatTimes
from arena.store import Store, Transaction, bots, tournaments
from arena.store import matches as repository
from arena.store.records import Account, Match, MatchSeat, Page
from arena.store.retention import GONE
from arena.store.states import MatchState, Role

PRUNED: Final = b"[arena: what was printed here is no longer kept]\n"


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
    wanted = repository.MatchFilter(tournament, game, bot, state, running)
    with store.read() as tx:
        if tournament and tournaments.find_tournament(tx, tournament) is None:
            raise NotFound(
                f"there is no tournament {tournament!r}; `arena tournament list` shows them",
                reason="NO_SUCH_TOURNAMENT",
            )
        if bot and bots.find_owner(tx, bot) is None:
            raise NotFound(f"there is no bot {bot!r}; `arena bots` lists them", reason="NO_SUCH_BOT")
        return repository.page_matches(tx, wanted, page_size, page_token)


def get_match(store: Store, match_id: int) -> Match:
    """Return a match. Raises NotFound (NO_SUCH_MATCH)."""
    with store.read() as tx:
        return _find(tx, match_id)


def get_log(store: Store, match_id: int) -> MatchLog:
    """Return a match's log. Raises NotFound (NO_SUCH_MATCH, NO_LOG, LOG_PRUNED), PermissionDenied (DEAL_CLOSED)."""
    with store.read() as tx:
        match = _find(tx, match_id)
        _check_open(match, "its log")
        found = repository.read_log(tx, match_id)
    if found is None:
        raise NotFound(f"match {match_id} has no log: {match.reason}", reason="NO_LOG")
    if found[0] == GONE:
        raise NotFound(
            f"the log of match {match_id} is no longer kept here; its sha256 is {found[1]}", reason="LOG_PRUNED"
        )
    return MatchLog(match_id, unpack(found[0]), found[1])


def get_seat_record(store: Store, caller: Account, match_id: int, seat: int) -> SeatRecord:
    """Return what a seat's program printed and how long it thought; for the bot's author and admins.

    Raises NotFound (NO_SUCH_MATCH, NO_SUCH_SEAT, NO_OUTPUT), PermissionDenied (NOT_YOURS, DEAL_CLOSED).
    """
    with store.read() as tx:
        match = _find(tx, match_id)
        if not 0 <= seat < len(match.seats):
            raise NotFound(f"match {match_id} has seats 0 to {len(match.seats) - 1}, not {seat}", reason="NO_SUCH_SEAT")
        whose = match.seats[seat]
        if caller.name != whose.author and not caller.role.covers(Role.ADMIN):
            raise PermissionDenied(
                f"seat {seat} is {whose.author}'s {whose.bot}; you may read your own bots' output", reason="NOT_YOURS"
            )
        _check_open(match, "the output of its bots")
        output = repository.read_output(tx, match_id, seat)
        times = repository.read_times(tx, match_id, seat)
    if output is None:
        raise NotFound(f"match {match_id} left no output of seat {seat}: {match.reason}", reason="NO_OUTPUT")
    think_ms, charged_ms = unpack_times(times) if times is not None else ((), ())
    printed = SeatOutput(PRUNED, truncated=True) if output[0] == GONE else SeatOutput(unpack(output[0]), output[1])
    return SeatRecord(whose, printed, SeatTimes(think_ms, charged_ms))


def _find(tx: Transaction, match_id: int) -> Match:
    found = repository.find_match(tx, match_id)
    if found is None:
        raise NotFound(f"there is no match {match_id}; `arena matches` lists them", reason="NO_SUCH_MATCH")
    return found


def _check_open(match: Match, what: str) -> None:
    """Raise PermissionDenied (DEAL_CLOSED), whether the match is over or not: nothing of a closed deal is told."""
    if not match.deal_open:
        raise PermissionDenied(
            f"deal {match.deal} of {match.tournament} is still being played; {what} can be read once it is over",
            reason="DEAL_CLOSED",
        )
