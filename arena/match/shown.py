"""What each seat is shown: the game's views, with no event lost to plies that were made without asking."""

from __future__ import annotations

from typing import Any

from google.protobuf.message import Message

from arena.core.game import AnyGame
from arena.core.seat import CHANCE, Actor, Seat
from arena.match.course import Auto, Course


class Shown:
    """The views of one match.

    A game's view tells what happened since its seat last acted. A seat whose ply is made without asking has acted
    but seen nothing; the events it would have been shown then are kept and go before those of its next view.
    """

    def __init__(self, game: AnyGame, course: Course) -> None:
        self._game = game
        self._course = course
        self._kept: dict[Seat, list[Any]] = {}
        self._answered: dict[Seat, list[Any]] = {}
        self._last: tuple[int, Seat | None, Message] | None = None

    def view(self, seat: Seat | None) -> Message:
        """Return the game's view message for this seat, None for the public; the message is not to be changed."""
        if self._last is not None and self._last[:2] == (self._course.plies, seat):
            return self._last[2]
        view: Any = self._game.view(self._course.state, seat)
        kept = self._kept.get(seat) if seat is not None else None
        if kept:
            later = list(view.events)
            del view.events[:]
            view.events.extend([*kept, *later])
        self._last = (self._course.plies, seat, view)
        return view  # type: ignore[no-any-return] # each game has its own message class

    def history(self, seat: Seat) -> list[Message]:
        """Return all events this seat was shown in turns it has answered, oldest first."""
        return [event for view in self._answered.get(seat, ()) for event in view.events]

    def before_ply(self, actor: Actor, auto: Auto | None) -> None:
        """Note that this actor's ply is about to be applied."""
        if actor is CHANCE:
            return
        view: Any = self.view(actor)
        if auto is None:
            self._answered.setdefault(actor, []).append(view)
            self._kept.pop(actor, None)
        else:
            self._kept[actor] = list(view.events)
