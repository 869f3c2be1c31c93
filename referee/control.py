"""The worker's service: hosts a match, is told of ended processes, withdrawn bots and how programs are stopped."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import Any, Final, TypeAlias

import grpc

from arena.core.chance import SEED_BYTES
from arena.core.errors import ArenaError, NotFound, Unavailable, UsageError
from arena.core.registry import find_variant, load_game
from arena.hosting.brakes import FreezerBrake, SignalBrake
from arena.match.clock import Clock
from arena.match.setup import SeatLabel, Setup
from arena.v1 import match_result_pb2, referee_pb2, referee_pb2_grpc
from referee import wire
from referee.door import Door, Doors
from referee.hosted import HostedMatch
from referee.ports import Brake
from referee.refusal import Refusal
from referee.table import Table, checked_seat

DEFAULT_CAP_MS: Final = 3_600_000
DEFAULT_PROGRESS_MS: Final = 250

Context: TypeAlias = grpc.aio.ServicerContext[Any, Any]


class Control(referee_pb2_grpc.RefereeServiceServicer):
    """Serves RefereeService."""

    def __init__(self, table: Table, bots_address: str, doors: Doors, public_address: str = "") -> None:
        self._table = table
        self._public_address = public_address
        self._bots_address = bots_address
        self._doors = doors

    async def HostMatch(  # type: ignore[override] # the stubs know generators only; those may outlive a cancelled call
        self, request: referee_pb2.HostMatchRequest, context: Context
    ) -> None:
        """Host one match from its opening to its result."""
        watch = _Watch((request.progress_ms or DEFAULT_PROGRESS_MS) / 1000, request.quiet_ms / 1000)
        try:
            setup = read_setup(request)
            remote = self._remote_seats(request)
            hosted, tickets = self._table.open(setup, request.cap_ms or DEFAULT_CAP_MS, watch, remote)
        except ArenaError as error:
            Refusal.of_error(error).put_on(context)
            return
        if request.every_event:
            hosted.match.tell_public()
        doors: list[Door] = []
        try:
            _lend_known(hosted, request)
            if request.doors:
                doors = await self._doors.open(hosted, tickets, without=remote)
            opened = referee_pb2.MatchOpened(
                address=self._bots_address,
                tickets=tickets,
                doors=_by_seat(doors, len(tickets), remote),
                public_address=self._public_address,
            )
            await context.write(referee_pb2.HostMatchResponse(opened=opened))
            await watch.tell_progress(hosted, context)
            await context.write(referee_pb2.HostMatchResponse(finished=_finished(hosted)))
        except (Unavailable, UsageError) as error:
            Refusal.of_error(error).put_on(context)
        finally:
            self._table.close(setup.match_id)
            self._doors.close(doors)

    async def ReportExit(
        self, request: referee_pb2.ReportExitRequest, context: Context
    ) -> referee_pb2.ReportExitResponse:
        """Take note of a process that ended; no effect on a match that is not running any more."""
        hosted = self._table.find(request.match_id)
        if hosted is not None:
            try:
                hosted.report_exit(checked_seat(hosted, request.seat), request.status)
            except ArenaError as error:
                Refusal.of_error(error).put_on(context)
        return referee_pb2.ReportExitResponse()

    async def ReplaceSeat(
        self, request: referee_pb2.ReplaceSeatRequest, context: Context
    ) -> referee_pb2.ReplaceSeatResponse:
        """Take a withdrawn bot's seat out of its match."""
        try:
            hosted = self._table.find(request.match_id)
            if hosted is None:
                raise NotFound(f"no match {request.match_id!r} is running here", reason="UNKNOWN_MATCH")
            hosted.replace(checked_seat(hosted, request.seat))
        except ArenaError as error:
            Refusal.of_error(error).put_on(context)
        return referee_pb2.ReplaceSeatResponse()

    async def LendBrake(self, request: referee_pb2.LendBrakeRequest, context: Context) -> referee_pb2.LendBrakeResponse:
        """Take over how a seat's program can be stopped; no effect on a match or a program that does not run."""
        hosted = self._table.find(request.match_id)
        if hosted is not None and not hosted.over:
            try:
                seat = checked_seat(hosted, request.seat)
                hosted.lend(seat, _brake(request))
            except ArenaError as error:
                Refusal.of_error(error).put_on(context)
            except OSError:
                pass  # the program has ended, which is told by other means
        return referee_pb2.LendBrakeResponse()

    def _remote_seats(self, request: referee_pb2.HostMatchRequest) -> frozenset[int]:
        """Return the seats that are taken at the public address. Raises UsageError where there is none."""
        remote = frozenset(seat for seat, hosted in enumerate(request.seats) if hosted.remote)
        if remote and not self._public_address:
            raise UsageError("this referee has no public address for remote seats", reason="NO_PUBLIC_ADDRESS")
        return remote


