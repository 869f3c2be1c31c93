"""Serves LobbyService: holds the streams of those who wait, and looks for all of them at once where they are called."""

from __future__ import annotations

import asyncio
import secrets
from asyncio import to_thread
from collections.abc import AsyncIterator, Awaitable
from dataclasses import dataclass, field
from typing import Final

from arena.api import wire
from arena.api.gate import Context, bearer, caller, in_thread
from arena.api.limits import Rate
from arena.api.repeating import answer
from arena.api.site import Site
from arena.core.errors import ArenaError, LimitReached, Unauthenticated, Unavailable, UsageError
from arena.match.clock import Clock
from arena.services import accounts, lobby
from arena.services.desk import Desk
from arena.services.submissions import not_accepted
from arena.store import Store
from arena.store.records import BotVersion
from arena.telemetry.logs import get_logger
from arena.v1 import lobby_pb2 as pb
from arena.v1 import play_pb2
from arena.v1.lobby_pb2_grpc import LobbyServiceServicer

LOG: Final = get_logger("arena.api.lobby")
ENTER_S: Final = 10.0
"""How long a stream may take to say who waits."""

STREAM_BYTES: Final = 12
LONGEST_ID: Final = 19
MOST_PLAYING: Final = 4 * lobby.MAX_PLACES
"""Invitations that a stream may name as being played: those of its places, and some that are over by now."""


@dataclass(eq=False, slots=True)
class Waiting:
    """A stream of the lobby. told: invitations it knows, id to match; leaving: it takes no more.

    answers: what it is to be told; an error ends it, None ends it in order. ended: its last answer is among them.
    """

    version: BotVersion
    secret: str = field(repr=False)
    stream: str
    told: dict[int, str] = field(default_factory=dict)
    leaving: bool = False
    ended: bool = False
    answers: asyncio.Queue[pb.AwaitMatchResponse | Exception | None] = field(default_factory=asyncio.Queue)

    def end(self, why: Exception | None = None) -> None:
        """End it; what is told later is not heard any more."""
        if not self.ended:
            self.ended = True
            self.answers.put_nowait(why)


