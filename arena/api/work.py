"""Work that blocks, in threads: an account has its share of them, and a call lasts until its thread is free again."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

THREADS: Final = 8
DOOR_THREADS: Final = 3
"""Threads that look up tokens: who is let in does not wait for what others have the server work out.

With THREADS they are fewer than the connections that a PostgreSQL pool opens by default, 15.
"""


class Workplace:
    """The threads of one server.

    share: how many of them one account may have at once; more of its calls wait for each other, not for anybody else's.
    """

    def __init__(self, share: int) -> None:
        self._share = share
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="api")
        self._door = ThreadPoolExecutor(DOOR_THREADS, thread_name_prefix="api-door")
        self._turns: dict[str, asyncio.Semaphore] = {}
        self._users: Counter[str] = Counter()

    async def run(self, account: str, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what a function returns that runs in a thread of an account's share."""
        turn = self._turns.setdefault(account, asyncio.Semaphore(self._share))
        self._users[account] += 1
        try:
            async with turn:
                return await _to_its_end(self._threads, partial(function, *args, **kwargs))
        finally:
            self._users[account] -= 1
            if not self._users[account]:
                del self._users[account], self._turns[account]

    async def at_the_door(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what a function returns that runs before it is known who calls."""
        return await _to_its_end(self._door, partial(function, *args, **kwargs))

    def accounts(self) -> int:
        """Return how many accounts have work here now."""
        return len(self._turns)

    def close(self) -> None:
        """Take no more work; what runs goes on to its end."""
        for pool in (self._threads, self._door):
            pool.shutdown(wait=False, cancel_futures=True)


async def _to_its_end(pool: ThreadPoolExecutor, work: Callable[[], T]) -> T:
    """Run work in a pool's thread. If nobody waits for it any more, it is not begun; once begun, it is waited for.

    A thread cannot be stopped. A call that is cancelled and leaves its thread behind would free its place among its
    account's calls, and the next one take another thread.
    """
    running: Future[T] = pool.submit(copy_context().run, work)
    try:
        return await asyncio.wrap_future(running)
    except asyncio.CancelledError:
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()
        running.add_done_callback(lambda _: loop.call_soon_threadsafe(ended.set))
        while not ended.is_set():
            with suppress(asyncio.CancelledError):
                await ended.wait()
        raise
