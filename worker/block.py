"""One claimed block: its legs are played and recorded one after the other while the lease is kept alive."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta
from functools import lru_cache, partial
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, TypeAlias

from arena.core.errors import ArenaError, LeaseLost, Unavailable
from arena.core.manifest import parse_manifest
from arena.hosting.matches import HostedBot, HostedMatch, Progress, RemoteSeat, SeatPlay, play_hosted
from arena.hosting.pool import WarmPool
from arena.hosting.referee import Referee
from arena.match.answers import count_answers
from arena.match.clock import Clock
from arena.match.setup import SeatLabel, Setup
from arena.services import dispatch, live, results
from arena.services.qualifying import NOTE_HEAD
from arena.services.results import Recording, SeatOutput, SeatTimes
from arena.store import Store
from arena.store.records import Claim, Leg, LegSeat
from arena.telemetry.figures import WorkerFigures
from arena.telemetry.logs import bound_contextvars, get_logger
from worker.live import Herald
from worker.public import Public
from worker.unpacked import UnpackedVersions

LOG: Final = get_logger("worker")
RECORD_TRIES: Final = 5
RECORD_PAUSE_S: Final = 1.0
QUIET_IN_LEASE: Final = 30
"""What only heartbeats tell of a match is told by its referee so often in a lease: five times a heartbeat."""

PlayMatch: TypeAlias = Callable[..., Awaitable[HostedMatch]]
"""How a match is played: play_hosted, or what stands in for it where the platform alone is measured."""

INSTALLED: Final = Path(str(files("bots").joinpath("builtin")))
"""Where the arena's own bots are, which candidates and people meet; they come with the program."""


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
    lease: see dispatch.claim. figures: where is counted what is played. public: for blocks with remote seats.
    herald: tells the public of matches. play_match: how one is played. pool: sandboxes that wait for matches. versions:
    where bots are unpacked. gave_up: whether the platform failed here. lost: whether the lease was lost.
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
        figures: WorkerFigures,
        public: Public | None = None,
        herald: Herald | None = None,
        play_match: PlayMatch = play_hosted,
        pool: WarmPool | None = None,
        versions: UnpackedVersions,
    ) -> None:
        self._play_match = play_match
        self._pool = pool
        self._versions = versions
        self.gave_up = False
        self.lost = False
        self._store = store
        self._claim = claim
        self._now = now
        self._stop = stop
        self._unsafe = unsafe
        self._set_aside_after = set_aside_after
        self._pondering = pondering
        self._lease = lease
        self._figures = figures
        self._public = public
        self._herald = herald
        self._left = len(claim.legs)
        self._quiet_ms = lease // QUIET_IN_LEASE // timedelta(milliseconds=1)
        self._telling = asyncio.Lock()
        self._progress = dispatch.LegProgress(claim.legs[0].match_id, 0, None)

    async def play(self, referee: Referee) -> None:
        """Play every leg that has no result; what goes wrong is told to the database and the log, not raised."""
        claim = self._claim
        with bound_contextvars(block=claim.block_id, attempt=claim.attempt, tournament=claim.tournament):
            LOG.info("block claimed", game=claim.game, matches=self._left)
            await self._play(referee)

    async def _play(self, referee: Referee) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                beats = group.create_task(self._keep_alive())
                legs = group.create_task(self._play_legs(referee))
                self._stop.on_deadline = legs.cancel
                await asyncio.wait((legs,))
                beats.cancel()
        except* LeaseLost as lost:
            self.lost = True
            LOG.warning("lease lost", why=_first(lost))
            self._figures.attempt_over("lease_lost")
        except* Exception as faults:  # noqa: BLE001 - whatever it is, the block must not stay with us
            await self.give_up(_first(faults))
        else:
            if self._left and (legs.cancelled() or self._stop.wished):
                await self._hand_back()
            else:
                self._figures.attempt_over("done")
        finally:
            self._stop.on_deadline = _nothing

    async def give_up(self, reason: str) -> None:
        """Report that the platform failed at this attempt."""
        match_id = self._progress.match_id
        LOG.error("gave up", block=self._claim.block_id, attempt=self._claim.attempt, match=match_id, why=reason)
        self._figures.attempt_over("gave_up")
        self.gave_up = True
        retry_delay = self._lease / dispatch.BEATS
        await self._tell(partial(dispatch.give_up, match_id=match_id, reason=reason, retry_delay=retry_delay))

    async def _hand_back(self) -> None:
        LOG.info("block handed back", matches=self._left)
        self._figures.attempt_over("handed_back")
        await self._tell(dispatch.release)

    async def _tell(self, use_case: Callable[[Store, int, int, datetime], None]) -> None:
        """Tell the database how an attempt ended; if it cannot be told, the lease will run out."""
        try:
            await asyncio.to_thread(use_case, self._store, self._claim.block_id, self._claim.attempt, self._now())
        except ArenaError as error:
            LOG.warning("could not tell how the attempt ended", why=error.message)

    async def _play_legs(self, referee: Referee) -> None:
        bots = await self._unpack()
        for leg in self._claim.legs:
            await asyncio.sleep(0)  # so that a signal which came while the last match was recorded is heard
            if self._stop.wished:
                return
            with bound_contextvars(match=leg.match_id):
                await self._play_leg(leg, bots, referee)

    async def _play_leg(self, leg: Leg, bots: Mapping[int, HostedBot], referee: Referee) -> None:
        setup = self._setup(leg)
        start_ms = 0 if setup.clock is None else setup.clock.start_ms
        self._see(leg, start_ms, Progress(0, None, start_ms))
        show = await self._shown_by(leg)
        began = time.monotonic()
        match = await self._play_match(
            setup,
            [self._player(leg, seat, bots) for seat in range(len(leg.seats))],
            referee,
            on_progress=partial(self._see, leg, start_ms, show=show),
            pondering=self._pondering,
            every_event=show is not None,
            quiet_ms=0 if show is not None else self._quiet_ms,
            **self._prepared(leg, bots),
        )
        seconds = time.monotonic() - began
        await self._record(leg, match)
        if self._herald is not None and show is not None:
            self._herald.end(leg.match_id)
        think_ms = [each for seat in match.seats for each in seat.think_ms]
        self._figures.match_over(self._claim.game, match.result, seconds, think_ms)
        ends = [end.value for end in match.result.seat_ends]
        LOG.info(
            "match recorded",
            end=match.result.end.value,
            seats=ends,
            plies=match.result.plies,
            seconds=round(seconds, 3),
        )

    async def _shown_by(self, leg: Leg) -> Callable[[Progress], None] | None:
        """Return what shows a leg to the public; None for one whose deal others have still to play."""
        if self._herald is None or leg is not self._claim.legs[-1]:
            return None
        if not await asyncio.to_thread(live.may_show, self._store, leg.match_id):
            return None
        return self._herald.show(leg.match_id)

    async def _unpack(self) -> dict[int, HostedBot]:
        """Write out the bots of the block; each match mounts them read-only."""
        hosted = {seat.version_id: seat for leg in self._claim.legs for seat in leg.seats if not seat.remote}
        archived = [(version_id, seat.sha256) for version_id, seat in hosted.items() if seat.sha256]
        folders = await self._versions.fetched(archived)
        return {version_id: _bot(seat, folders.get((version_id, seat.sha256))) for version_id, seat in hosted.items()}

    def _prepared(self, leg: Leg, bots: Mapping[int, HostedBot]) -> dict[str, Any]:
        """Return the sandboxes that wait, and for how many bots they should when this leg is over."""
        if self._pool is None:
            return {}
        playing = [bots[seat.version_id] for seat in leg.seats if not seat.remote]
        number = sum(self._pool.serves(bot.command) for bot in playing)
        if leg is self._claim.legs[-1] and not self._claim.more:
            number = 0
        return {"pool": self._pool, "upcoming": number}

    def _player(self, leg: Leg, seat: int, bots: Mapping[int, HostedBot]) -> HostedBot | RemoteSeat:
        who = leg.seats[seat]
        if not who.remote:
            return bots[who.version_id]
        if self._public is None:
            raise Unavailable("this worker has no public address for remote seats", reason="NO_PUBLIC_ADDRESS")
        return self._public.seat(self._store, self._claim, leg, seat)

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

    def _following(self, leg: Leg) -> int | None:
        after = self._claim.legs[self._claim.legs.index(leg) + 1 :]
        return after[0].match_id if after else None

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
            following=self._following(leg),
        )
        record = partial(
            results.record, self._store, recording, set_aside_after=self._set_aside_after, lease=self._lease
        )
        for tries_left in reversed(range(RECORD_TRIES)):
            began = time.monotonic()
            try:
                async with self._telling:  # a beat that came after the last record would find the attempt over
                    # In no thread of its own: nothing else is to be done here until it is recorded.
                    record(now=self._now())
                    self._left -= 1
            except Unavailable as error:
                LOG.warning("could not record", why=error.message, tries_left=tries_left)
                if not tries_left:
                    raise
                await asyncio.sleep(RECORD_PAUSE_S)
            else:
                self._figures.step_took("record", time.monotonic() - began)
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
            LOG.warning("no heartbeat", why=error.message)

    def _see(self, leg: Leg, start_ms: int, now: Progress, show: Callable[[Progress], None] | None = None) -> None:
        """Note what heartbeats tell: by when the ply has ended, if the referee still does anything.

        start_ms: what seats have to come, and again for the first answer, which ends the ply at which they come.
        """
        left_ms = now.deadline_ms + (start_ms if now.seat is None else 0)
        deadline = self._now() + timedelta(milliseconds=left_ms) if now.deadline_ms else None
        self._progress = dispatch.LegProgress(leg.match_id, now.ply, deadline)
        if show is not None:
            show(now)


def _bot(seat: LegSeat, folder: Path | None) -> HostedBot:
    """Return a seat's bot; folder: where its archive is unpacked, None for one of the arena's own."""
    manifest = _read_manifest(seat.manifest)
    return HostedBot(folder or INSTALLED / manifest.name, manifest.program)


_read_manifest: Final = lru_cache(maxsize=64)(parse_manifest)
"""The same bots play block after block."""


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
