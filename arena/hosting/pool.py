"""Sandboxes that wait, with Python started and the SDK imported, for the bot they are to be; each is used once.

A waiting sandbox is made like any other, by the same command with the same limits. Only its seat is still empty: the
bot's files and its door are put into its two folders when they are known, and appear inside, read-only as ever. The
rest of the order goes over a socket that the waiting program closes before the bot begins. Nothing of a used sandbox is
used again.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self

from arena.core.errors import ArenaError, Unavailable
from arena.hosting.cgroups import ControlGroups
from arena.hosting.fence import BrakeAt
from arena.hosting.kernel_files import tree_of
from arena.hosting.launch import BotProcess, launch
from arena.hosting.mounts import View, standard_view
from arena.hosting.readable import becomes_readable
from arena.hosting.sandbox import BotProgram, Limits, is_script, sdk_command
from arena.hosting.seats import Seat
from arena.hosting.uids import running_as_root

HANDOVER_S: Final = 10.0
"""How long a waiting program may take to answer an order, its own start included."""
LOWEST: Final = 19
"""The priority of what is not needed yet."""
_TAKEN: Final = b"+"
"""What bots.sdk.waiting says when it becomes the bot; before, it has said that it waits."""
_MOST_SAID: Final = 16
_WAITING: Final = sdk_command("waiting")


class WarmPool:
    """Waiting sandboxes of one process: `async with WarmPool() as pool`; all of them are gone afterwards.

    Belongs to the event loop it was entered in, and to the thread that runs it: see launch. groups: as in launch.
    limits: the only ones it has sandboxes for.
    """

    def __init__(self, groups: ControlGroups | None = None, limits: Limits | None = None) -> None:
        self._groups = groups
        self._limits = limits or Limits()
        self._waiting: deque[Waiting] = deque()
        self.warm_starts = 0
        """How many bots were started in a sandbox that waited."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.aim(0)

    def __len__(self) -> int:
        """Return how many sandboxes wait."""
        return sum(not one.process.ended for one in self._waiting)

    @staticmethod
    def is_free() -> bool:
        """Whether sandboxes can be made beside a match that is being played without taking time from its bots.

        Only root can have a program run when nobody else wants to, and take that back when it is needed.
        """
        return running_as_root()

    async def aim(self, number: int, game: str = "") -> None:
        """Have so many sandboxes wait: start what is missing, without waiting for it, and end what is too much.

        game: the one that new ones get ready for; they can play others, too.
        A sandbox that cannot be started is left out; whoever needs it will be told by a cold start.
        """
        self._forget_ended()
        while len(self._waiting) > number:
            await self._waiting.pop().end()
        while len(self._waiting) < number:
            try:
                self._waiting.append(await self._make(game))
            except (ArenaError, OSError):
                return

    async def settled(self) -> None:
        """Return once every sandbox either waits, all imports done, or has ended."""
        self._forget_ended()
        for one in tuple(self._waiting):
            await becomes_readable(one.order.fileno())

    def take(self, command: Sequence[str], limits: Limits) -> Waiting | None:
        """Return a sandbox that waits for such a bot, for start() or end(); None if there is none that fits."""
        self._forget_ended()
        return self._waiting.popleft() if self._waiting and self.fits(command, limits) else None

    async def start(self, program: BotProgram, taken: Waiting | None = None) -> BotProcess:
        """Start a bot, in a sandbox that waits if there is one that fits. Raises as launch does.

        taken: one that take() has returned.
        """
        while (waiting := taken or self.take(program.command, program.limits)) is not None:
            taken = None
            try:
                became = await waiting.become(program)
            except BaseException:
                await asyncio.shield(waiting.end())
                raise
            if became:
                self.warm_starts += 1
                return waiting.process
            await waiting.end()
        return await launch(program, groups=self._groups)

    def fits(self, command: Sequence[str], limits: Limits) -> bool:
        """Whether a waiting sandbox can become such a bot: a Python script, with the limits of this pool."""
        return self.serves(command) and limits == self._limits

    @staticmethod
    def serves(command: Sequence[str]) -> bool:
        """Whether this is what waiting programs can become."""
        return is_script(command)

    async def _make(self, game: str) -> Waiting:
        seat, view = Seat.new(), standard_view()
        here, there = socket.socketpair()
        # The first process of the sandbox keeps its end, which a bot can come by. It leads nowhere else; but a name it
        # were given would be one of this machine's. A socket has one at most, and this one has it now.
        there.bind("")
        with there:
            program = BotProgram(seat.files, (*_WAITING, game), limits=self._limits, door_folder=seat.door)
            try:
                process = await launch(program, groups=self._groups, stdin=there.fileno(), seat=seat)
            except BaseException:
                here.close()
                seat.remove()
                raise
        here.settimeout(0)
        _set_priority(process.pid, LOWEST)
        process.when_ended(seat.remove)
        return Waiting(process, here, seat, view)

    def _forget_ended(self) -> None:
        for one in [each for each in self._waiting if each.process.ended]:
            self._waiting.remove(one)
            one.order.close()


@dataclass(eq=False, slots=True)
class Waiting:
    """One sandbox that waits. order: leads to its program. view: what it shows beside its seat."""

    process: BotProcess
    order: socket.socket
    seat: Seat
    view: View

    @property
    def brake(self) -> BrakeAt | None:
        """How it can be stopped, None if that is not known yet."""
        return self.process.known_brake

    async def become(self, program: BotProgram) -> bool:
        """Have it become the bot; return whether it does: it may have died, or been cleared away, while it waited.

        Raises UsageError if the bot's files cannot be read.
        """
        try:
            if standard_view() is not self.view or not self.seat.is_there():
                return False
            # Not in a thread of its own, which costs as much: nothing of a match waits for this loop meanwhile.
            self.seat.copy(program.folder, program.socket)
            words = {"command": program.command[1:], "environment": dict(program.environment)}
            _set_priority(self.process.pid, 0)
            self.process.wake()
            async with asyncio.timeout(HANDOVER_S):
                if await self.process.brake() is None:
                    return False  # its limits do not hold
                loop = asyncio.get_running_loop()
                await loop.sock_sendall(self.order, json.dumps(words).encode())
                self.order.shutdown(socket.SHUT_WR)
                said = b""
                while not said.endswith(_TAKEN):
                    await becomes_readable(self.order.fileno())
                    more = self.order.recv(_MOST_SAID)
                    if not more:
                        return False
                    said += more
                return True
        except (OSError, TimeoutError, Unavailable):
            return False
        finally:
            self.order.close()

    async def end(self) -> None:
        """End it, used or not."""
        self.order.close()
        try:
            await self.process.kill()
        except Unavailable:
            # It will be told when a bot does not end either.
            return


def _set_priority(pid: int, nice: int) -> None:
    """Let a sandbox run like everybody else (0), or only when nobody else wants to; it may have ended."""
    if running_as_root():
        for each in tree_of(pid):
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, each, nice)
