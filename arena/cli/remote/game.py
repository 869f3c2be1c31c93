"""One match of a connected bot: its program is started, led to its seat and ended; the result is told in a line."""

from __future__ import annotations

import asyncio
import tempfile
from asyncio import to_thread
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.cli.client import Session
from arena.core.errors import ArenaError
from arena.hosting.launch import launch
from arena.hosting.relay import Relay
from arena.hosting.sandbox import BotProgram
from arena.v1 import lobby_pb2 as pb
from arena.v1 import match_pb2, match_result_pb2, rating_pb2

FAREWELL_S: Final = 1.0
"""How long a bot may go on after the end of its match, as a hosted one may."""


@dataclass(frozen=True, slots=True)
class Bot:
    """What is connected. label: NAME@VERSION; program: the words that start it."""

    folder: Path
    program: tuple[str, ...]
    name: str
    version: int

    @property
    def label(self) -> str:
        """The name people use."""
        return f"{self.name}@{self.version}"


class Game:
    """A seat that is being played. closed: set when the arena says that the seat is not to be played any more.

    write: takes what the bot prints; say: is told of trouble, in a line.
    """

    def __init__(
        self, bot: Bot, invitation: pb.Invitation, write: Callable[[bytes], None], say: Callable[[str], None]
    ) -> None:
        self.invitation = invitation
        self.closed = asyncio.Event()
        self.finished = False
        self._alone = asyncio.Event()
        self._bot = bot
        self._write = write
        self._say = say

    def close(self, *, finished: bool) -> None:
        """Note that the seat is not to be played any more; finished: the match has a result."""
        self.finished = finished
        self.closed.set()

    def go_on_alone(self) -> None:
        """Take the bot's own end for the end, since the arena will not tell any more."""
        self.finished = True
        self._alone.set()

    async def play(self) -> None:
        """Run the bot until the seat is closed, and end it. Raises Unavailable if it cannot be started."""
        with tempfile.TemporaryDirectory(prefix="whiteout-seat-") as folder:
            socket = Path(folder) / "bots.sock"
            called = self.invitation
            async with Relay(socket, called.address, called.certificate, self._trouble):
                environment = {"WHITEOUT_TICKET": called.ticket}
                program = BotProgram(self._bot.folder, self._bot.program, socket, environment)
                self._write(f"== {self.title}\n".encode())
                process = await launch(program, sandboxed=False, listen=self._write)
                try:
                    ended = asyncio.ensure_future(process.wait())
                    await self._over(ended)
                    await asyncio.wait((ended,), timeout=FAREWELL_S)
                finally:
                    await process.kill()
                    self._write(f"== {self.title}: the bot ended with status {await process.wait()}\n".encode())

    async def _over(self, ended: asyncio.Future[int]) -> None:
        closed, alone = (asyncio.ensure_future(event.wait()) for event in (self.closed, self._alone))
        try:
            await asyncio.wait((closed, alone), return_when=asyncio.FIRST_COMPLETED)
            if not closed.done():
                await asyncio.wait((closed, ended), return_when=asyncio.FIRST_COMPLETED)
        finally:
            closed.cancel()
            alone.cancel()

    @property
    def title(self) -> str:
        """The match in words."""
        called = self.invitation
        others = [bot for seat, bot in enumerate(called.bots) if seat != called.seat]
        against = f" against {', '.join(others)}" if others else ""
        return f"match {called.match_id}: {called.game}{against}, seat {called.seat}"

    def _trouble(self, what: str) -> None:
        self._say(f"match {self.invitation.match_id}: {what}")


async def told_result(session: Session, bot: Bot, game: Game) -> str:
    """Return how a match ended, in a line; whatever cannot be found out is left out. Notes whether it has a result."""
    try:
        request = match_pb2.GetMatchRequest(match_id=game.invitation.match_id)
        match = (await to_thread(session.call, session.matches.GetMatch, request)).match
        game.finished = match.state == match_pb2.MATCH_STATE_FINISHED
        if not game.finished:
            return f"{game.title}: broken off by the arena; it will be played again, or is cancelled"
        return f"{game.title}: {_place(match, game.invitation.seat)}{await _rating(session, bot, match)}"
    except ArenaError as error:
        return f"{game.title}: over ({error.message})"


def _place(match: match_pb2.Match, seat: int) -> str:
    end = match_result_pb2.MatchEnd.Name(match.end).removeprefix("MATCH_END_")
    own = match.seats[seat]
    how = match_result_pb2.SeatEnd.Name(own.end).removeprefix("SEAT_END_")
    if not own.rank:
        return f"no result, {end}{f': {match.reason}' * bool(match.reason)}"
    shared = sum(other.rank == own.rank for other in match.seats) > 1
    words = f"{'shared ' * shared}rank {own.rank} of {len(match.seats)}"
    if own.HasField("score"):
        words += f" with {own.score}"
    return f"{words}, {end}{f' ({how})' * (how not in {'PLAYED', 'UNSPECIFIED'})}"


async def _rating(session: Session, bot: Bot, match: match_pb2.Match) -> str:
    request = rating_pb2.ListRatingChangesRequest(bot=bot.name, version=bot.version, page_size=50)
    changes = (await to_thread(session.call, session.ratings.ListRatingChanges, request)).changes
    change = next((one for one in changes if one.match_id == match.id), None)
    if change is not None:
        before, after = (change.mu_before - 3 * change.sigma_before, change.mu_after - 3 * change.sigma_after)
        return f", rating {before:.2f} -> {after:.2f}"
    return ", unrated" if not await _is_rated(session, match) else ", rating pending"


async def _is_rated(session: Session, match: match_pb2.Match) -> bool:
    from arena.v1 import tournament_pb2  # noqa: PLC0415 - only for matches without a change

    request = tournament_pb2.GetTournamentRequest(name=match.tournament)
    return (await to_thread(session.call, session.tournaments.GetTournament, request)).tournament.rated
