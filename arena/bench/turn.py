"""What a turn through the referee costs, beside bare streams of gRPC that carry as many bytes, in one run.

Bare streams are used as a match uses them: two processes take turns, and what one says is the word to the other. All
are measured by turns in short slices, so that whatever else the machine does meets them alike. A figure is the lower
quartile of its slices. CPU is the user and system time of the processes concerned: the server's, and that of those who
play.

A bot is a process, so a crowd is as many processes as it has bots, and as many again for each kind of bare stream
beside it: what is paid for waking and switching processes belongs to both sides. Those that are not being measured
wait for a line and take no time.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any, Final, TypeAlias

from arena.bench.measuring import answer_of, ask, program, quantile, tell
from arena.bench.parts import Parts, TimedReferee
from arena.core.errors import Unavailable
from arena.core.protocol import GRPC_ENVIRONMENT
from arena.core.registry import load_game
from arena.hosting.referee import Referee
from arena.hosting.temporary import owned_folder
from arena.v1 import referee_pb2

GAME: Final = "first-snow"
CROWD: Final = 32
"""Bots at once in the second measurement."""
SLICES: Final = 12
_MESSAGES: Final = 110
BODY_BYTES: Final = 210
"""What a turn of First Snow has on average; the match itself says so, too."""
SEED: Final = bytes(range(16))
CONTENDERS: Final = 7
"""Those that take their turns in a slice; the match with stopwatches goes with the one without."""
AS_IT_COMES: Final = {"GRPC_VERBOSITY": "NONE"}
"""The environment of gRPC where nothing is set that matters here."""
WARM_UP: Final = 1
"""Slices that are not counted, unless there is only one."""

Moments: TypeAlias = Sequence[tuple[int, int, int, int]]
"""One entry a message, in nanoseconds: the time, the server's CPU, the player's own, and that of its loop's thread."""
Process: TypeAlias = asyncio.subprocess.Process


@dataclass(frozen=True, slots=True)
class Cost:
    """What one message and its answer take, in microseconds.

    wall: by the clock. server, players: CPU of either side. server_loop, players_loop: what of it the threads take in
    which the loops run; the rest are gRPC's own threads. sdk: what of players_loop the SDK and the bot need beside the
    stream. What was not measured is 0.
    """

    wall: float
    server: float
    players: float
    server_loop: float = 0.0
    players_loop: float = 0.0
    sdk: float = 0.0

    @property
    def cpu(self) -> float:
        """Both sides' CPU."""
        return self.server + self.players


Contender: TypeAlias = Callable[[], Awaitable[dict[str, Cost]]]
"""Measures once, and returns the cost of one contender or of several that take turns, by their names."""


@dataclass(frozen=True, slots=True)
class TurnFigures:
    """What was measured.

    bare: streams of grpc.aio on both sides, gRPC as it comes. same: with gRPC set as the arena sets it. sdk: that, and
    clients that work as the SDK does. turn: a turn of a match. timed: that, with stopwatches in referee and bots.
    crowd_bare, crowd_same, crowd_turn: with many bots at once. parts: of the timed turn, the referee's side.
    """

    bare: Cost
    same: Cost
    sdk: Cost
    turn: Cost
    timed: Cost
    crowd_bare: Cost
    crowd_same: Cost
    crowd_turn: Cost
    parts: Parts


async def measure_turns(slices: int, advance: Callable[[], None], crowd: int = CROWD) -> TurnFigures:
    """Measure all contenders by turns, each in so many slices; advance is called after every slice.

    crowd: bots at once, an even number. Raises Unavailable when a program of the measurement fails, or when the machine
    is too busy for a crowd to play at once.
    """
    costs: dict[str, list[Cost]] = {}
    parts: list[Parts] = []
    async with _contenders(crowd) as (contenders, timed):
        for number in range(-WARM_UP if slices > WARM_UP else 0, slices):
            for run in contenders:
                for name, cost in (await run()).items():
                    if number >= 0:
                        costs.setdefault(name, []).append(cost)
                advance()
            parts.append(timed.take())
    typical = {name: _typical(found) for name, found in costs.items()}
    return TurnFigures(**typical, parts=Parts.typical(parts[-slices:]))


@asynccontextmanager
async def _contenders(crowd: int) -> AsyncIterator[tuple[Sequence[Contender], TimedReferee]]:
    """Start everything; yield what measures contenders once, and the referee that has timed parts since."""
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(owned_folder("whiteout-bench-"))
        relay = partial(_relay, stack, folder)
        bare, same, sdk = await relay("aio", AS_IT_COMES), await relay("aio"), await relay("sdk")
        crowd_bare = await relay("aio", AS_IT_COMES, streams=crowd)
        crowd_same = await relay("aio", streams=crowd)
        timed = TimedReferee(folder / "parts")
        # The crowd has one of its own: it closes 32 doors a while after their matches.
        alone, among_many, _ = [
            await stack.enter_async_context(referee) for referee in (Referee(), Referee(), timed.referee)
        ]
        pair, timed_pair, many = [
            [await stack.enter_async_context(program("seats.py", how)) for _ in range(count)]
            for how, count in (("plain", 2), ("timed", 2), ("plain", crowd))
        ]
        for player in (*pair, *timed_pair, *many):
            await answer_of(player)
        yield (
            [
                partial(_messages, "bare", bare),
                partial(_in_turns, {"turn": (alone, pair), "timed": (timed.referee, timed_pair)}),
                partial(_messages, "same", same),
                partial(_messages, "sdk", sdk),
                partial(_messages, "crowd_bare", crowd_bare),
                partial(_crowd, among_many, many),
                partial(_messages, "crowd_same", crowd_same),
            ],
            timed,
        )


