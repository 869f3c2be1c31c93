"""One claimed block: its legs are played and recorded one after the other while the lease is kept alive."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Final

from arena.core.errors import ArenaError, LeaseLost, Unavailable
from arena.core.manifest import parse_manifest
from arena.hosting.matches import HostedBot, HostedMatch, Progress, SeatPlay, play_hosted
from arena.hosting.referee import Referee
from arena.hosting.temporary import owned_folder
from arena.match.answers import count_answers
from arena.match.clock import Clock
from arena.match.setup import SeatLabel, Setup
from arena.services import dispatch, results, submissions
from arena.services.qualifying import NOTE_HEAD
from arena.services.results import Recording, SeatOutput, SeatTimes
from arena.store import Store
from arena.store.records import Claim, Leg, LegSeat

LOG: Final = logging.getLogger("worker")
RECORD_TRIES: Final = 5
RECORD_PAUSE_S: Final = 1.0
FOLDER_PREFIX: Final = "whiteout-block-"

HOUSE_FOLDER: Final = Path(str(files("bots").joinpath("builtin", "random")))
"""The arena's own bot, which candidates meet; it comes with the program."""


class Stop:
    """The wish that a block be left: at once between matches, after a grace in the middle of one.

    grace_s: how many seconds a match may go on.
    """

    def __init__(self, grace_s: float) -> None:
        self.wished = False
        self.on_deadline: Callable[[], object] = _nothing
        self._grace_s = grace_s

    def wish(self) -> None:
        """Wish it; a match still running when the grace is over is broken off, at once if this is wished again."""
        if self.wished:
            self._break_off()
        self.wished = True
        asyncio.get_running_loop().call_later(self._grace_s, self._break_off)

    def _break_off(self) -> None:
        self.on_deadline()  # of whichever match runs by then


