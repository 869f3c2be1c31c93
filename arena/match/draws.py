"""What chance drew in a match: label, bound and number of every draw, for checking them without the rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from arena.core.chance import KeyedStream, Stream
from arena.core.errors import UsageError
from arena.core.registry import find_variant, load_game
from arena.core.seat import CHANCE
from arena.match.course import Course
from arena.match.entries import Entry, Forfeit, Header, Ply
from arena.match.log import read_log

MOST_ODDS: Final = 10_000
"""Numbers up to which it is tried out what each stands for; no game here comes near."""


@dataclass(frozen=True, slots=True)
class Draw:
    """One number of chance: its label, and that it is one of 0 .. n-1."""

    label: str
    n: int
    number: int


@dataclass(frozen=True, slots=True)
class PlyDraws:
    """The draws behind one ply of chance.

    odds: actions in the game's notation with how many of the numbers 0 .. n-1 stand for each, in order; None where the
    ply takes more than one number.
    """

    ply: int
    draws: tuple[Draw, ...]
    odds: tuple[tuple[str, int], ...] | None


def chance_draws(lines: Iterable[bytes], seed: bytes | None = None) -> Iterator[PlyDraws]:
    """Return the draws of every ply of chance in a log that has been verified; seed: for one that carries none.

    Raises UsageError (NO_SEED), and as arena.match.log.read_log.
    """
    course: Course | None = None
    stream: KeyedStream | None = None
    for line in read_log(lines):
        entry = line.entry
        if isinstance(entry, Header):
            course, stream = _opened(entry), _stream(entry, seed)
        elif course is not None and stream is not None:
            if isinstance(entry, Ply) and entry.actor is CHANCE:
                yield _draws(course, stream)
            _follow(course, entry)


class _Recorder:
    """A stream that keeps what is drawn from another."""

    def __init__(self, stream: Stream) -> None:
        self.draws: list[Draw] = []
        self._stream = stream

    def below(self, n: int, label: str) -> int:
        """Return and keep the other stream's number."""
        number = self._stream.below(n, label)
        self.draws.append(Draw(label, n, number))
        return number


class _Fixed:
    """A stream that always gives the same number."""

    def __init__(self, number: int) -> None:
        self._number = number

    def below(self, n: int, label: str) -> int:
        """Return the number."""
        return self._number


def _opened(header: Header) -> Course:
    game = load_game(header.game)
    components = game.components(header.components_text or None, "components_text")
    return Course(game, find_variant(game, header.variant).id, len(header.seats), components)


def _stream(header: Header, seed: bytes | None) -> KeyedStream:
    found = header.seed or seed
    if found is None:
        raise UsageError("the log carries no seed; give it with --seed", reason="NO_SEED")
    return KeyedStream(found)


def _draws(course: Course, stream: Stream) -> PlyDraws:
    recorder = _Recorder(stream)
    course.draw(recorder)
    draws = tuple(recorder.draws)
    if len(draws) != 1 or draws[0].n > MOST_ODDS:
        return PlyDraws(course.plies, draws, None)
    meant = (course.game.actions.text_of(course.draw(_Fixed(number))) for number in range(draws[0].n))
    return PlyDraws(course.plies, draws, tuple((action, len(list(alike))) for action, alike in groupby(meant)))


def _follow(course: Course, entry: Entry) -> None:
    if isinstance(entry, Ply):
        course.apply(course.game.actions.parse(entry.action), asked=entry.actor is not CHANCE and entry.auto is None)
    elif isinstance(entry, Forfeit):
        course.forfeit(entry.ends)
