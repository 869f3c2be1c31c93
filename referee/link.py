"""The referee's end of a bot's stream: sends what a match hands over, and ends the stream in order."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any, Final

import grpc

from referee.refusal import Refusal

GOODBYE_S: Final = 2.0
"""How long the last messages of a stream may take to be accepted by a bot's machine."""

OUTBOX_LIMIT: Final = 32
"""Messages waiting for a bot that reads nothing; an honest one never has more than three."""


class StreamLink:
    """What a match holds of a stream; send, finish and refuse never wait.

    The stream's handler runs write_all(), which returns when the stream is to end.
    """

    def __init__(self, context: grpc.aio.ServicerContext[Any, Any], goodbye_s: float = GOODBYE_S) -> None:
        self._context = context
        self._goodbye_s = goodbye_s
        self._outbox: deque[bytes] = deque()
        self._ending = False
        self._writing = False
        self._refusal: Refusal | None = None
        self._idle: asyncio.Future[None] | None = None
        self._limit = asyncio.timeout(None)

    def send(self, message: bytes) -> None:
        """Hand a message over; it is dropped if the stream is ending."""
        if self._ending:
            return
        if len(self._outbox) >= OUTBOX_LIMIT:
            self.refuse(Refusal.of("NOT_READING", f"{OUTBOX_LIMIT} messages wait to be read; read what is sent"))
            return
        self._outbox.append(message)
        self._wake()

    def finish(self) -> None:
        """End the stream in order, after what was handed over; what is not accepted in time is dropped."""
        if self._ending:
            return
        self._ending = True
        if self._writing:
            self._limit_goodbye()
        self._wake()

    def refuse(self, refusal: Refusal) -> None:
        """End the stream with a refusal, after what was handed over."""
        if not self._ending:
            self._refusal = refusal
            self.finish()

    async def write_all(self) -> None:
        """Send until the stream ends; leaves the refusal, if any, on the call."""
        try:
            async with self._limit:
                self._writing = True
                if self._ending:
                    self._limit_goodbye()
                await self._write_until_ending()
        except TimeoutError:
            self._outbox.clear()
        finally:
            self._writing = False
            if self._refusal is not None:
                self._refusal.put_on(self._context)

    async def _write_until_ending(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            while self._outbox:
                await self._context.write(self._outbox.popleft())
            if self._ending:
                return
            self._idle = loop.create_future()
            await self._idle

    def _limit_goodbye(self) -> None:
        self._limit.reschedule(asyncio.get_running_loop().time() + self._goodbye_s)

    def _wake(self) -> None:
        if self._idle is not None and not self._idle.done():
            self._idle.set_result(None)