class Hall:
    """Those who wait on this server's streams."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._waiting: dict[str, Waiting] = {}
        self._desk = Desk(site.store, site.now, self, site.poll_s)
        self._turns: dict[str, asyncio.Lock] = {}
        self._coming = 0
        self._rate = Rate(site.limits.per_s, site.limits.burst)
        self._clearing: set[asyncio.Task[None]] = set()

    async def enter(self, asked: pb.EnterLobby, secret: str) -> Waiting:
        """Let the caller's version wait. Raises what lobby.enter does, UsageError (BAD_REQUEST).

        One stream of an account after the other: the one that the database knows as a version's newest has to be it
        here, too.
        """
        stream = secrets.token_hex(STREAM_BYTES)
        if len(asked.playing) > MOST_PLAYING:
            raise UsageError(f"{len(asked.playing)} invitations cannot be played at once", reason="BAD_REQUEST")
        playing = [int(one) for one in asked.playing if one.isascii() and one.isdecimal() and len(one) < LONGEST_ID]
        self._coming += 1
        self._desk.attend()
        try:
            async with self._turns.setdefault(caller().name, asyncio.Lock()):
                entered = await self._sit_down(asked, stream, playing)
                made = Waiting(entered.version, secret, stream)
                made.told = {one: str(entered.playing.get(one, "")) for one in playing}
                self._replace_by(made)
        finally:
            self._coming -= 1
        return made

    def _replace_by(self, newest: Waiting) -> None:
        for other in [one for one in self._waiting.values() if one.version.id == newest.version.id]:
            del self._waiting[other.stream]
            other.end(Unavailable("a newer stream of this session waits now", reason="NEWER_STREAM"))
        self._waiting[newest.stream] = newest

    async def _sit_down(self, asked: pb.EnterLobby, stream: str, playing: list[int]) -> lobby.Entered:
        """Have the database know the stream; whoever has gone meanwhile is not called."""

        def enter(desk: int) -> Awaitable[lobby.Entered]:
            return in_thread(
                lobby.enter, self._site.store, caller(), self._site.now(),
                desk=desk, stream=stream, session=asked.session, bot=asked.bot, version=asked.version,
                guest=asked.guest, places=asked.places, playing=playing,
            )  # fmt: skip

        try:
            return await self._desk.seat(enter)
        except asyncio.CancelledError:
            clearing = asyncio.create_task(self._stand_up(stream))
            self._clearing.add(clearing)
            clearing.add_done_callback(self._clearing.discard)
            raise

    async def _stand_up(self, stream: str) -> None:
        """Undo what a thread may have done for somebody who has gone."""
        try:
            await to_thread(lobby.leave, self._site.store, stream, self._site.now())
        except ArenaError as error:
            LOG.warning("a stream that has gone may be called", why=error.message)

    async def do(self, waiting: Waiting, asked: pb.AwaitMatchRequest) -> None:
        """Do what a later request of a stream says. Raises UsageError."""
        kind = asked.WhichOneof("kind")
        await self._wait_for_turn(waiting.version.author)
        if kind == "offer":
            await to_thread(lobby.offer, self._site.store, waiting.version.id, waiting.stream, asked.offer.places)
        elif kind == "leave":
            await to_thread(lobby.withdraw, self._site.store, waiting.version.id, waiting.stream)
            waiting.leaving = True
        else:
            raise UsageError("after the first request a stream offers places or leaves", reason="BAD_REQUEST")

    async def _wait_for_turn(self, account: str) -> None:
        """Return when an account may say more: requests of a stream cost what calls cost, and are as many."""
        while True:
            try:
                return self._rate.take(account)
            except LimitReached as full:
                await asyncio.sleep(full.retry_after_s)

    async def leave(self, waiting: Waiting) -> None:
        """Let a stream that has ended wait no more."""
        if self._waiting.pop(waiting.stream, None) is not None and not self._site.stopping.is_set():
            await to_thread(lobby.leave, self._site.store, waiting.stream, self._site.now())

    async def idle(self) -> None:
        """Return once nobody waits here and the desk is closed."""
        await self._desk.idle()

    async def close(self) -> None:
        """End every stream; nobody waits here any more."""
        await self._desk.close()
        if self._clearing:
            await asyncio.wait(tuple(self._clearing))
        self._end_all(Unavailable("the server is stopping; come back when it is up", reason="SERVER_STOPPING"))

    def is_empty(self) -> bool:
        """Whether nobody waits here, or is about to."""
        return not self._waiting and not self._coming

    async def beaten(self, *, lost: bool) -> None:
        """End the streams of those who may not wait any more; lost: of all, who come back to another desk."""
        if lost:
            self._end_all(Unavailable("the server had no time for the lobby; come back", reason=lobby.DESK_LOST))
            return
        shown = {one.secret for one in self._waiting.values()}
        valid = await to_thread(accounts.find_valid, self._site.store, shown, self._site.now())
        out = await to_thread(lobby.find_out, self._site.store, {one.version.id for one in self._waiting.values()})
        for one in tuple(self._waiting.values()):
            if one.version.id in out:
                one.end(not_accepted(out[one.version.id]))
            elif one.secret not in valid:
                try:
                    await to_thread(accounts.authenticate, self._site.store, one.secret, self._site.now())
                except Unauthenticated as why:
                    one.end(why)

    async def hear(self, board: lobby.Board) -> None:
        """Tell calls, and what is over."""
        for call in board.calls:
            waiting = self._waiting.get(call.stream)
            if waiting is not None and await to_thread(lobby.mark_told, self._site.store, call):
                waiting.told[call.id] = str(call.match_id)
                waiting.answers.put_nowait(pb.AwaitMatchResponse(invitation=_invitation(call)))
        playing = set(board.open.values())
        for waiting in tuple(self._waiting.values()):
            for number in [one for one in waiting.told if one not in board.open]:
                await self._close(waiting, number)
            if waiting.leaving and waiting.version.id not in playing:
                waiting.end()

    async def _close(self, waiting: Waiting, number: int) -> None:
        match = waiting.told.pop(number)
        finished = bool(match) and await to_thread(lobby.is_finished, self._site.store, int(match))
        closed = pb.InvitationClosed(id=str(number), match_id=match, finished=finished)
        waiting.answers.put_nowait(pb.AwaitMatchResponse(closed=closed))

    def _end_all(self, why: ArenaError) -> None:
        for one in self._waiting.values():
            one.end(why)
        self._waiting.clear()


class LobbyServicer(LobbyServiceServicer):
    """The lobby."""

    def __init__(self, site: Site, hall: Hall) -> None:
        self._site = site
        self._hall = hall

    async def RegisterRemoteBot(
        self, request: pb.RegisterRemoteBotRequest, context: Context
    ) -> pb.RegisterRemoteBotResponse:
        """Make a bot known that plays from its author's machine."""

        def act(store: Store) -> pb.RegisterRemoteBotResponse:
            made = lobby.register(store, caller(), request.manifest, request.sha256, self._site.now())
            return pb.RegisterRemoteBotResponse(version=wire.version(made.version), created=made.created)

        return await answer(self._site, request, pb.RegisterRemoteBotResponse, act)

    async def AwaitMatch(
        self, request_iterator: AsyncIterator[pb.AwaitMatchRequest], context: Context
    ) -> AsyncIterator[pb.AwaitMatchResponse]:
        """Hold a stream until it ends."""
        waiting = await self._hall.enter(await _first(request_iterator), bearer(context))
        reading = asyncio.create_task(self._read(request_iterator, waiting))
        try:
            entered = pb.LobbyEntered(bot=waiting.version.bot, version=waiting.version.version)
            yield pb.AwaitMatchResponse(entered=entered)
            while (answer := await waiting.answers.get()) is not None:
                if isinstance(answer, Exception):
                    raise answer
                yield answer
        finally:
            reading.cancel()
            await asyncio.shield(self._hall.leave(waiting))

    async def _read(self, requests: AsyncIterator[pb.AwaitMatchRequest], waiting: Waiting) -> None:
        try:
            async for request in requests:
                await self._hall.do(waiting, request)
        except Exception as wrong:  # noqa: BLE001 - whatever it is, the stream must not go on without being heard
            waiting.end(wrong)
        else:
            waiting.end()  # whoever says nothing more cannot take anything


