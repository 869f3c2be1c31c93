"""Steps through a match log and shows any position as one seat, or the public, saw it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import Message

from arena.core.errors import GameError, UsageError
from arena.core.registry import check_seats, find_variant, load_game
from arena.core.seat import CHANCE, Seat
from arena.match.clock import Bank, Clock
from arena.match.course import Course
from arena.match.entries import Entry, Forfeit, Header, Ply
from arena.match.log import BrokenLog, IncompleteLog, Line, read_log
from arena.match.result import MatchResult, SeatEnd
from arena.match.shown import Shown


@dataclass(frozen=True, slots=True)
class Step:
    """One line after the header, and what it brought to the viewer.

    events: the game's own messages, nothing else. story: the same in the game's words.
    """

    line: Line
    events: tuple[Message, ...]
    story: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """What one line of the log brought to one viewer; view: what it is shown after it, not to be changed."""

    view: Message
    events: tuple[Message, ...]
    story: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A turn as a seat was asked it, and what came of it in the log.

    bank_ms: what the seat had left, 0 without a clock. view, legal: what it was shown and could choose from.
    answer: the action it chose; None if it forfeited instead, by end.
    """

    ply: int
    bank_ms: int
    view: Message
    legal: tuple[Any, ...]
    answer: Any | None
    end: SeatEnd | None


