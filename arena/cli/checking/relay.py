"""Stands between a bot and its referee: hands on what they say, notes it, and breaks the stream where a check asks."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

import grpc
from google.protobuf.message import DecodeError

from arena.cli.playdoor import BotStream
from arena.core.protocol import REASON_KEY
from arena.v1 import play_pb2

_LOST: Final = "the connection was lost"
_CHANNEL: Final = (("grpc.use_local_subchannel_pool", 1), ("grpc.enable_retries", 0))


class Break(StrEnum):
    """When the stream is broken: while the bot is thinking, or with its answer still on the way."""

    THINKING = "thinking"
    ANSWERED = "answered"


@dataclass(slots=True)
class Seen:
    """What was seen of a bot in one match; times in ms of a clock that began with the program's start, None: never.

    hello: its first message, None if that was none. first_turn_ms, first_answer_ms: of the first turn. turns: asked,
    again after a break included. unasked: answers to another ply than the one asked, or to one that had its answer.
    broken_ms: by kind, when a break was made; back_ms: when the turn was answered on a new stream. over_ms: when the
    end of the match was handed over; after_over: what the bot did then that it should not. refused: why streams were.
    """

    hello: play_pb2.Hello | None = None
    hello_ms: int | None = None
    first_turn_ms: int | None = None
    first_answer_ms: int | None = None
    turns: int = 0
    unasked: list[str] = field(default_factory=list)
    broken_ms: dict[Break, int] = field(default_factory=dict)
    back_ms: dict[Break, int] = field(default_factory=dict)
    over_ms: int | None = None
    after_over: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


class Relay:
    """Serves the streams of one bot in one match.

    address: the referee's. breaks: what to do at the bot's second turn, its fourth, and so on, one each. before_over:
    waited for before the end of the match is handed over.
    """

    def __init__(self, address: str, breaks: Iterable[Break], before_over: Callable[[], Awaitable[None]]) -> None:
        self.seen = Seen()
        self.over = asyncio.Event()
        self._address = address
        self._before_over = before_over
        self._plans = dict(zip(range(2, 100, 2), breaks, strict=False))
        self._broken: BotStream | None = None
        self._asked = -1
        self._answered = -1
        self._fresh_turns = 0
        self._plan: Break | None = None
        self._waiting_for: Break | None = None
        self._began = time.monotonic()

    def begin(self) -> None:
        """Let the clock begin: the program is being started."""
        self._began = time.monotonic()

    def now_ms(self) -> int:
        """Return the milliseconds since the program's start."""
        return round(1000 * (time.monotonic() - self._began))

    async def serve(self, stream: BotStream) -> None:
        """Hand on one stream until either side ends it or it is to be broken."""
        first = await stream.read()
        if first is None:
            return
        self._note_hello(first)
        channel: Any  # the stubs know calls with an iterator of requests only
        async with grpc.aio.insecure_channel(self._address, options=_CHANNEL) as channel:
            call = channel.stream_stream("/arena.v1.PlayService/Play")()
            await call.write(first)
            up = asyncio.create_task(self._up(stream, call))
            down = asyncio.create_task(self._down(stream, call))
            try:
                done, _ = await asyncio.wait((up, down), return_when=asyncio.FIRST_COMPLETED)
                if up in done and up.result() and down not in done:
                    await call.done_writing()  # the bot has ended its side in order; what is still to come, comes
                    await asyncio.wait((down,), timeout=2)
                if (up in done and not up.result()) or (down.done() and not down.result()):
                    stream.refuse(grpc.StatusCode.UNAVAILABLE, "", _LOST)
            finally:
                for task in (up, down):
                    task.cancel()
                await asyncio.gather(up, down, return_exceptions=True)
                call.cancel()

    async def _up(self, stream: BotStream, call: Any) -> bool:
        """Hand on what the bot says; False when the stream is to break, True when the bot ended its side."""
        while (message := await stream.read()) is not None:
            # What is said while the stream breaks is lost with it, however quick the bot was.
            if stream is self._broken or not self._note_request(message):
                return False
            with contextlib.suppress(grpc.RpcError, asyncio.InvalidStateError):
                await call.write(message)
        return True

    async def _down(self, stream: BotStream, call: Any) -> bool:
        """Hand on what the referee says; False when the stream is to break, True when the referee ended it."""
        try:
            while isinstance(message := await call.read(), bytes):
                response = play_pb2.PlayResponse.FromString(message)
                if response.HasField("game_over"):
                    await self._before_over()
                breaks = self._note_response(response)
                if breaks:
                    self._broken = stream
                await stream.write(message)
                if self.seen.over_ms is not None:
                    self.over.set()
                if breaks:
                    return False
        except grpc.aio.AioRpcError:
            pass
        code = await call.code()
        if code is not grpc.StatusCode.OK:
            reason = str(dict(await call.trailing_metadata() or ()).get(REASON_KEY, ""))
            details = str(await call.details())
            self.seen.refused.append(details)
            stream.refuse(code, reason, details.removeprefix(f"{reason}: "))
        return True

    def _note_hello(self, message: bytes) -> None:
        seen = self.seen
        if seen.over_ms is not None:
            seen.after_over.append("opened another stream")
        if seen.hello_ms is not None:
            return
        seen.hello_ms = self.now_ms()
        request = _parsed(message)
        if request is not None and request.WhichOneof("kind") == "hello":
            seen.hello = request.hello

    def _note_request(self, message: bytes) -> bool:
        """Note a message of the bot; False if it is to be lost and the stream with it."""
        if self.seen.over_ms is not None:
            self.seen.after_over.append("sent another message")
            return True
        request = _parsed(message)
        if request is None or request.WhichOneof("kind") != "answer":
            return True
        ply = request.answer.ply
        if ply != self._asked or ply == self._answered:
            what = "already answered" if ply == self._answered else f"not asked, but {self._asked}"
            self.seen.unasked.append(f"ply {ply}, {what}")
            return True
        if self.seen.first_answer_ms is None:
            self.seen.first_answer_ms = self.now_ms()
        if self._plan is Break.ANSWERED:
            self._break()
            return False
        if self._waiting_for is not None:
            self.seen.back_ms[self._waiting_for] = self.now_ms()
            self._waiting_for = None
        self._answered = ply
        return True

    def _note_response(self, response: play_pb2.PlayResponse) -> bool:
        """Note a message of the referee; True if the stream is to break once it is handed over."""
        kind = response.WhichOneof("kind")
        if kind == "game_over":
            self.seen.over_ms = self.now_ms()
        if kind != "turn":
            return False
        self.seen.turns += 1
        if self.seen.first_turn_ms is None:
            self.seen.first_turn_ms = self.now_ms()
        if response.turn.ply != self._asked:
            self._asked = response.turn.ply
            self._fresh_turns += 1
            self._plan = self._plans.get(self._fresh_turns)
        if self._plan is Break.THINKING:
            self._break()
            return True
        return False

    def _break(self) -> None:
        if self._plan is not None:
            self.seen.broken_ms[self._plan] = self.now_ms()
        self._waiting_for, self._plan = self._plan, None


def _parsed(message: bytes) -> play_pb2.PlayRequest | None:
    try:
        return play_pb2.PlayRequest.FromString(message)
    except DecodeError:
        return None