def _by_seat(doors: list[Door], seats: int, without: frozenset[int]) -> list[str]:
    """Return an address per seat, empty for those without a door; nothing where there are no doors."""
    if not doors:
        return []
    addresses = iter(door.address for door in doors)
    return ["" if seat in without else next(addresses) for seat in range(seats)]


def _lend_known(hosted: HostedMatch, request: referee_pb2.HostMatchRequest) -> None:
    """Take over the brakes that the request names. Raises UsageError for one that is none."""
    for seat, of_seat in enumerate(request.seats):
        if of_seat.WhichOneof("brake") is not None:
            with contextlib.suppress(OSError):  # the program has ended, which is told by other means
                hosted.lend(checked_seat(hosted, seat), _brake(of_seat))


def _brake(request: referee_pb2.LendBrakeRequest | referee_pb2.HostedSeat) -> Brake:
    kind = request.WhichOneof("brake")
    if kind == "freezer":
        return FreezerBrake(Path(request.freezer))
    if kind == "first_process" and request.first_process > 0:
        return SignalBrake(request.first_process)
    raise UsageError("a brake is a freezer or a first process", reason="BAD_INPUT")


def read_setup(request: referee_pb2.HostMatchRequest) -> Setup:
    """Return the request as a match's setup. Raises UsageError for what is missing or cannot be read."""
    if not request.match_id:
        raise UsageError("a match needs an id", reason="NO_MATCH_ID")
    if len(request.seed) != SEED_BYTES:
        raise UsageError(f"the seed has {len(request.seed)} bytes, not {SEED_BYTES}", reason="BAD_SEED")
    if min(request.cap_ms, request.progress_ms, request.quiet_ms) < 0:
        raise UsageError("cap_ms, progress_ms and quiet_ms are not negative", reason="BAD_INPUT")
    game = load_game(request.game)
    return Setup(
        game=request.game,
        variant=find_variant(game, request.variant or None).id,
        seats=tuple(SeatLabel(seat.bot, seat.version) for seat in request.seats),
        components=request.components,
        seed=request.seed,
        clock=Clock.parse(request.clock or game.spec.clock),
        unsafe=request.unsafe,
        match_id=request.match_id,
        meta={"started": request.started} if request.started else {},
    )


class _Watch:
    """Passes a match's progress on, at most once per pause; what lies between, or in the quiet before, is skipped."""

    def __init__(self, pause_s: float, quiet_s: float) -> None:
        self._pause_s = pause_s
        self._quiet_s = quiet_s
        self._moved = asyncio.Event()
        self._over = asyncio.Event()

    def moved(self) -> None:
        self._moved.set()

    def over(self) -> None:
        self._over.set()
        self._moved.set()

    async def tell_progress(self, hosted: HostedMatch, context: Context) -> None:
        """Write where the match stands whenever it has moved, until it is over."""
        told_ply = -1
        if self._quiet_s:
            await self._pause(self._quiet_s)
        while not self._over.is_set():
            self._moved.clear()
            now = hosted.progress()
            seat = -1 if now.seat is None else now.seat
            progress = referee_pb2.MatchProgress(ply=now.ply, seat=seat, deadline_ms=now.deadline_ms, bank_ms=now.banks)
            if now.ply != told_ply:
                progress.public_view = hosted.match.take_public_view().SerializeToString(deterministic=True)
                told_ply = now.ply
            await context.write(referee_pb2.HostMatchResponse(progress=progress))
            await self._pause(self._pause_s)
            await self._moved.wait()

    async def _pause(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._over.wait()


def _finished(hosted: HostedMatch) -> referee_pb2.MatchFinished:
    result = hosted.match.result
    if result is None:
        raise RuntimeError("a match that is over has a result")
    return referee_pb2.MatchFinished(
        end=match_result_pb2.MatchEnd.Value(f"MATCH_END_{result.end}"),
        seats=wire.seat_results(result),
        log=hosted.match.log_text().encode(),
        times=[referee_pb2.SeatTimes(think_ms=place.think_ms, charged_ms=place.charged_ms) for place in hosted.places],
        reason=result.reason,
        plies=result.plies,
        seat_notes=[place.note for place in hosted.places],
    )
