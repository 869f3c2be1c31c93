"""Keeps a bot connected: stays in the lobby, comes back when the stream breaks, plays what it is called to."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from typing import Final

from arena.cli.client import Session
from arena.cli.output import counted
from arena.cli.remote.game import Bot, Game, told_result
from arena.cli.remote.stream import LobbyStream, Stream
from arena.core.errors import ArenaError, LimitReached, Unavailable
from arena.v1 import lobby_pb2 as pb

FIRST_PAUSE_S: Final = 0.5
LONGEST_PAUSE_S: Final = 10.0
SESSION_BYTES: Final = 16


class Host:
    """Plays matches until it is told to stop, or has played enough.

    places: matches at once. games: matches in all, 0 for no end. write: takes what bots print. say: a result, in a
    line; note: everything else. open_stream, new_game: what the lobby is held by, and what plays a seat.
    """

    def __init__(
        self,
        session: Session,
        bot: Bot,
        *,
        places: int,
        games: int,
        write: Callable[[bytes], None],
        say: Callable[[str], None],
        note: Callable[[str], None],
        open_stream: Callable[[Session, pb.EnterLobby], Stream] = LobbyStream,
        new_game: type[Game] = Game,
    ) -> None:
        self._open_stream = open_stream
        self._new_game = new_game
        self._session = session
        self._bot = bot
        self._places = places
        self._left = games or None
        self._write = write
        self._say = say
        self._note = note
        self._name = secrets.token_hex(SESSION_BYTES)
        self._games: dict[str, Game] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._stream: Stream | None = None
        self._offered = 0
        self._draining = False
        self._changed = asyncio.Event()

    def drain(self) -> None:
        """Take no more matches; end when those being played are over."""
        if not self._draining:
            self._draining = True
            if self._stream is not None:
                self._stream.leave()
            self._changed.set()

    @property
    def playing(self) -> int:
        """How many matches are being played."""
        return len(self._games)

    async def run(self) -> None:
        """Stay until drained. Raises what the server refuses for good, after the matches being played are over."""
        pause_s = FIRST_PAUSE_S
        try:
            while not self._is_done():
                refusal = await self._wait_in_lobby()
                if refusal is None:
                    pause_s = FIRST_PAUSE_S
                    continue
                if not _may_pass(refusal):
                    await self._finish_alone()
                    raise refusal
                self._note(f"out of the lobby: {_first_half(refusal)}; coming back in {pause_s:g} s")
                await self._pause(pause_s)
                pause_s = min(2 * pause_s, LONGEST_PAUSE_S)
        finally:
            await self._stop_games()

    async def _wait_in_lobby(self) -> ArenaError | None:
        """Hold one stream to its end. Return None if it was of use or ended in order, else why it broke."""
        self._offered = self._free()
        stream = self._stream = self._open_stream(
            self._session,
            pb.EnterLobby(
                bot=self._bot.name, version=self._bot.version, session=self._name, places=self._offered,
                playing=list(self._games),
            ),
        )  # fmt: skip
        if self._draining:
            stream.leave()
        entered = False
        try:
            while True:
                answer = await stream.heard()
                if answer is None:
                    return None
                if isinstance(answer, ArenaError):
                    if entered and _may_pass(answer):
                        self._note(f"out of the lobby: {_first_half(answer)}; coming back")
                        await self._pause(FIRST_PAUSE_S)
                        return None
                    return answer
                if answer.HasField("entered"):
                    entered = True
                    self._note(self._waits_for())
                else:
                    self._hear(answer)
        finally:
            self._stream = None
            stream.close()

    def _hear(self, answer: pb.AwaitMatchResponse) -> None:
        if answer.HasField("invitation"):
            called = answer.invitation
            self._offered = max(0, self._offered - 1)
            if called.id not in self._games:
                game = self._games[called.id] = self._new_game(self._bot, called, self._write, self._note)
                task = asyncio.ensure_future(self._play(game))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
        elif answer.closed.id in self._games:
            self._games[answer.closed.id].close(finished=answer.closed.finished)

    async def _play(self, game: Game) -> None:
        self._note(f"{game.title}: begins")
        try:
            await game.play()
        except (ArenaError, OSError) as error:
            self._note(f"{game.title}: cannot be played here: {error}")
            await game.closed.wait()
        except Exception as fault:  # noqa: BLE001 - whatever it is, it costs this match, and the bot none of its places
            self._note(f"{game.title}: cannot be played here: {fault!r}")
            await game.closed.wait()
        try:
            self._say(await told_result(self._session, self._bot, game))
        except Exception as fault:  # noqa: BLE001 - as above
            self._note(f"{game.title}: its result is not known here: {fault!r}")
        finally:
            del self._games[game.invitation.id]
        if self._left is not None and game.finished:
            self._left -= 1
        self._go_on()

    def _go_on(self) -> None:
        """Offer the place that has become free, or drain once enough has been played."""
        if self._left == 0:
            self.drain()
        elif not self._draining and self._stream is not None and (more := self._free() - self._offered) > 0:
            self._offered += more
            self._stream.offer(more)
        self._changed.set()

    def _free(self) -> int:
        """Return how many matches can be taken now, beside those being played."""
        if self._draining:
            return 0
        free = self._places - len(self._games)
        return max(0, free if self._left is None else min(free, self._left - len(self._games)))

    def _is_done(self) -> bool:
        return self._draining and not self._games

    async def _finish_alone(self) -> None:
        """Play what is being played to its end, without word from the server: each ends when its bot does."""
        self._draining = True
        for game in self._games.values():
            game.go_on_alone()
        await asyncio.gather(*self._tasks)

    async def _pause(self, seconds: float) -> None:
        self._changed.clear()
        try:
            async with asyncio.timeout(seconds):
                while not self._is_done():
                    await self._changed.wait()
                    self._changed.clear()
        except TimeoutError:
            return

    async def _stop_games(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _waits_for(self) -> str:
        if self._draining:
            return f"{self._bot.label} finishes {counted(len(self._games), 'match')}"
        at_once = f"{self._places} at once" if self._places > 1 else "one at a time"
        rest = "" if self._left is None else f", {self._left} more in all"
        return f"{self._bot.label} waits in the lobby for matches ({at_once}{rest}); Ctrl-C finishes and leaves"


def _may_pass(refusal: ArenaError) -> bool:
    """Whether it is worth coming back: nothing is wrong with the bot, or its account."""
    return isinstance(refusal, Unavailable | LimitReached) or refusal.code == "INTERNAL"


def _first_half(error: ArenaError) -> str:
    """Return what is wrong, without the way out: that is being taken."""
    return error.message.partition(";")[0]