async def _first(requests: AsyncIterator[pb.AwaitMatchRequest]) -> pb.EnterLobby:
    try:
        first = await asyncio.wait_for(anext(requests), ENTER_S)
    except StopAsyncIteration:
        raise UsageError(
            "the stream carries no request; the first one enters the lobby", reason="BAD_REQUEST"
        ) from None
    except TimeoutError:
        raise LimitReached(f"no request came for {ENTER_S:g} s; call again", reason="REQUEST_STALLED") from None
    if first.WhichOneof("kind") != "enter":
        raise UsageError("the first request of a stream enters the lobby", reason="BAD_REQUEST")
    return first.enter


def _invitation(call: lobby.Call) -> pb.Invitation:
    clock = Clock.parse(call.clock)
    return pb.Invitation(
        id=str(call.id),
        match_id=str(call.match_id),
        address=call.address,
        ticket=call.ticket,
        certificate=call.certificate.encode(),
        game=call.game,
        variant=call.variant,
        seats=len(call.bots),
        seat=call.seat,
        bots=call.bots,
        clock=None
        if clock is None
        else play_pb2.Clock(
            bank_ms=clock.bank_ms, increment_ms=clock.increment_ms, start_ms=clock.start_ms, margin_ms=clock.margin_ms
        ),
    )
