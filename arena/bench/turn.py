"""What a turn through the referee costs, beside bare streams of gRPC that carry as many bytes, in one run.

Bare streams are used as a match uses them: two processes take turns, and what one says is the word to the other. All
are measured by turns in short slices, so that whatever else the machine does meets them alike. A figure is the lower
quartile of its slices. CPU is the user and system time of the processes concerned: the server's, and that of those who
play.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any, Final, TypeAlias

from arena.bench.measuring import answer_of, ask, program, quantile, tell
from arena.core.protocol import GRPC_ENVIRONMENT
from arena.core.registry import load_game
from arena.hosting.referee import Referee
from arena.hosting.temporary import owned_folder
from arena.v1 import referee_pb2

GAME: Final = "first-snow"
CROWD: Final = 32
"""Bots at once in the second measurement."""
CROWD_PROCESSES: Final = 4
SLICES: Final = 12
_MESSAGES: Final = 110
BODY_BYTES: Final = 210
"""What a turn of First Snow has on average; the match itself says so, too."""
SEED: Final = bytes(range(16))
CONTENDERS: Final = 9
AS_IT_COMES: Final = {"GRPC_VERBOSITY": "NONE"}
"""The environment of gRPC where nothing is set that matters here."""
WARM_UP: Final = 1
"""Slices that are not counted, unless there is only one."""

Moments: TypeAlias = Sequence[tuple[int, int, int]]
"""One entry a message: the time, the server's CPU and the player's own, in nanoseconds."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one message and its answer take, in microseconds.

    wall: by the clock. server, players: CPU of either side. sdk: what of it the SDK and the bot need beside the
    stream, 0 for a bare one.
    """

    wall: float
    server: float
    players: float
    sdk: float = 0.0

    @property
    def cpu(self) -> float:
        """Both sides' CPU."""
        return self.server + self.players


@dataclass(frozen=True, slots=True)
class TurnFigures:
    """What was measured.

    bare: streams of grpc.aio on both sides, gRPC as it comes. same: with gRPC set as the arena sets it. sdk: that, and
    clients that work as the SDK does. seat: that, behind the referee's own way with streams; match: with a turn played
    for every message, by a stopwatch. turn: a turn of a match. crowd_bare, crowd_same, crowd_turn: with CROWD bots at
    once. parts: CPU microseconds of what a turn needs beside its stream, "all" of it and its parts. turn_bytes,
    answer_bytes: mean sizes of the messages.
    """

    bare: Cost
    same: Cost
    sdk: Cost
    seat: Cost
    match: Cost
    turn: Cost
    crowd_bare: Cost
    crowd_same: Cost
    crowd_turn: Cost
    parts: dict[str, float]
    turn_bytes: float
    answer_bytes: float


async def measure_turns(slices: int, advance: Callable[[], None]) -> TurnFigures:
    """Measure all contenders by turns, each in so many slices; advance is called after every slice.

    Raises Unavailable when a program of the measurement fails.
    """
    costs: dict[str, list[Cost]] = {}
    facts: list[Any] = []
    async with _contenders() as (contenders, sample):
        for number in range(-WARM_UP if slices > WARM_UP else 0, slices):
            for name, run in contenders.items():
                cost = await run()
                if number >= 0:
                    costs.setdefault(name, []).append(cost)
                advance()
            facts.append(await sample())
    typical = {name: _typical(found) for name, found in costs.items()}
    return TurnFigures(
        **typical,
        parts={part: quantile([one["us"][part] for one in facts[-slices:]]) for part in facts[0]["us"]},
        turn_bytes=facts[-1]["turn_bytes"],
        answer_bytes=facts[-1]["answer_bytes"],
    )


