"""One match of a bot that is being checked: its program behind a relay, opponents that answer at once, what it used."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import grpc

from arena.cli.checking.relay import Break, Relay, Seen
from arena.cli.playdoor import play_door
from arena.core.protocol import PROTOCOL_VERSION
from arena.core.registry import load_game
from arena.hosting.inside import Inside
from arena.hosting.launch import BotProcess, launch
from arena.hosting.matches import FAREWELL_S, HostedMatch, play_hosted
from arena.hosting.referee import Referee
from arena.hosting.sandbox import BotProgram, Limits
from arena.match.clock import Clock
from arena.match.setup import SeatLabel, Setup
from arena.v1 import play_pb2, play_pb2_grpc

LOOK_EVERY_S: Final = 0.05
_HANDED_OVER_S: Final = 2.0


@dataclass(frozen=True, slots=True)
class Case:
    """What is to be played: seat is the checked bot's, the others are sparring partners; breaks: as in Relay."""

    game: str
    variant: str
    seats: int
    seat: int
    clock: Clock | None
    breaks: tuple[Break, ...] = ()


@dataclass(slots=True)
class Ran:
    """What became known of the program. memory_bytes, processes: the most that was seen, 0 where nobody could look.

    status: its exit status, None if it had to be ended. ended_ms: when it ended, in ms after the end of the match was
    handed over; None if it had to be ended, or ended before.
    """

    status: int | None = None
    ended_ms: int | None = None
    memory_bytes: int = 0
    processes: int = 0
    printed_bytes: int = 0
    output: str = ""


@dataclass(frozen=True, slots=True)
class Trial:
    """A match that was played."""

    case: Case
    match: HostedMatch
    seen: Seen
    ran: Ran


class _Looks:
    """Notes the most that is seen in a sandbox."""

    def __init__(self, ran: Ran) -> None:
        self._ran = ran
        self._first = 0
        self._known = asyncio.Event()
        self._inside: Inside | None = None

    def begin(self, first: int) -> None:
        """See the sandbox with this first process from now on; 0: there is none."""
        self._first = first
        self._known.set()

    def look(self) -> None:
        """Look once; nothing is seen of a sandbox that is still being made, or has ended."""
        if self._inside is None and self._first:
            with contextlib.suppress(OSError):
                self._inside = Inside.open(self._first)
        if self._inside is not None:
            self._ran.memory_bytes = max(self._ran.memory_bytes, self._inside.memory_bytes())
            self._ran.processes = max(self._ran.processes, self._inside.threads())

    async def last(self) -> None:
        """Look once more while the bot still plays: between the other looks a busy machine may let a match pass."""
        await self._known.wait()
        self.look()

    def close(self) -> None:
        """See nothing any more, and let nobody wait for it."""
        self.begin(0)
        if self._inside is not None:
            self._inside.close()
            self._inside = None


@dataclass(slots=True)
class CheckedBot:
    """Plays a seat with a program: to the referee it is a guest, so that what both say passes through here."""

    folder: Path
    command: tuple[str, ...]
    referee: Referee
    match_id: str
    case: Case
    sandboxed: bool
    seen: Seen = field(default_factory=Seen)
    ran: Ran = field(default_factory=Ran)

    async def play(self, address: str, ticket: str) -> None:
        """Play until the match is over; then see how the program ends."""
        looks = _Looks(self.ran)
        relay = Relay(address, self.case.breaks, before_over=looks.last)
        self.seen = relay.seen
        async with play_door(relay.serve) as socket:
            program = BotProgram(self.folder, self.command, socket, {"WHITEOUT_TICKET": ticket}, Limits())
            relay.begin()
            process = await launch(program, sandboxed=self.sandboxed)
            looking = asyncio.create_task(self._look(process, looks))
            try:
                await self._follow(process)
            except asyncio.CancelledError:
                # The match is over: play_hosted ends its guests so.
                await self._see_off(process, relay)
            finally:
                await process.kill()
                looking.cancel()
                await asyncio.gather(looking, return_exceptions=True)
                self.ran.output, self.ran.printed_bytes = process.output.text, process.output.total

    async def _follow(self, process: BotProcess) -> None:
        self.ran.status = await process.wait()
        await self.referee.report_exit(self.match_id, self.case.seat, self.ran.status)
        await asyncio.Event().wait()  # until the match is over

    async def _see_off(self, process: BotProcess, relay: Relay) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_HANDED_OVER_S):
                if not process.ended:
                    await relay.over.wait()
        began = time.monotonic()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(2 * FAREWELL_S):
                self.ran.status = await process.wait()
                self.ran.ended_ms = round(1000 * (time.monotonic() - began))

    async def _look(self, process: BotProcess, looks: _Looks) -> None:
        """Look into the sandbox again and again, and lend the referee its brake."""
        try:
            brake = await process.brake()
            looks.begin(0 if brake is None else brake.first)
            if brake is not None:
                await self.referee.lend_brake(self.match_id, self.case.seat, brake)
            while brake is not None and not process.ended:
                looks.look()
                await asyncio.sleep(LOOK_EVERY_S)
        finally:
            looks.close()


class Sparring:
    """A guest that answers every turn at once, by a rule that looks like chance and is always the same."""

    async def play(self, address: str, ticket: str) -> None:
        """Play to the end. A stream that breaks off is that, too: how the match ended, its referee tells."""
        async with grpc.aio.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
            stub: Any = play_pb2_grpc.PlayServiceStub(channel)  # the stubs know calls with an iterator of requests only
            # It may end while an answer is on its way.
            with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
                await self._answer(stub.Play(), ticket)

    async def _answer(self, call: Any, ticket: str) -> None:
        hello = play_pb2.Hello(ticket=ticket, protocol_version=PROTOCOL_VERSION, sdk="arena-check/0.1.0")
        await call.write(play_pb2.PlayRequest(hello=hello))
        game: Any = None
        while isinstance(response := await call.read(), play_pb2.PlayResponse):
            if response.HasField("start"):
                game = load_game(response.start.game)
            elif response.HasField("turn"):
                _, legal = game.parse_turn(response.turn.body.value)
                chosen = (response.turn.ply * 2_654_435_761 >> 7) % len(legal)
                await call.write(play_pb2.PlayRequest(answer=play_pb2.Answer(ply=response.turn.ply, action=chosen)))


async def play_trial(
    folder: Path, command: Sequence[str], case: Case, referee: Referee, *, number: int, sandboxed: bool
) -> Trial:
    """Play one match; number makes its id, and its luck. Raises as play_hosted."""
    setup = Setup(
        game=case.game,
        variant=case.variant,
        seats=tuple(SeatLabel("checked" if seat == case.seat else "sparring", "local") for seat in range(case.seats)),
        seed=(number % (1 << 128)).to_bytes(16, "big"),
        clock=case.clock,
        unsafe=not sandboxed,
        match_id=f"check-{number}",
    )
    checked = CheckedBot(folder, tuple(command), referee, setup.match_id, case, sandboxed)
    guests = [checked if seat == case.seat else Sparring() for seat in range(case.seats)]
    match = await play_hosted(setup, guests, referee)
    return Trial(case, match, checked.seen, checked.ran)
