"""The desk that a process keeps in the lobby: open, beaten and looked at for as long as somebody waits at it."""

from __future__ import annotations

import asyncio
import logging
from asyncio import to_thread
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime
from typing import Final, Protocol, TypeVar

from arena.core.errors import ArenaError, Unavailable
from arena.services import lobby
from arena.store import Store

LOG: Final = logging.getLogger("arena.lobby")

FAULT_S: Final = 5.0
"""How long the rounds rest after a fault of the process's own: it may come again at once."""

T = TypeVar("T")


class Room(Protocol):
    """Those who wait at a desk."""

    def is_empty(self) -> bool:
        """Whether nobody waits, or is about to."""

    async def hear(self, board: lobby.Board) -> None:
        """Do what a look has found."""

    async def beaten(self, *, lost: bool) -> None:
        """Do what is to be done now and then. lost: the desk was taken for dead, and nobody sits at it any more."""


class Desk:
    """One process's desk; belongs to its event loop. look_s: how often it is looked for calls.

    Costs one look and, now and then, one write, however many wait. What fails is told, and tried again.
    """

    def __init__(self, store: Store, now: Callable[[], datetime], room: Room, look_s: float) -> None:
        self._store = store
        self._now = now
        self._room = room
        self._look_s = look_s
        self._id: int | None = None
        self._lost = 0
        self._closed = False
        self._opening = asyncio.Lock()
        self._rounds: asyncio.Task[None] | None = None

    def attend(self) -> None:
        """Go round from now on, until the room is empty."""
        if self._rounds is None or self._rounds.done():
            self._rounds = asyncio.create_task(self._go_round())

    async def seat(self, enter: Callable[[int], Awaitable[T]]) -> T:
        """Return what enter does with the desk's id, which sits somebody down. Raises as it does, Unavailable.

        Done again if the desk was lost meanwhile: nobody would be called who sat down there.
        """
        while True:
            desk, lost = await self._open(), self._lost
            try:
                entered = await enter(desk)
            except Unavailable as why:
                if why.code != lobby.DESK_LOST:
                    raise
                await self._beat()  # after a while of standing still: whoever sat there has to hear it, too
                continue
            if lost == self._lost:
                return entered

    async def idle(self) -> None:
        """Return once nobody waits and the desk is closed."""
        if self._rounds is not None:
            await asyncio.wait((self._rounds,))

    async def close(self) -> None:
        """Close it for good."""
        self._closed = True
        if self._rounds is not None:
            self._rounds.cancel()
            await asyncio.wait((self._rounds,))
        async with self._opening:
            await self._leave()

    async def _open(self) -> int:
        async with self._opening:
            if self._closed:
                raise Unavailable("the server is stopping; come back when it is up", reason="SERVER_STOPPING")
            if self._id is None:
                self._id = await to_thread(lobby.open_desk, self._store, self._now())
            return self._id

    async def _leave(self) -> None:
        desk, self._id = self._id, None
        if desk is not None:
            with suppress(ArenaError):  # it will be taken for dead
                await to_thread(lobby.close_desk, self._store, desk, self._now())

    async def _go_round(self) -> None:
        clock = asyncio.get_running_loop().time
        beat_at = clock()
        while True:
            rest_s = self._look_s
            try:
                if await self._is_over():
                    return
                if self._id is not None:
                    await self._room.hear(await to_thread(lobby.look, self._store, self._id))
                if clock() >= beat_at:
                    await self._beat()
                    beat_at = clock() + lobby.BEAT.total_seconds()
            except ArenaError as error:
                LOG.warning("the lobby waits: %s", error.message)
            except Exception:
                LOG.exception("the lobby failed")
                rest_s = FAULT_S
            await asyncio.sleep(rest_s)

    async def _is_over(self) -> bool:
        """Close the desk of a room that is empty; return whether it is empty still, so that nobody looks any more."""
        async with self._opening:
            if self._room.is_empty():
                await self._leave()
        return self._room.is_empty()

    async def _beat(self) -> None:
        desk = self._id
        lost = desk is None or not await to_thread(lobby.beat, self._store, desk, self._now())
        if lost and self._id == desk:
            self._id = None
            self._lost += 1
        await self._room.beaten(lost=lost)