@dataclass(frozen=True, slots=True)
class _Relay:
    """A server that passes messages on in pairs of streams, and its clients."""

    server: Process
    clients: Sequence[Process]


async def _relay(
    stack: AsyncExitStack,
    folder: Path,
    client: str,
    settings: Mapping[str, str] = GRPC_ENVIRONMENT,
    *,
    streams: int = 2,
) -> _Relay:
    """Start a server and a client for every stream, and wait until all have connected."""
    path = str(folder / f"{client}-{streams}-{len(settings)}")
    start = partial(program, settings=settings)
    server = await stack.enter_async_context(start("stream_server.py", path, str(BODY_BYTES)))
    number = str(await answer_of(server))
    clients = [
        await stack.enter_async_context(start("stream_client.py", path, number, client, str(stream)))
        for stream in range(streams)
    ]
    for started in clients:
        await answer_of(started)
    return _Relay(server, clients)


async def _messages(name: str, relay: _Relay) -> dict[str, Cost]:
    process, loop = await ask(relay.server, "")
    for client in relay.clients:
        tell(client, _MESSAGES)
    cost = cost_of([await answer_of(client) for client in relay.clients])
    process_then, loop_then = await ask(relay.server, "")
    return {name: replace(cost, server_loop=cost.server * (loop_then - loop) / (process_then - process))}


def cost_of(players: Sequence[Moments]) -> Cost:
    """Return the cost of a message while most players were busy, of two both. Raises Unavailable if they never were.

    A few of many may have been kept waiting before they began: it counts what happens once three quarters have, and
    until the first quarter has ended.
    """
    start = sorted(own[0][0] for own in players)[len(players) * 3 // 4]
    end = sorted(own[-1][0] for own in players)[len(players) // 4]
    inside = [[one for one in own if start <= one[0] <= end] for own in players]
    busy = [own for own in inside if len(own) > 1]
    if 2 * len(busy) < len(players) or not busy:
        raise Unavailable(
            f"{len(players)} bots did not play at the same time; measure when less goes on, or fewer with --bots",
            reason="BENCH_TOO_BUSY",
        )
    first, last = min(own[0] for own in busy), max(own[-1] for own in busy)
    messages = sum(map(len, busy)) - 1
    answers = sum(len(own) - 1 for own in busy)  # of each player, what lies between its first and its last

    def spent(clock: int) -> float:
        return sum(own[-1][clock] - own[0][clock] for own in busy) / answers / 1000

    return Cost(
        wall=(last[0] - first[0]) / messages / 1000,
        server=(last[1] - first[1]) / messages / 1000,
        players=spent(2),
        players_loop=spent(3),
    )


def _typical(costs: Sequence[Cost]) -> Cost:
    return Cost(*(quantile([getattr(cost, field.name) for cost in costs]) for field in fields(Cost)))


async def _in_turns(places: Mapping[str, tuple[Referee, Sequence[Process]]]) -> dict[str, Cost]:
    """Play a match at each place in turn, as often as there are stopwatches, so that all meet the same machine."""
    costs: dict[str, list[Cost]] = {name: [] for name in places}
    for _ in range(TimedReferee.MATCHES):
        for name, (referee, players) in places.items():
            costs[name].append(await _matches(referee, players))
    return {name: _typical(found) for name, found in costs.items()}


async def _crowd(referee: Referee, players: Sequence[Process]) -> dict[str, Cost]:
    return {"crowd_turn": await _matches(referee, players)}


async def _matches(referee: Referee, players: Sequence[Process]) -> Cost:
    """Play matches at once, one for every two players; all begin when each has come to its first turn."""
    pairs = [players[first : first + 2] for first in range(0, len(players), 2)]
    async with asyncio.TaskGroup() as group:
        for number, pair in enumerate(pairs):
            group.create_task(_match(referee, pair, number))
        asked = [[group.create_task(answer_of(player)) for player in pair] for pair in pairs]
        for first_asked in asked:
            await asyncio.wait(first_asked, return_when=asyncio.FIRST_COMPLETED)
        for player in players:
            tell(player, "go")
    told: list[Any] = [await answer_of(player) for player in players]
    cost = cost_of([seat["moments"] for seat in told])
    return replace(cost, sdk=fmean(seat["us"] for seat in told))


async def _match(referee: Referee, players: Sequence[Process], number: int) -> None:
    request = referee_pb2.HostMatchRequest(
        match_id=f"bench {number}",
        game=GAME,
        seed=SEED,
        clock=load_game(GAME).spec.clock,
        seats=[referee_pb2.HostedSeat(bot=f"bot {seat}", version="1") for seat in range(2)],
        doors=True,
    )
    async with aclosing(referee.host(request)) as events:
        async for event in events:
            if event.HasField("opened"):
                for player, door, ticket in zip(players, event.opened.doors, event.opened.tickets, strict=True):
                    tell(player, {"address": door, "ticket": ticket, "referee": referee.pid})
