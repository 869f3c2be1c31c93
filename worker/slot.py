"""One place where blocks are played, one at a time: an event loop, a store and a referee that serves them all."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial
from types import FrameType
from typing import Final

from arena.core.errors import ArenaError, Unavailable
from arena.hosting.matches import play_hosted
from arena.hosting.pool import WarmPool
from arena.hosting.referee import Referee
from arena.services import dispatch
from arena.services.lobby import PATIENCE
from arena.services.setting_aside import SET_ASIDE_AFTER
from arena.store import Store
from arena.store.states import Queue
from arena.telemetry.figures import WorkerFigures, new_registry
from arena.telemetry.logs import get_logger
from worker.block import Block, PlayMatch, Stop
from worker.live import Herald
from worker.public import Public
from worker.settings import DEFAULT_GRACE_S
from worker.unpacked import UnpackedVersions

LOG: Final = get_logger("worker")
ENDING: Final = (signal.SIGTERM, signal.SIGINT)
"""The signals that tell a worker to end."""

_TRIAL_BYTES: Final = 1024 * 1024


class Slot:
    """Plays the blocks it can claim; belongs to the thread that made it, which has to be the main one.

    name: shown to people as the worker's. now: the clock, aware and in UTC. unsafe: bots run without a sandbox.
    set_aside_after: matches that a version may fail in a row. pondering: bots may run while they are not to move.
    lease: how long a claim lives without a heartbeat. grace_s: how many seconds a match may go on after SIGTERM.
    public: for a worker that plays matches with remote seats, too. patience: see dispatch.claim. figures: where is
    counted what is played. herald: tells the public of matches that it may follow.
    """

    def __init__(
        self,
        store: Store,
        name: str,
        now: Callable[[], datetime],
        *,
        unsafe: bool = False,
        set_aside_after: int = SET_ASIDE_AFTER,
        pondering: bool = False,
        lease: timedelta = dispatch.LEASE,
        grace_s: float = DEFAULT_GRACE_S,
        public: Public | None = None,
        patience: timedelta = PATIENCE,
        figures: WorkerFigures | None = None,
        herald: Herald | None = None,
        play_match: PlayMatch = play_hosted,
        new_pool: Callable[[], WarmPool] = WarmPool,
    ) -> None:
        self._new_pool = new_pool
        self._play_match = play_match
        self._figures = figures or WorkerFigures(new_registry())
        self._store = store
        self._name = name
        self._now = now
        self._unsafe = unsafe
        self._set_aside_after = set_aside_after
        self._pondering = pondering
        self._lease = lease
        self._grace_s = grace_s
        self._public = public
        self._patience = patience
        self._herald = herald
        self._doubted = False
        self._loop = asyncio.Runner()
        self._referee: Referee | None = None
        self._pool: WarmPool | None = None
        self._versions = UnpackedVersions(store)

    def play_next(self, queue: Queue = Queue.HOSTED) -> bool:
        """Claim a block of a queue and play its missing legs. Return whether there was one."""
        try:
            return self._loop.run(self._play_next(queue))
        except Unavailable as error:
            LOG.warning("no block could be played", why=error.message)
            return False

    def check(self) -> None:
        """Raise Unavailable unless bots can be run safely here (or need not be); a signal breaks it off in order."""
        if not self._unsafe:
            stop = Stop(0)
            with _heeding_signals(stop, self._loop.get_loop()):
                self._loop.run(self._check(stop))

    def require_fit(self) -> None:
        """Raise Unavailable if a match failed here and nothing has shown since that matches can be played."""
        if self._doubted:
            raise Unavailable("the last match failed here", reason="NOT_FIT")

    def close(self) -> None:
        """End what waits; stop the referee and the loop; remove what is unpacked."""
        self._versions.close()
        if self._pool is not None:
            self._loop.run(self._pool.__aexit__(None, None, None))
        if self._referee is not None:
            self._loop.run(self._drop_referee())
        self._loop.close()

    async def _check(self, stop: Stop) -> None:
        if (here := asyncio.current_task()) is not None:
            stop.on_deadline = here.cancel
        referee = await self._ready_referee()
        await referee.sandbox.require()
        self._figures.found_layers(referee.sandbox.layers)

    async def _play_next(self, queue: Queue) -> bool:
        if self._doubted and not await self._is_fit():
            return False
        stop = Stop(self._grace_s)
        claim_next = partial(
            dispatch.claim, self._store, self._name, queue=queue, lease=self._lease, patience=self._patience
        )
        with _heeding_signals(stop, self._loop.get_loop()):
            asked = time.monotonic()
            claim = claim_next(self._now())  # in no thread of its own: nothing else is to be done here
            self._figures.step_took("claim", time.monotonic() - asked)
            if claim is None:
                if self._pool is not None:
                    await self._pool.aim(0)
                return False
            block = Block(
                self._store, claim, self._now, stop,
                unsafe=self._unsafe, set_aside_after=self._set_aside_after, pondering=self._pondering,
                lease=self._lease, figures=self._figures, public=self._public, herald=self._herald,
                play_match=self._play_match, pool=await self._ready_pool(), versions=self._versions,
            )  # fmt: skip
            self._figures.playing(1)
            try:
                referee = await self._ready_referee()
            except (ArenaError, OSError) as error:
                await block.give_up(str(error))
            else:
                await block.play(referee)
            finally:
                self._figures.playing(0)
                if self._unsafe or block.gave_up:
                    self._versions.close()
        self._doubted = block.gave_up
        # A referee that hangs costs a lease, or is given up; it would hang in every block to come.
        if block.lost or block.gave_up or (self._referee is not None and not self._referee.alive):
            await self._drop_referee()
        return True

    async def _is_fit(self) -> bool:
        """Whether matches can be played here, after one failed: a broken worker would spoil block after block."""
        try:
            with tempfile.TemporaryFile() as trial:
                trial.write(bytes(_TRIAL_BYTES))
                trial.flush()
            referee = await self._ready_referee()
            if not self._unsafe:
                await referee.sandbox.require()
        except (ArenaError, OSError) as error:
            LOG.warning("no matches can be played here", why=str(error))
            return False
        self._doubted = False
        return True

    async def _ready_referee(self) -> Referee:
        if self._referee is not None and not self._referee.alive:
            await self._drop_referee()
        if self._referee is None:
            door = None if self._public is None else self._public.door
            self._referee = await Referee(door).__aenter__()
        return self._referee

    async def _ready_pool(self) -> WarmPool | None:
        """Return the sandboxes that wait for matches, None where they would take time from bots that play.

        None, too, where they cannot be made: a claim has begun, and a cold start tells whoever needs one.
        """
        if self._pool is None and not self._unsafe and WarmPool.is_free():
            pool = self._new_pool()
            try:
                self._pool = await pool.__aenter__()
            except (ArenaError, OSError) as error:
                LOG.warning("no sandboxes can wait here", why=str(error))
        return self._pool

    async def _drop_referee(self) -> None:
        referee, self._referee = self._referee, None
        if referee is not None:
            await referee.__aexit__(None, None, None)


@contextlib.contextmanager
def _heeding_signals(stop: Stop, loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """While the block runs, SIGTERM and SIGINT end the play; afterwards whoever handled them before is told."""
    heard: list[int] = []

    def on_signal(number: int, _frame: FrameType | None) -> None:
        heard.append(number)
        loop.call_soon_threadsafe(stop.wish)

    before = {number: signal.signal(number, on_signal) for number in ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if heard:
            os.kill(os.getpid(), heard[0])