@asynccontextmanager
async def _contenders() -> AsyncIterator[
    tuple[Mapping[str, Callable[[], Awaitable[Cost]]], Callable[[], Awaitable[Any]]]
]:
    """Start everything; yield what measures each contender once, and what tells the parts since it was last asked."""
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(owned_folder("whiteout-bench-"))
        bare, _ = await _relay(stack, folder, "bare", "aio", settings=AS_IT_COMES)
        same, _ = await _relay(stack, folder, "bare", "aio")
        sdk, _ = await _relay(stack, folder, "bare", "sdk")
        seat, _ = await _relay(stack, folder, "seat", "sdk")
        match, behind = await _relay(stack, folder, "match", "sdk")
        crowd_bare, _ = await _relay(stack, folder, "bare", "aio", streams=CROWD, settings=AS_IT_COMES)
        crowd_same, _ = await _relay(stack, folder, "bare", "aio", streams=CROWD)
        referee = await stack.enter_async_context(Referee())
        pair = [await stack.enter_async_context(program("seats.py", "alone")) for _ in range(2)]
        many = [await stack.enter_async_context(program("seats.py", "many")) for _ in range(CROWD_PROCESSES)]
        yield (
            {
                "bare": partial(_messages, bare),
                "turn": partial(_matches, referee, pair, 1),
                "same": partial(_messages, same),
                "sdk": partial(_messages, sdk),
                "seat": partial(_messages, seat),
                "match": partial(_messages, match),
                "crowd_bare": partial(_messages, crowd_bare),
                "crowd_turn": partial(_matches, referee, many, CROWD // 2),
                "crowd_same": partial(_messages, crowd_same),
            },
            partial(ask, behind, 0),
        )


async def _relay(
    stack: AsyncExitStack,
    folder: Path,
    kind: str,
    client: str,
    *,
    streams: int = 2,
    settings: Mapping[str, str] = GRPC_ENVIRONMENT,
) -> tuple[list[asyncio.subprocess.Process], asyncio.subprocess.Process]:
    """Start a server that passes messages on in pairs of streams, and its clients; return these and the server."""
    path = str(folder / f"{kind}-{client}-{streams}-{len(settings)}")
    start = partial(program, settings=settings)
    server = await stack.enter_async_context(start("stream_server.py", path, str(BODY_BYTES), kind, SEED.hex()))
    number = str(await answer_of(server))
    processes = min(streams, CROWD_PROCESSES)
    clients = []
    for first in range(processes):
        numbers = (str(first), str(streams // processes), str(processes))
        clients.append(await stack.enter_async_context(start("stream_client.py", path, number, client, *numbers)))
    for started in clients:
        await answer_of(started)
    return clients, server


async def _messages(clients: Sequence[asyncio.subprocess.Process]) -> Cost:
    for client in clients:
        tell(client, _MESSAGES)
    return cost_of([await answer_of(client) for client in clients])


def cost_of(processes: Sequence[Sequence[Moments]]) -> Cost:
    """Return the cost of a message while all streams were busy; processes: the streams of each player's process."""
    streams = [stream for process in processes for stream in process]
    start = max(stream[0][0] for stream in streams)
    end = min(stream[-1][0] for stream in streams)
    inside = [sorted(one for stream in process for one in stream if start <= one[0] <= end) for process in processes]
    first, last = min(own[0] for own in inside if own), max(own[-1] for own in inside if own)
    count = sum(map(len, inside)) - 1
    players = sum(own[-1][2] - own[0][2] for own in inside if own)
    return Cost((last[0] - first[0]) / count / 1000, (last[1] - first[1]) / count / 1000, players / count / 1000)


def _typical(costs: Sequence[Cost]) -> Cost:
    return Cost(
        quantile([cost.wall for cost in costs]),
        quantile([cost.server for cost in costs]),
        quantile([cost.players for cost in costs]),
        quantile([cost.sdk for cost in costs]),
    )


async def _matches(referee: Referee, players: Sequence[asyncio.subprocess.Process], matches: int) -> Cost:
    """Play so many matches at once, their seats dealt out to the players."""
    async with asyncio.TaskGroup() as group:
        for number in range(matches):
            group.create_task(_match(referee, players, number))
    told = [
        [await answer_of(player) for seat in range(2 * matches) if seat % len(players) == place]
        for place, player in enumerate(players)
    ]
    cost = cost_of([[seat["moments"] for seat in seats] for seats in told])
    return replace(cost, sdk=fmean(seat["us"] for seats in told for seat in seats))


async def _match(referee: Referee, players: Sequence[asyncio.subprocess.Process], number: int) -> None:
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
                for seat, (door, ticket) in enumerate(zip(event.opened.doors, event.opened.tickets, strict=True)):
                    asked = {"address": door, "ticket": ticket, "referee": referee.pid}
                    tell(players[(2 * number + seat) % len(players)], asked)
