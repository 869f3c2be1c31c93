"""A match log as the replay page gets it: the head of the match, and its frames as lines of JSON."""

from __future__ import annotations

import io
import json
import re
import threading
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import zstandard

from arena.core.errors import ArenaError, LimitReached, LogError, UsageError
from arena.core.seat import CHANCE, Actor, Seat
from arena.match.reel import Frame, Happening, Perspective, check_playable, course_of, frames, perspective_text
from arena.match.replay import Replay
from arena.match.result import MatchEnd, SeatEnd
from arena.web.text import plain

LONGEST_LOG: Final = 2 * 1024 * 1024
"""Bytes of a log that is opened here, packed and unpacked; the longest match played so far has a twentieth."""

MOST_PLIES: Final = 5_000
CHUNK: Final = 50
"""Frames in a line of the answer."""

FIRST: Final = 10
"""Frames in the first line: what a page needs to be of use."""

_MAGIC: Final = b"\x28\xb5\x2f\xfd"
_NAME: Final = 64
_STARTED: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\+00:00")


@dataclass(frozen=True, slots=True)
class SeatLine:
    """What is always shown of a seat. rank: 0 without one; end: "" until the match is over, or played on."""

    seat: int
    bot: str
    version: str
    rank: int
    score: int | None
    end: str


@dataclass(frozen=True, slots=True)
class Head:
    """What is always shown of a match; every text is fit to be shown. course: as in arena.match.reel.course_of.

    end: "" for a log that stops before its result. seed: hexadecimal, "" for none.
    """

    game: str
    title: str
    variant: str
    clock: str
    seats: tuple[SeatLine, ...]
    plies: int
    end: str
    reason: str
    seed: str
    started: str
    unsafe: bool
    course: str

    @property
    def ranked(self) -> tuple[SeatLine, ...]:
        """The seats, best rank first."""
        return tuple(sorted(self.seats, key=lambda line: (line.rank, line.seat)))


def unpacked(content: bytes) -> bytes:
    """Return a log file's text, whether it was compressed or not. Raises LimitReached, UsageError for bad zstd."""
    if content[: len(_MAGIC)] == _MAGIC:
        try:
            with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(content), read_across_frames=True) as plain_text:
                content = plain_text.read(LONGEST_LOG + 1)
        except zstandard.ZstdError:
            raise UsageError("the file is no whole zstd file; choose a match log", reason="BAD_LOG") from None
    if len(content) > LONGEST_LOG:
        raise LimitReached(
            f"a log of more than {LONGEST_LOG >> 20} MB is not opened here; `arena replay LOG` does",
            reason="LOG_TOO_LARGE",
        )
    return content


def open_replay(content: bytes) -> Replay:
    """Read a log to its end or its last whole line, and try it on the rules. Raises UsageError that says what fails."""
    try:
        replay = Replay(io.BytesIO(content))
        if replay.plies > MOST_PLIES:
            raise LogError(f"it has {replay.plies} plies, {MOST_PLIES} are drawn here; `arena replay LOG` shows it")
        check_playable(replay)
    except LimitReached:
        raise
    except ArenaError as wrong:
        told = plain(" ".join(wrong.message.split()), 300)
        raise UsageError(f"this log cannot be shown: {told}", reason="BAD_LOG") from None
    return replay


def head_of(replay: Replay) -> Head:
    """Return what is always shown of a log's match."""
    header, result = replay.header, replay.result
    ends = _ends(replay) if result is None else result.seat_ends
    ranked = result is not None and result.end in {MatchEnd.COMPLETED, MatchEnd.FORFEIT}
    seats = tuple(
        SeatLine(
            seat=seat,
            bot=plain(label.bot, _NAME),
            version=plain(label.version, _NAME),
            rank=result.ranks[seat] if result is not None and ranked else 0,
            score=result.scores[seat] if result is not None else None,
            end="" if ends[seat] is SeatEnd.PLAYED and result is None else ends[seat].value,
        )
        for seat, label in enumerate(header.seats)
    )
    return Head(
        game=header.game,
        title=replay.game.spec.title,
        variant=header.variant,
        clock=header.clock,
        seats=seats,
        plies=replay.plies,
        end="" if result is None else result.end.value,
        reason="" if result is None else plain(result.reason, 200),
        seed="" if header.seed is None else header.seed.hex(),
        started=_moment(header.meta.get("started", "")),
        unsafe=header.unsafe,
        course=course_of(replay),
    )


