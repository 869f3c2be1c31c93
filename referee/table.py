"""The live matches of this process and the tickets to their seats."""

from __future__ import annotations

from typing import TypeAlias

from arena.core import Seat
from arena.core.errors import Conflict, NotFound
from arena.match.setup import Setup
from referee.hosted import HostedMatch
from referee.ports import Watcher
from referee.tickets import Tickets
from referee.timekeeper import TableTime

SeatAt: TypeAlias = tuple[HostedMatch, Seat]


class Table:
    """What is being played now."""

    def __init__(self, time: TableTime) -> None:
        self._time = time
        self._matches: dict[str, tuple[HostedMatch, tuple[str, ...]]] = {}
        self._tickets: Tickets[SeatAt] = Tickets()
        self._remote: Tickets[SeatAt] = Tickets()

    def __len__(self) -> int:
        return len(self._matches)

    def open(
        self, setup: Setup, cap_ms: int, watcher: Watcher, remote: frozenset[int] = frozenset()
    ) -> tuple[HostedMatch, tuple[str, ...]]:
        """Begin a match; return it and one ticket per seat. remote: seats whose tickets are for the public address.

        Raises Conflict if a match with this id is running, UsageError for a setup that cannot be played.
        """
        if setup.match_id in self._matches:
            raise Conflict(f"match {setup.match_id!r} is running here already", reason="MATCH_EXISTS")
        hosted = HostedMatch(setup, self._time, cap_ms, watcher)
        tickets = tuple(
            (self._remote if place.seat in remote else self._tickets).issue((hosted, place.seat))
            for place in hosted.places
        )
        self._matches[setup.match_id] = (hosted, tickets)
        self._time.watch()
        return hosted, tickets

    def close(self, match_id: str) -> None:
        """Forget a match, stopping it if it still runs; its tickets open nothing any more."""
        hosted, tickets = self._matches.pop(match_id)
        hosted.stop()
        for ticket in tickets:
            self._tickets.withdraw(ticket)
            self._remote.withdraw(ticket)
        self._time.unwatch()

    def find(self, match_id: str) -> HostedMatch | None:
        """Return a live match, None if there is none with this id."""
        known = self._matches.get(match_id)
        return None if known is None else known[0]

    def seat_of(self, ticket: str) -> SeatAt | None:
        """Return what a ticket opens, None if it opens nothing."""
        return self._tickets.find(ticket)

    def remote_seat_of(self, ticket: str) -> SeatAt | None:
        """Return what a ticket opens at the public address, None if it opens nothing there."""
        return self._remote.find(ticket)


def checked_seat(hosted: HostedMatch, seat: int) -> Seat:
    """Return the number as a seat of this match. Raises NotFound if it has no such seat."""
    if not 0 <= seat < len(hosted.places):
        raise NotFound(f"this match has no seat {seat}, only 0 .. {len(hosted.places) - 1}", reason="UNKNOWN_SEAT")
    return Seat(seat)
