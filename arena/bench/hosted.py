"""What a referee holds with many matches at once, and what one match holds in it.

Seats are bots of the SDK in few programs that are already running. Every match is held at its last choice, where its
log, its state and what its seats were shown are as large as they get.
"""

from __future__ import annotations

import asyncio
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import Final

import psutil

from arena.bench.measuring import answer_of, program, tell
from arena.core.errors import Unavailable
from arena.hosting.referee import Referee
from arena.match.local import play_local
from arena.match.match import Decision, Match
from arena.match.setup import SeatLabel, Setup
from arena.v1 import referee_pb2
from arena.v1.match_result_pb2 import MATCH_END_COMPLETED

AT_ONCE: Final = (0, 1, 16, 64, 64, 64, 0)
"""Matches at once, new ones in every step: the later ones show whether what those before needed is used again."""
GAMES: Final = (
    ("first-snow", "standard", 2),
    ("frost-shelter", "standard", 2),
    ("frost-shelter", "standard", 5),
    ("snowblind", "quick", 2),
    ("snowblind", "epic", 4),
)
_EACH: Final = (1, 16)
"""Matches at once for the share of a single one; the first brings what its game needs once."""
_PLAYERS: Final = 4
_SEED: Final = bytes(range(16))


@dataclass(frozen=True, slots=True)
class Held:
    """What a referee holds with so many matches at once, in MB (10**6 bytes). pss: with its share of shared pages."""

    matches: int
    rss: float
    pss: float


@dataclass(frozen=True, slots=True)
class MatchShare:
    """What one match holds at its last choice. kb: in 10**3 bytes. plies: of it, chance's included."""

    game: str
    variant: str
    seats: int
    kb: float
    plies: int


@dataclass(frozen=True, slots=True)
class HostedFigures:
    """steps: by matches at once, as AT_ONCE has them, of the first game. shares: one match of each game."""

    steps: tuple[Held, ...]
    shares: tuple[MatchShare, ...]


@dataclass(frozen=True, slots=True)
class _Course:
    """How the one match of a game goes that is hosted again and again.

    last_ply, last_seat: its last choice.
    """

    game: str
    variant: str
    seats: int
    last_ply: int
    last_seat: int
    plies: int

    @classmethod
    def of(cls, game: str, variant: str, seats: int) -> _Course:
        """Play it here, by the rule that programs/held.py plays by."""
        asked: list[tuple[int, int]] = []

        def choose(_match: Match, decision: Decision) -> int:
            asked.append((decision.ply, decision.seat))
            return decision.ply % len(decision.legal)

        labels = tuple(SeatLabel(f"bot {seat}", "1") for seat in range(seats))
        played = play_local(Setup(game=game, variant=variant, seats=labels, seed=_SEED), [choose] * seats)
        return cls(game, variant, seats, *asked[-1], played.plies)

    def request(self, match_id: str) -> referee_pb2.HostMatchRequest:
        """Return what has it hosted."""
        return referee_pb2.HostMatchRequest(
            match_id=match_id,
            game=self.game,
            variant=self.variant,
            seed=_SEED,
            clock="none",
            seats=[referee_pb2.HostedSeat(bot=f"bot {seat}", version="1") for seat in range(self.seats)],
            doors=True,
        )


async def measure_hosted(
    advance: Callable[[], None], at_once: Sequence[int] = AT_ONCE, games: Sequence[tuple[str, str, int]] = GAMES
) -> HostedFigures:
    """Measure a referee by its matches at once, and a match by its game; advance is called after each game.

    Every game has a referee of its own. Raises Unavailable if one cannot be started.
    """
    steps = await _measure(_Course.of(*games[0]), at_once)
    shares: list[MatchShare] = []
    for each in games:
        course = _Course.of(*each)
        one, many = await _measure(course, _EACH)
        kb = 1000 * (many.rss - one.rss) / (many.matches - one.matches)
        shares.append(MatchShare(*each, kb, course.plies))
        advance()
    return HostedFigures(steps, tuple(shares))


async def _measure(course: _Course, at_once: Sequence[int]) -> tuple[Held, ...]:
    found: list[Held] = []
    async with AsyncExitStack() as stack:
        programs = [await stack.enter_async_context(program("held.py")) for _ in range(_PLAYERS)]
        for each in programs:
            await answer_of(each)
        referee = await stack.enter_async_context(Referee())
        for step, matches in enumerate(at_once):
            async with _held_matches(referee, course, f"{step}", matches, programs):
                memory = psutil.Process(referee.pid).memory_full_info()
            found.append(Held(matches, memory.rss / 1e6, memory.pss / 1e6))
    return tuple(found)


@asynccontextmanager
async def _held_matches(
    referee: Referee, course: _Course, step: str, matches: int, programs: Sequence[Process]
) -> AsyncIterator[None]:
    """While the block runs, so many matches stand at their last choice; they are over afterwards."""
    seated = [[programs[(match + seat) % len(programs)] for seat in range(course.seats)] for match in range(matches)]
    async with asyncio.TaskGroup() as group:
        for number, at in enumerate(seated):
            group.create_task(_host(referee, course, f"{step} {number}", at))
        for at in seated:
            await answer_of(at[course.last_seat])  # one of those that it holds, whichever came first
        yield
        for each in programs:
            tell(each, {"go": True})
        for at in seated:
            for each in at:
                await answer_of(each)


async def _host(referee: Referee, course: _Course, match_id: str, at: Sequence[Process]) -> None:
    """Have a match hosted to its end. Raises Unavailable if it ends otherwise than it does here."""
    async with aclosing(referee.host(course.request(match_id))) as events:
        async for event in events:
            if event.HasField("opened"):
                for each, door, ticket in zip(at, event.opened.doors, event.opened.tickets, strict=True):
                    tell(each, {"address": door, "ticket": ticket, "hold": course.last_ply})
            elif event.HasField("finished") and event.finished.end != MATCH_END_COMPLETED:
                raise Unavailable(f"a match ended early: {event.finished.reason}", reason="BENCH_FAILED")