class Block:
    """A block on lease.

    now: the clock. unsafe: bots run without a sandbox. set_aside_after: see setting_aside. pondering: see play_hosted.
    lease: see dispatch.claim. gave_up: whether the platform failed here.
    """

    def __init__(
        self,
        store: Store,
        claim: Claim,
        now: Callable[[], datetime],
        stop: Stop,
        *,
        unsafe: bool,
        set_aside_after: int,
        pondering: bool,
        lease: timedelta,
    ) -> None:
        self.gave_up = False
        self._store = store
        self._claim = claim
        self._now = now
        self._stop = stop
        self._unsafe = unsafe
        self._set_aside_after = set_aside_after
        self._pondering = pondering
        self._lease = lease
        self._left = len(claim.legs)
        self._telling = asyncio.Lock()
        self._progress: dispatch.LegProgress | None = None

    async def play(self, referee: Referee) -> None:
        """Play every leg that has no result; what goes wrong is told to the database and the log, not raised."""
        try:
            async with asyncio.TaskGroup() as group:
                beats = group.create_task(self._keep_alive())
                legs = group.create_task(self._play_legs(referee))
                self._stop.on_deadline = legs.cancel
                await asyncio.wait((legs,))
                beats.cancel()
        except* LeaseLost as lost:
            LOG.warning("block %d: %s", self._claim.block_id, _first(lost))
        except* Exception as faults:  # noqa: BLE001 - whatever it is, the block must not stay with us
            await self.give_up(_first(faults))
        else:
            if legs.cancelled() or self._stop.wished:
                await self._hand_back()
        finally:
            self._stop.on_deadline = _nothing

    async def give_up(self, reason: str) -> None:
        """Report that the platform failed at this attempt."""
        match_id = self._progress.match_id if self._progress is not None else self._claim.legs[0].match_id
        LOG.error("block %d, match %d: %s", self._claim.block_id, match_id, reason)
        self.gave_up = True
        retry_delay = self._lease / dispatch.BEATS
        await self._tell(partial(dispatch.give_up, match_id=match_id, reason=reason, retry_delay=retry_delay))

    async def _hand_back(self) -> None:
        if self._left:
            LOG.info("block %d is handed back with %d matches to play", self._claim.block_id, self._left)
            await self._tell(dispatch.release)

    async def _tell(self, use_case: Callable[[Store, int, int, datetime], None]) -> None:
        """Tell the database how an attempt ended; if it cannot be told, the lease will run out."""
        try:
            await asyncio.to_thread(use_case, self._store, self._claim.block_id, self._claim.attempt, self._now())
        except ArenaError as error:
            LOG.warning("block %d: %s", self._claim.block_id, error.message)

    async def _play_legs(self, referee: Referee) -> None:
        with owned_folder(FOLDER_PREFIX) as folder:
            bots = await self._unpack(folder)
            for leg in self._claim.legs:
                if self._stop.wished:
                    return
                self._see(leg, Progress(0, None, 0))
                await self._beat()
                match = await play_hosted(
                    self._setup(leg),
                    [bots[seat.version_id] for seat in leg.seats],
                    referee,
                    on_progress=partial(self._see, leg),
                    pondering=self._pondering,
                )
                await self._record(leg, match)

    async def _unpack(self, folder: Path) -> dict[int, HostedBot]:
        """Write out the bots of the block; each match mounts them read-only."""
        bots: dict[int, HostedBot] = {}
        for seat in (seat for leg in self._claim.legs for seat in leg.seats):
            if seat.version_id not in bots:
                bots[seat.version_id] = await self._bot(seat, folder / str(seat.version_id))
        return bots

    async def _bot(self, seat: LegSeat, place: Path) -> HostedBot:
        command = parse_manifest(seat.manifest).program
        if not seat.sha256:
            return HostedBot(HOUSE_FOLDER, command)
        await asyncio.to_thread(submissions.unpack, self._store, seat.version_id, place)
        return HostedBot(place, command)

    def _setup(self, leg: Leg) -> Setup:
        return Setup(
            game=self._claim.game,
            variant=self._claim.variant,
            seats=tuple(SeatLabel(seat.bot, str(seat.version)) for seat in leg.seats),
            components=self._claim.components,
            seed=leg.seed,
            clock=Clock.parse(self._claim.clock),
            unsafe=self._unsafe,
            match_id=str(leg.match_id),
            meta={"started": self._now().isoformat(timespec="seconds")},
        )

    async def _record(self, leg: Leg, match: HostedMatch) -> None:
        recording = Recording(
            block_id=self._claim.block_id,
            attempt=self._claim.attempt,
            match_id=leg.match_id,
            result=match.result,
            log=match.log,
            outputs=tuple(map(_output, match.seats)),
            times=tuple(SeatTimes(seat.think_ms, seat.charged_ms) for seat in match.seats),
            answers=count_answers(match.log, len(leg.seats)),
        )
        record = partial(
            results.record, self._store, recording, set_aside_after=self._set_aside_after, lease=self._lease
        )
        for tries_left in reversed(range(RECORD_TRIES)):
            try:
                async with self._telling:  # a beat that came after the last record would find the attempt over
                    await asyncio.to_thread(record, now=self._now())
                    self._left -= 1
            except Unavailable:
                if not tries_left:
                    raise
                await asyncio.sleep(RECORD_PAUSE_S)
            else:
                LOG.info("match %d: %s, ranks %s", leg.match_id, match.result.end, match.result.ranks)
                return

    async def _keep_alive(self) -> None:
        """Beat until cancelled. Raises LeaseLost when the block has passed to somebody else."""
        while True:
            await asyncio.sleep(self._lease.total_seconds() / dispatch.BEATS)
            await self._beat()

    async def _beat(self) -> None:
        claim = self._claim
        beat = partial(dispatch.heartbeat, self._store, claim.block_id, claim.attempt, lease=self._lease)
        try:
            async with self._telling:
                if self._left:
                    await asyncio.to_thread(beat, self._now(), self._progress)
        except Unavailable as error:
            LOG.warning("block %d: no heartbeat: %s", claim.block_id, error.message)

    def _see(self, leg: Leg, now: Progress) -> None:
        deadline = self._now() + timedelta(milliseconds=now.deadline_ms) if now.deadline_ms else None
        self._progress = dispatch.LegProgress(leg.match_id, now.ply, deadline)


def _output(seat: SeatPlay) -> SeatOutput:
    """Return what the author may read: what the program printed, and how its seat ended if not by playing."""
    note = f"{NOTE_HEAD}{seat.note}]\n".encode() if seat.note else b""
    printed = seat.output.kept()
    gap = b"\n" if note and printed and not printed.endswith(b"\n") else b""
    return SeatOutput(printed + gap + note, truncated=seat.output.truncated)


def _first(failures: BaseExceptionGroup[Exception]) -> str:
    failure = failures.exceptions[0]
    while isinstance(failure, BaseExceptionGroup):
        failure = failure.exceptions[0]
    return failure.message if isinstance(failure, ArenaError) else f"internal error: {failure!r}"


def _nothing() -> None:
    """Do nothing: there is no match to break off."""
