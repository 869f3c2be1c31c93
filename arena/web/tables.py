"""People at seats: each has a table here, which plays the seat for whatever page the person has open."""

from __future__ import annotations

import asyncio
import secrets
import time
from asyncio import to_thread
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from arena.core.errors import Conflict, LimitReached
from arena.core.game import AnyGame, Pointed
from arena.match.reel import picture
from arena.services.guests import new_session
from arena.store.records import Account
from arena.v1 import match_result_pb2, play_pb2
from arena.web.views import read_view

HEARTBEAT_S: Final = 10.0
MOST_PAGES: Final = 4
"""Windows that one table may be open in at once."""

LINES: Final = 300


class Stand(StrEnum):
    """How things stand at a table."""

    WAITING = "waiting"
    PLAYING = "playing"
    OVER = "over"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Choice:
    """One legal action in words; spot: where on the board it can be pointed at, "" for nowhere."""

    index: int
    words: str
    spot: str


@dataclass(frozen=True, slots=True)
class Question:
    """What the seat is asked; until: when its bank is used up, by the monotonic clock."""

    ply: int
    until: float
    choices: tuple[Choice, ...]

    @property
    def seconds(self) -> int:
        """What is left of the bank."""
        return max(0, round(self.until - time.monotonic()))


@dataclass(frozen=True, slots=True)
class Place:
    """How a seat ended."""

    seat: int
    rank: int
    score: int | None
    end: str


@dataclass(eq=False)
class Table:
    """One person's seat, from asking for it to the end. note: a line about how it stands. told: what happened.

    patience_s: how long somebody else may hold its place in the lobby.
    """

    id: str
    account: Account
    tournament: str
    game: AnyGame
    variant: str
    stand: Stand = Stand.WAITING
    note: str = "waiting for a worker with a free place"
    patience_s: float = 0.0
    match_id: int = 0
    seat: int = -1
    bots: tuple[str, ...] = ()
    picture: str = ""
    told: deque[str] = field(default_factory=lambda: deque(maxlen=LINES))
    question: Question | None = None
    places: tuple[Place, ...] = ()
    stream: str = field(default_factory=lambda: secrets.token_hex(12))
    session: str = field(default_factory=new_session)
    left: asyncio.Event = field(default_factory=asyncio.Event)
    answers: asyncio.Queue[tuple[int, int]] = field(default_factory=asyncio.Queue)
    seen_at: float = field(default_factory=time.monotonic)
    number: int = 0
    _components: Any = None
    _unanswered: int = 0
    _pages: int = 0
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    @property
    def is_open(self) -> bool:
        """Whether the person still waits or plays."""
        return self.stand in {Stand.WAITING, Stand.PLAYING}

    def answer(self, ply: int, index: int) -> None:
        """Take the person's choice. Raises Conflict (NOT_ASKED) for one that is not (any more) to be made."""
        asked = self.question
        if asked is None or asked.ply != ply or index not in {choice.index for choice in asked.choices}:
            raise Conflict("this choice is not to be made any more; look at the position again", reason="NOT_ASKED")
        self.question = None
        self._unanswered = 0
        self.note = "the others play"
        self.answers.put_nowait((ply, index))

    async def change(self) -> None:
        """Tell every page that something is different."""
        async with self._changed:
            self.number += 1
            self._changed.notify_all()

    async def changes(self, stopping: asyncio.Event) -> AsyncGenerator[bytes]:
        """Yield an event whenever the page should look again, to the end. Raises LimitReached (TOO_MANY_PAGES)."""
        if self._pages >= MOST_PAGES:
            raise LimitReached("this table is open in too many windows; close some", reason="TOO_MANY_PAGES")
        told = -1
        self._pages += 1
        try:
            yield b"retry: 3000\n\n"  # the caller takes this one, and so makes sure that this is begun, and ended
            while not stopping.is_set():
                self.seen_at = time.monotonic()
                if self.number != told:
                    told = self.number
                    yield f"event: changed\ndata: {told}\n\n".encode()
                else:
                    yield b": still here\n\n"
                if not self.is_open:
                    return
                await self._wait(told, stopping)
        finally:
            self._pages -= 1

    async def _wait(self, told: int, stopping: asyncio.Event) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(HEARTBEAT_S), self._changed:
                await self._changed.wait_for(lambda: self.number != told or stopping.is_set())

    async def start(self, start: play_pb2.Start) -> None:
        """Take the facts of the match."""
        self._components = self.game.components(start.components or None, "component file of the match")
        self.stand, self.seat = Stand.PLAYING, start.seat
        await self.change()

    async def ask(self, turn: play_pb2.Turn) -> None:
        """Take a turn."""
        view, legal = self.game.parse_turn(turn.body.value)
        choices = tuple(Choice(index, self._words(one), self._spot(one)) for index, one in enumerate(legal))
        await self._look(view)
        self.question = Question(turn.ply, time.monotonic() + turn.bank_ms / 1000, choices)
        self.note = "it is your turn"
        await self.change()

    async def over(self, message: play_pb2.GameOver) -> None:
        """Take the end."""
        end = match_result_pb2.MatchEnd.Name(message.end).removeprefix("MATCH_END_")
        await self._look(read_view(self.game.spec.id, message.view.value))
        self.places = tuple(
            Place(
                seat.seat,
                seat.rank,
                seat.score if seat.HasField("score") else None,
                match_result_pb2.SeatEnd.Name(seat.end).removeprefix("SEAT_END_"),
            )
            for seat in message.seats
        )
        await self.end(Stand.OVER, f"the match is over: {end.replace('_', ' ').lower()}")

    async def end(self, stand: Stand, note: str) -> None:
        """Close the table."""
        self.stand, self.note, self.question = stand, note, None
        await self.change()

    async def _look(self, view: Any) -> None:
        """Show a view. What it tells goes on from the seat's last answer: what was told since then comes again."""
        self.picture = await to_thread(picture, self.game, view, self._components)
        for _ in range(min(self._unanswered, len(self.told))):
            self.told.pop()
        lines = self.game.story(view, self._components)
        self._unanswered = len(lines)
        self.told.extend(lines)

    def _words(self, action: Any) -> str:
        words = self.game.describe(action, self._components)
        return words[:1].upper() + words[1:]

    def _spot(self, action: Any) -> str:
        return self.game.spot(action) if isinstance(self.game, Pointed) else ""
