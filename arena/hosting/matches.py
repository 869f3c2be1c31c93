"""Plays one match with bots in sandboxes and a referee; whatever happens, nothing of it is left running."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, Protocol

from arena.core.errors import Unavailable, UsageError
from arena.core.manifest import FILE_NAME, parse_manifest
from arena.hosting.capture import CappedOutput
from arena.hosting.cgroups import ControlGroups
from arena.hosting.fence import BrakeAt
from arena.hosting.launch import BotProcess, launch
from arena.hosting.pool import WarmPool
from arena.hosting.referee import Referee, name_brake
from arena.hosting.sandbox import BotProgram, Limits
from arena.hosting.seated import Task, farewell, lendings, report_exit, running, starting, taken
from arena.match.result import MatchEnd, MatchResult, SeatEnd
from arena.match.setup import Setup
from arena.v1 import match_result_pb2, referee_pb2

FAREWELL_S: Final = 1.0
"""How long a bot may go on after the end of its match, to write down what it learned."""

CAP_MS: Final = 3_600_000
"""The most a match may take in all, unless somebody says otherwise."""

OVERDUE_S: Final = 60.0
"""How long after the cap a referee may take to say how the match ended; one that has said nothing by then hangs."""


@dataclass(frozen=True, slots=True)
class HostedBot:
    """A bot at a seat: its folder and the program of its manifest."""

    folder: Path
    command: tuple[str, ...]

    @classmethod
    def from_folder(cls, folder: Path) -> HostedBot:
        """Read a bot's folder. Raises UsageError for one without a readable manifest."""
        file = folder / FILE_NAME
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            raise UsageError(
                f"{folder} has no readable {FILE_NAME}; name a bot's folder", reason="NO_MANIFEST"
            ) from None
        return cls(folder, parse_manifest(text, str(file)).program)


class Guest(Protocol):
    """Somebody who plays a seat from outside, such as a person; the arena starts no program for that seat."""

    def play(self, address: str, ticket: str) -> Coroutine[None, None, None]:
        """Play the seat that the ticket opens, on the bots' gRPC target; cancelled when the match is over."""


@dataclass(frozen=True, slots=True)
class Invitation:
    """How a remote seat is taken. certificate: the one that is shown at the address, PEM, "" for plain text."""

    address: str
    ticket: str
    certificate: str