def frame_at(replay: Replay, perspective: Perspective, ply: int) -> Frame:
    """Return one frame. Raises UsageError for a ply or a seat that is not there."""
    (frame,) = frames(replay, perspective, ply, ply)
    return frame


def screen(
    replay: Replay, perspective: Perspective, ply: int, opening: dict[str, Any] | None = None
) -> Iterator[bytes]:
    """Yield every frame of a match as lines of JSON, those around this ply first.

    A line is {"pieces": [text ...], "frames": [[ply, [index ...], [happening ...], [bank ms ...]] ...]}. A picture is
    its pieces joined with line breaks; an index counts through the pieces of all lines so far, for neighbouring
    pictures share most. A happening is {"a": "c" for chance, seat or "" for a forfeit, "w": [words ...], "m": why it
    was made without asking, "t": [think ms, charged ms], "e": [[seat, end] ...]}, without what is empty.
    opening: the first line.
    """
    if opening is not None:
        yield _line(opening)
    known: dict[str, int] = {}
    for together in _in_order(replay, perspective, ply):
        pieces: list[str] = []
        shown: list[list[Any]] = []
        for frame in together:
            indices: list[int] = []
            for piece in frame.picture.splitlines():
                index = known.get(piece)
                if index is None:
                    index = known[piece] = len(known)
                    pieces.append(piece)
                indices.append(index)
            happened = [happening_json(one) for one in frame.happenings]
            shown.append([frame.ply, indices, happened, list(frame.banks)])
        yield _line({"as": perspective_text(perspective), "pieces": pieces, "frames": shown})


def happening_json(happening: Happening) -> dict[str, Any]:
    """Return a happening as screen() describes it."""
    told: dict[str, Any] = {"a": _actor(happening.actor), "w": list(happening.words)}
    if happening.made:
        told["m"] = happening.made
    if happening.times is not None:
        told["t"] = [happening.times.think_ms, happening.times.charged_ms]
    if happening.ends:
        told["e"] = [[seat, end.value] for seat, end in happening.ends]
    return told


class Shelf:
    """The logs that were opened last, so that the page and its frames read them once; for any number of threads."""

    def __init__(self, most: int = 8) -> None:
        self._most = most
        self._replays: dict[int, Replay] = {}
        self._lock = threading.Lock()

    def find(self, match_id: int) -> Replay | None:
        """Return a match's replay to take another from with again(); None if it is not here (any more)."""
        with self._lock:
            found = self._replays.pop(match_id, None)
            if found is not None:
                self._replays[match_id] = found
            return found

    def keep(self, match_id: int, replay: Replay) -> None:
        """Keep a replay in place of the one that was wanted least lately."""
        with self._lock:
            self._replays[match_id] = replay
            while len(self._replays) > self._most:
                del self._replays[next(iter(self._replays))]


class Squeeze:
    """Gzip for an answer that is sent piece by piece; every piece can be read as soon as it is there."""

    def __init__(self) -> None:
        self._zip = zlib.compressobj(6, wbits=31)

    def take(self, content: bytes) -> bytes:
        """Return the next bytes to send."""
        return self._zip.compress(content) + self._zip.flush(zlib.Z_SYNC_FLUSH)

    def end(self) -> bytes:
        """Return the last ones."""
        return self._zip.flush()


def _moment(text: str) -> str:
    """Return the start of a match as a page writes times; a log may hold anything there."""
    return f"{text[:10]} {text[11:16]} UTC" if _STARTED.fullmatch(text) else plain(text, 40)


def _in_order(replay: Replay, perspective: Perspective, ply: int) -> Iterator[list[Frame]]:
    """Yield the frames of each line: a few around this ply, what comes after them, then what comes before.

    Either stretch is walked once. A walk makes all plies before its first one, so that one for every line would cost
    the square of a match's length.
    """
    home = max(0, ply - FIRST // 2)
    onwards = frames(replay, perspective, home, replay.plies)
    yield list(islice(onwards, FIRST))
    while together := list(islice(onwards, CHUNK)):
        yield together
    before = frames(replay, perspective, 0, home - 1) if home else iter(())
    while together := list(islice(before, CHUNK)):
        yield together


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _actor(actor: Actor | None) -> str | int:
    return "" if actor is None else "c" if actor is CHANCE else actor


def _ends(replay: Replay) -> tuple[SeatEnd, ...]:
    """Return how the seats of a match stand whose log stops before the result."""
    out: dict[Seat, SeatEnd] = replay.forfeits
    return tuple(out.get(Seat(seat), SeatEnd.PLAYED) for seat in range(len(replay.header.seats)))