class Replay:
    """A log opened for looking at.

    Reads up to the last whole line; `complete` tells whether the result came. Raises BrokenLog for a line that was
    changed or does not fit the rules, LogError for another log version, UnknownName for a game not installed.
    """

    def __init__(self, lines: Iterable[bytes]) -> None:
        self._lines: list[Line] = []
        self.complete = True
        try:
            self._lines.extend(read_log(lines))
        except IncompleteLog as end:
            self.complete = False
            if not self._lines:
                raise BrokenLog(1, "the log has no whole header") from end
        first = self._lines[0].entry
        assert isinstance(first, Header)  # noqa: S101 - read_log gives nothing else first
        self.header = first
        self.game = load_game(first.game)
        variant = find_variant(self.game, first.variant)
        check_seats(self.game, variant, len(first.seats))
        self.components = self.game.components(first.components_text or None, "components_text")
        self.plies = sum(isinstance(line.entry, Ply) for line in self._lines)
        self._rewind()

    def again(self) -> Replay:
        """Return a replay of the same lines that steps on its own; for a log that many look at."""
        other = object.__new__(Replay)
        other.__dict__.update(self.__dict__)
        other._rewind()
        return other

    @property
    def result(self) -> MatchResult | None:
        """The result as the log states it; None if it is incomplete."""
        last = self._lines[-1].entry
        return last.result if not isinstance(last, Header | Ply | Forfeit) else None

    @property
    def entries(self) -> Iterator[Entry]:
        """Every line of the log after its header, in order."""
        return (line.entry for line in self._lines[1:])

    @property
    def forfeits(self) -> dict[Seat, SeatEnd]:
        """Every seat that forfeits in the log, and how."""
        return {seat: end for entry in self.entries if isinstance(entry, Forfeit) for seat, end in entry.ends.items()}

    @property
    def ply(self) -> int:
        """How many plies of the log have been made in the position that is open now."""
        return self._course.plies

    @property
    def to_act(self) -> Seat | None:
        """The seat whose ply is next; None for chance and at the end."""
        actor = self._course.to_act
        return None if actor is CHANCE or actor is None else actor

    def seek(self, ply: int) -> None:
        """Open the position in which this many plies have been made. Raises UsageError outside 0 .. plies."""
        if not 0 <= ply <= self.plies:
            raise UsageError(f"there is no ply {ply}; the log has 0 to {self.plies}")
        if ply < self._course.plies:
            self._rewind()
        while self._course.plies < ply:
            self._make_next()

    def check_seat(self, seat: Seat | None) -> None:
        """Raise UsageError unless the match has this seat; None, the public, is always there."""
        if seat is not None and not 0 <= seat < len(self.header.seats):
            raise UsageError(f"there is no seat {seat}; the match has 0 to {len(self.header.seats) - 1}")

    def view(self, seat: Seat | None) -> Message:
        """Return what this seat (None: the public) is shown in the open position. Raises UsageError for no seat."""
        self.check_seat(seat)
        return self._shown.view(seat)

    def choices(self, seat: Seat | None) -> tuple[Any, ...]:
        """Return what this seat may choose from in the open position; nothing unless it is asked."""
        if seat is None or self.to_act != seat or seat in self._forfeited:
            return ()
        legal = tuple(self._course.state.legal_actions())
        return legal if len(legal) > 1 else ()

    def steps(self, seat: Seat | None) -> Iterator[Step]:
        """Go through the log from its start; every step brings the events this seat (None: the public) then learned."""
        for line, (told,) in self.walk((seat,)):
            yield Step(line, told.events, told.story)

    def walk(self, viewers: Sequence[Seat | None], start: int = 0) -> Iterator[tuple[Line, tuple[Told, ...]]]:
        """Go through the log from the position after `start` plies; each line comes with what each viewer learned.

        viewers: seats, or None for the public. Raises UsageError for a seat or a start that is not there, BrokenLog for
        a line that the rules do not give.
        """
        for seat in viewers:
            self.check_seat(seat)
        self._rewind()
        self.seek(start)
        seen = [_events(self._shown.view(seat)) for seat in viewers]
        while self._at < len(self._lines):
            line = self._lines[self._at]
            self._make_next()
            told: list[Told] = []
            for place, seat in enumerate(viewers):
                view = self._shown.view(seat)
                new: tuple[Message, ...] = ()
                if isinstance(line.entry, Ply):
                    events, before = _events(view), seen[place]
                    acted = line.entry.actor == seat and line.entry.auto is None
                    if seat is None or acted:
                        new = events
                    elif len(events) > len(before) and events[: len(before)] == before:
                        new = events[len(before) :]
                    else:  # an event that grows, as the dice of one roll, or a seat that is told the last ply only
                        new = _events(self._shown.view(None))
                    seen[place] = events
                told.append(Told(view, new, self._story(view, new)))
            yield line, tuple(told)

    def questions(self, seat: Seat) -> Iterator[Question]:
        """Go through the log from its start and yield every turn this seat was asked. Raises as walk does."""
        self.check_seat(seat)
        self._rewind()
        clock = Clock.parse(self.header.clock)
        bank = None if clock is None else Bank(clock)
        while self._at < len(self._lines):
            entry = self._lines[self._at].entry
            legal = self.choices(seat)
            answered = isinstance(entry, Ply) and entry.actor == seat and entry.auto is None
            failed = isinstance(entry, Forfeit) and seat in entry.ends
            if legal and (answered or failed):
                left = 0 if bank is None else bank.remaining_ms
                answer = self.game.actions.parse(entry.action) if isinstance(entry, Ply) else None
                end = entry.ends[seat] if isinstance(entry, Forfeit) else None
                yield Question(self._course.plies, left, self.view(seat), legal, answer, end)
                if bank is not None and isinstance(entry, Ply) and entry.times is not None:
                    bank.spend(entry.times.charged_ms)
            self._make_next()

    def _story(self, view: Any, events: tuple[Message, ...]) -> tuple[str, ...]:
        told = type(view).FromString(view.SerializeToString())
        del told.events[:]
        told.events.extend(events)
        return tuple(self.game.story(told, self.components))

    def _rewind(self) -> None:
        header = self.header
        self._course = Course(self.game, header.variant, len(header.seats), self.components)
        self._shown = Shown(self.game, self._course)
        self._forfeited: set[Seat] = set()
        self._at = 1

    def _make_next(self) -> None:
        line = self._lines[self._at]
        try:
            self._make(line.entry)
        except (GameError, ValueError) as wrong:
            raise BrokenLog(line.number, str(wrong)) from None
        self._at += 1

    def _make(self, entry: Entry) -> None:
        if isinstance(entry, Ply):
            if self._course.to_act != entry.actor:
                raise ValueError(f"it is not up to the actor of ply {entry.ply}")
            action = self.game.actions.parse(entry.action)
            self._shown.before_ply(entry.actor, entry.auto)
            self._course.apply(action, asked=entry.auto is None and entry.actor is not CHANCE)
        elif isinstance(entry, Forfeit):
            self._forfeited.update(entry.ends)
            self._course.forfeit(entry.ends)


def _events(view: Any) -> tuple[Message, ...]:
    return tuple(view.events)
