"""The course of a match by the rules and by forfeits alone; match, verify and replay all run on it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from arena.core.chance import Stream
from arena.core.game import AnyGame, Components, State
from arena.core.seat import Actor, Seat
from arena.match.result import MatchEnd, MatchResult, SeatEnd, final_ranks


class Auto(StrEnum):
    """Why a seat's action was applied without asking."""

    FORCED = "forced"
    DEFAULT = "default"


class Course:
    """State, forfeits and result of one match; knows no log, no clock and no views.

    A match goes on until the rules end it or fewer than two seats are left that did not forfeit (with one seat: until
    that seat forfeits). Until then a forfeited seat is played on by the game's default action.
    """

    def __init__(self, game: AnyGame, variant: str, seats: int, components: Components) -> None:
        self.game = game
        self.seats = seats
        self.state: State = game.new(variant, seats, components)
        self.plies = 0
        self.result: MatchResult | None = None
        self._ends = [SeatEnd.PLAYED] * seats
        self._moments: dict[Seat, int] = {}
        self._forfeits = 0
        self._answered = False
        self._close_if_over()

    @property
    def to_act(self) -> Actor | None:
        """Who makes the next ply; None when the match is over, whether by the rules or not."""
        return None if self.result is not None else self.state.to_act

    @property
    def seat_ends(self) -> tuple[SeatEnd, ...]:
        """How each seat stands now."""
        return tuple(self._ends)

    def automatic(self, seat: Seat, legal: tuple[Any, ...]) -> Auto | None:
        """Say whether this seat's ply needs no asking: one legal action, or a forfeited seat."""
        if len(legal) == 1:
            return Auto.FORCED
        return Auto.DEFAULT if seat in self._moments else None

    def automatic_action(self, auto: Auto, legal: tuple[Any, ...]) -> Any:
        """Return the action that is applied without asking."""
        return legal[0] if auto is Auto.FORCED else self.game.default_action(self.state)

    def draw(self, stream: Stream) -> Any:
        """Return the action chance makes now, by this stream."""
        return self.game.draw(self.state, stream)

    def apply(self, action: Any, *, asked: bool) -> None:
        """Make one ply. asked: a bot chose it. Raises IllegalAction and changes nothing if the rules forbid it."""
        self.state.apply(action)
        self.plies += 1
        self._answered = self._answered or asked
        self._close_if_over()

    def forfeit(self, ends: Mapping[Seat, SeatEnd]) -> dict[Seat, SeatEnd]:
        """Take seats out at one moment; return those that were still in (none once the match is over)."""
        if self.result is not None:
            return {}
        new = {seat: SeatEnd(ends[seat]) for seat in sorted(ends) if seat not in self._moments}
        for seat, end in new.items():
            if end is SeatEnd.PLAYED or not 0 <= seat < self.seats:
                raise ValueError(f"seat {seat} cannot forfeit as {end}")
        for seat, end in new.items():
            self._ends[seat] = end
            self._moments[seat] = self._forfeits
        self._forfeits += bool(new)
        self._close_if_over()
        return new

    def abort(self, reason: str) -> None:
        """End the match as ABORTED: the arena's fault or the absolute cap. No effect once it is over."""
        if self.result is None:
            self._close_unranked(MatchEnd.ABORTED, reason)

    def _close_if_over(self) -> None:
        remaining = self.seats - len(self._moments)
        outcome = self.state.outcome
        if remaining == 0 and self.seats > 1 and not self._answered:
            self._close_unranked(MatchEnd.VOID, "no bot started")
        elif self._moments and (remaining == 0 or (remaining == 1 and self.seats > 1)):
            ranks = final_ranks(self.seats, None, self._moments)
            self._close(MatchEnd.FORFEIT, ranks, (None,) * self.seats, "forfeit")
        elif outcome is not None:
            end = MatchEnd.FORFEIT if self._moments else MatchEnd.COMPLETED
            ranks = final_ranks(self.seats, outcome.ranks, self._moments)
            self._close(end, ranks, outcome.scores, outcome.reason)

    def _close_unranked(self, end: MatchEnd, reason: str) -> None:
        self._close(end, (0,) * self.seats, (None,) * self.seats, reason)

    def _close(self, end: MatchEnd, ranks: tuple[int, ...], scores: tuple[int | None, ...], reason: str) -> None:
        self.result = MatchResult(end, self.seat_ends, ranks, scores, reason, self.plies)
