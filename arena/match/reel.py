"""A replay as frames: each position drawn, what led to it in words, the clocks; as one viewer is shown it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from google.protobuf.message import Message

from arena.core.errors import LogError, UsageError
from arena.core.game import AnyGame, DrawsAll
from arena.core.seat import CHANCE, Actor, Seat
from arena.match.clock import Bank, Clock
from arena.match.entries import Forfeit, Header, Ply, Times
from arena.match.replay import Replay, Told
from arena.match.result import SeatEnd

ALL: Final = "all"
PUBLIC: Final = "public"
_SEAT: Final = "seat-"

Perspective: TypeAlias = Seat | Literal["all", "public"]
"""Who looks: a seat, everybody ("public"), or somebody who may see what every seat sees ("all")."""


@dataclass(frozen=True, slots=True)
class Happening:
    """One line of the log. words: what the viewer was told, in the game's words.

    actor: None for a forfeit. made: why nobody was asked ("forced", "default"), else "". ends: seats that went out.
    times: of an asked turn.
    """

    actor: Actor | None
    words: tuple[str, ...]
    made: str
    times: Times | None
    ends: tuple[tuple[Seat, SeatEnd], ...] = ()


@dataclass(frozen=True, slots=True)
class Frame:
    """The position after `ply` plies; picture: SVG. happenings: what led here from the frame before.

    banks: what each seat has left, in ms; empty without a clock.
    """

    ply: int
    picture: str
    happenings: tuple[Happening, ...]
    banks: tuple[int, ...]


def parse_perspective(text: str) -> Perspective:
    """Read "all", "public" or "seat-N". Raises UsageError (BAD_PERSPECTIVE)."""
    if text == ALL:
        return "all"
    if text == PUBLIC:
        return "public"
    number = text.removeprefix(_SEAT)
    if number == text or len(number) > 2 or not (number.isascii() and number.isdecimal()):
        raise UsageError("a perspective is all, public or seat-N", reason="BAD_PERSPECTIVE")
    return Seat(int(number))


def perspective_text(perspective: Perspective) -> str:
    """Return a perspective the way parse_perspective reads it."""
    return f"{_SEAT}{perspective}" if isinstance(perspective, int) else perspective


def check_playable(replay: Replay) -> None:
    """Raise LogError for another rules version than is installed, BrokenLog for a line that the rules do not give."""
    header, installed = replay.header, replay.game.spec.rules_version
    if header.rules != installed:
        raise LogError(
            f"the log was played by rules version {header.rules} of {header.game}, installed is {installed};"
            " open it with the release that wrote it",
            reason="OTHER_RULES_VERSION",
        )
    replay.seek(replay.plies)


def course_of(replay: Replay) -> str:
    """Return one character a ply: "c" for chance, the seat's digit where it was asked, "." where it was not."""
    plies = (entry for entry in replay.entries if isinstance(entry, Ply))
    return "".join("c" if ply.actor is CHANCE else "." if ply.auto else f"{ply.actor}" for ply in plies)


def frames(replay: Replay, perspective: Perspective, first: int, last: int) -> Iterator[Frame]:
    """Draw the positions first .. last, both included, as they are shown from this perspective.

    Raises UsageError for a ply or a seat that the match does not have, BrokenLog for a line that the rules do not give.
    """
    if not 0 <= first <= last <= replay.plies:
        raise UsageError(f"there are no plies {first} to {last}; the log has 0 to {replay.plies}", reason="NO_SUCH_PLY")
    viewers = _viewers(replay, perspective)
    banks = _Banks(replay.header)
    start = max(0, first - 1)
    banks.run_to(replay, start)
    replay.seek(start)
    views: Sequence[Message] = [replay.view(viewer) for viewer in viewers]
    ply, led = start, list[Happening]()
    for line, told in replay.walk(viewers, start):
        entry = line.entry
        if isinstance(entry, Ply):
            if ply >= first:
                yield Frame(ply, _picture(replay, perspective, views, entry.actor), tuple(led), banks.left)
            if ply == last:
                return
            led = [Happening(entry.actor, _together(told, perspective), entry.auto or "", entry.times)]
            banks.take(entry)
            ply, views = ply + 1, [each.view for each in told]
        elif isinstance(entry, Forfeit):
            banks.take(entry)
            led.append(Happening(None, (), "", entry.times, tuple(entry.ends.items())))
    yield Frame(ply, _picture(replay, perspective, views, CHANCE), tuple(led), banks.left)


def picture(game: AnyGame, view: Any, components: Any) -> str:
    """Draw a view without its events, which a page lists beside the picture."""
    return game.render_svg(_without_events(view), components)


def _viewers(replay: Replay, perspective: Perspective) -> tuple[Seat | None, ...]:
    if isinstance(perspective, int):
        return (perspective,)
    seats = len(replay.header.seats)
    if perspective == PUBLIC or not replay.game.secrets(seats):
        return (None,)
    return (None, *(Seat(seat) for seat in range(seats)))


def _picture(replay: Replay, perspective: Perspective, views: Sequence[Message], actor: Actor) -> str:
    if perspective != ALL or len(views) == 1:
        return picture(replay.game, views[0], replay.components)
    if isinstance(replay.game, DrawsAll):
        return replay.game.render_all([_without_events(view) for view in views[1:]], replay.components)
    # A game without such a drawing shows what the seat sees that is to decide.
    return picture(replay.game, views[0 if actor is CHANCE else 1 + actor], replay.components)


def _without_events(view: Any) -> Any:
    bare = type(view)()
    bare.CopyFrom(view)
    del bare.events[:]
    return bare


def _together(told: Sequence[Told], perspective: Perspective) -> tuple[str, ...]:
    """Return the story of a ply; of all seats together: each line as told by the one seat that learned more."""
    stories = [each.story for each in told]
    if perspective != ALL or len(set(stories)) == 1:
        return stories[0]
    public, *others = stories
    knowing = [story for story in others if story != public]
    longest = max(knowing, key=len)
    return tuple(
        next((story[at] for story in knowing if story[at : at + 1] != public[at : at + 1] and at < len(story)), line)
        for at, line in enumerate(longest)
    )


class _Banks:
    """The clocks of a log's seats, counted as the referee did."""

    def __init__(self, header: Header) -> None:
        clock = Clock.parse(header.clock)
        self._banks = [] if clock is None else [Bank(clock) for _ in header.seats]

    @property
    def left(self) -> tuple[int, ...]:
        return tuple(max(0, bank.remaining_ms) for bank in self._banks)

    def run_to(self, replay: Replay, plies: int) -> None:
        """Count everything before the position after so many plies."""
        for entry in replay.entries:
            if isinstance(entry, Ply | Forfeit):
                if entry.ply >= plies:
                    return
                self.take(entry)

    def take(self, entry: Ply | Forfeit) -> None:
        """Count one line."""
        if not self._banks or entry.times is None:
            return
        if isinstance(entry, Ply):
            if entry.actor is not CHANCE:
                self._banks[entry.actor].spend(entry.times.charged_ms)
        else:
            for seat in entry.ends:
                self._banks[seat].spend(entry.times.charged_ms)