@dataclass(frozen=True, slots=True)
class RemoteSeat:
    """A seat that is played from elsewhere. invite: is told where and by what it is taken, once it can be.

    An invitation that fails is the platform's failure.
    """

    invite: Callable[[Invitation], Coroutine[None, None, None]]


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a running match stands; seat: who acts, None for nobody; deadline_ms: what it has left, 0 for no limit.

    banks: what each seat has left in ms, empty without a clock. public_view: the public's view message, empty when
    unchanged.
    """

    ply: int
    seat: int | None
    deadline_ms: int
    banks: tuple[int, ...] = ()
    public_view: bytes = b""


@dataclass(frozen=True, slots=True)
class SeatPlay:
    """What became known of a seat beside the result.

    note: how its end came about, for its author. think_ms, charged_ms: one entry per asked turn. output: what its
    program printed, capped.
    """

    note: str
    think_ms: tuple[int, ...]
    charged_ms: tuple[int, ...]
    output: CappedOutput


@dataclass(frozen=True, slots=True)
class HostedMatch:
    """A match that was played; log: JSON Lines."""

    result: MatchResult
    log: str
    seats: tuple[SeatPlay, ...]


async def play_hosted(
    setup: Setup,
    bots: Sequence[HostedBot | Guest | RemoteSeat],
    referee: Referee,
    *,
    on_progress: Callable[[Progress], None] | None = None,
    limits: Limits | None = None,
    cap_ms: int = CAP_MS,
    pondering: bool = False,
    groups: ControlGroups | None = None,
    pool: WarmPool | None = None,
    upcoming: int = 0,
    every_event: bool = False,
    quiet_ms: int = 0,
) -> HostedMatch:
    """Play one match, one bot a seat, each in a fresh process; setup.unsafe says that they run without a sandbox.

    Guests and remote seats have no process. setup.match_id must differ from those of the referee's other running
    matches. cap_ms: the most the match may take in all. pondering: whether bots may run
    while they are not to move; unprotected ones always may. groups: as in launch. pool: sandboxes that wait,
    None for none; upcoming of them shall wait when this match is over. every_event: whether the public views
    of on_progress tell the events of all plies between two of them. quiet_ms: how long nothing has to be told to
    on_progress, from the start on and between two times; 0: told at once, and as often as people look. Raises
    Unavailable when the platform fails (no sandbox, referee lost), UsageError for a match that cannot be.
    """
    if len(bots) != len(setup.seats):
        raise UsageError(f"{len(setup.seats)} seats and {len(bots)} bots do not fit", reason="WRONG_NUMBER_OF_SEATS")
    if not setup.unsafe and any(isinstance(bot, HostedBot) for bot in bots):
        await referee.sandbox.require()
    hosted = {seat: bot for seat, bot in enumerate(bots) if isinstance(bot, HostedBot)}
    limits = limits or Limits()
    pool = None if setup.unsafe else pool
    async with AsyncExitStack() as stack:
        waiting = await stack.enter_async_context(
            taken(pool, {seat: bot.command for seat, bot in hosted.items()}, limits)
        )
        brakes = {} if pondering else {seat: one.brake for seat, one in waiting.items() if one.brake is not None}
        request = _request(setup, bots, brakes, quiet_ms=quiet_ms, cap_ms=cap_ms, every_event=every_event)
        events = await stack.enter_async_context(aclosing(referee.host(request)))
        opened = await _opening(events)
        programs = {
            seat: _program(bot, opened.doors[seat], opened.tickets[seat], limits) for seat, bot in hosted.items()
        }
        start = starting(pool, waiting, partial(launch, sandboxed=not setup.unsafe, groups=groups))
        processes = await stack.enter_async_context(running(programs, start))
        if pool is not None:
            await pool.aim(upcoming, setup.game)
        tasks = _visits(bots, opened, referee.certificate)
        if not pondering:
            tasks += lendings(referee, setup.match_id, processes, brakes)
        exits: dict[BotProcess, Task] = {
            process: partial(report_exit, referee, setup.match_id, seat, process) for seat, process in processes.items()
        }
        finished = await _follow(tasks, exits, events, on_progress, cap_ms / 1000 + OVERDUE_S)
        await farewell(processes, FAREWELL_S)
    return _hosted_match(finished, processes)


def _program(bot: HostedBot, door: str, ticket: str, limits: Limits) -> BotProgram:
    return BotProgram(bot.folder, bot.command, Path(door.removeprefix("unix:")), {"WHITEOUT_TICKET": ticket}, limits)


def _visits(
    bots: Sequence[HostedBot | Guest | RemoteSeat], opened: referee_pb2.MatchOpened, certificate: str
) -> list[Task]:
    """Return what brings those to their seats that have no program here; the door of a remote seat means nothing."""
    return [
        partial(bot.invite, Invitation(opened.public_address, ticket, certificate))
        if isinstance(bot, RemoteSeat)
        else partial(bot.play, opened.doors[seat], ticket)
        for seat, (bot, ticket) in enumerate(zip(bots, opened.tickets, strict=True))
        if not isinstance(bot, HostedBot)
    ]


async def _opening(events: AsyncIterator[referee_pb2.HostMatchResponse]) -> referee_pb2.MatchOpened:
    async for event in events:
        return event.opened
    raise Unavailable("the referee opened no match", reason="REFEREE_LOST")


async def _follow(
    tasks: Sequence[Task],
    exits: Mapping[BotProcess, Task],
    events: AsyncIterator[referee_pb2.HostMatchResponse],
    on_progress: Callable[[Progress], None] | None,
    patience_s: float,
) -> referee_pb2.MatchFinished:
    """Return the end of the match; meanwhile do what is to be done beside it. Raises Unavailable.

    exits: what is to be done when a program has ended before the match has. patience_s: how long the referee may take.
    """
    try:
        async with asyncio.TaskGroup() as group:
            running = [group.create_task(task()) for task in tasks]
            over = False

            def on_exit(task: Task) -> None:
                if over:
                    return
                told = task()
                try:
                    running.append(group.create_task(told))
                except RuntimeError:  # the group is ending already, because something else has failed
                    told.close()

            for process, task in exits.items():
                process.when_ended(partial(on_exit, task))
            try:
                async with asyncio.timeout(patience_s):
                    finished = await _until_finished(events, on_progress)
            except TimeoutError:
                raise Unavailable("the referee hangs: the match is long over its cap", reason="REFEREE_LOST") from None
            finally:
                over = True
            for one in running:
                one.cancel()
    except* Unavailable as failures:
        raise failures.exceptions[0] from None
    return finished


async def _until_finished(
    events: AsyncIterator[referee_pb2.HostMatchResponse], on_progress: Callable[[Progress], None] | None
) -> referee_pb2.MatchFinished:
    async for event in events:
        if event.HasField("finished"):
            return event.finished
        if event.HasField("progress") and on_progress is not None:
            now = event.progress
            seat = None if now.seat < 0 else now.seat
            on_progress(Progress(now.ply, seat, now.deadline_ms, tuple(now.bank_ms), now.public_view))
    raise Unavailable("the referee left a match without a result", reason="REFEREE_LOST")


def _request(
    setup: Setup,
    bots: Sequence[HostedBot | Guest | RemoteSeat],
    brakes: Mapping[int, BrakeAt],
    *,
    quiet_ms: int,
    cap_ms: int,
    every_event: bool,
) -> referee_pb2.HostMatchRequest:
    seats = [
        referee_pb2.HostedSeat(bot=one.bot, version=one.version, remote=isinstance(bot, RemoteSeat))
        for one, bot in zip(setup.seats, bots, strict=True)
    ]
    for seat, brake in brakes.items():
        name_brake(seats[seat], brake)
    return referee_pb2.HostMatchRequest(
        match_id=setup.match_id,
        game=setup.game,
        variant=setup.variant,
        components=setup.components,
        seed=setup.seed,
        clock="none" if setup.clock is None else str(setup.clock),
        seats=seats,
        cap_ms=cap_ms,
        unsafe=setup.unsafe,
        started=setup.meta.get("started", ""),
        doors=True,
        every_event=every_event,
        progress_ms=quiet_ms,
        quiet_ms=quiet_ms,
    )


def _hosted_match(finished: referee_pb2.MatchFinished, processes: Mapping[int, BotProcess]) -> HostedMatch:
    seats = sorted(finished.seats, key=lambda seat: seat.seat)
    result = MatchResult(
        end=MatchEnd(match_result_pb2.MatchEnd.Name(finished.end).removeprefix("MATCH_END_")),
        seat_ends=tuple(SeatEnd(match_result_pb2.SeatEnd.Name(seat.end).removeprefix("SEAT_END_")) for seat in seats),
        ranks=tuple(seat.rank for seat in seats),
        scores=tuple(seat.score if seat.HasField("score") else None for seat in seats),
        reason=finished.reason,
        plies=finished.plies,
    )
    plays = tuple(
        SeatPlay(
            note,
            tuple(times.think_ms),
            tuple(times.charged_ms),
            processes[seat].output if seat in processes else CappedOutput(),
        )
        for seat, (note, times) in enumerate(zip(finished.seat_notes, finished.times, strict=True))
    )
    return HostedMatch(result, finished.log.decode(), plays)
