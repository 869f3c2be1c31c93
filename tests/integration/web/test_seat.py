"""The seat that a server holds for a person: what it says to a referee, and what it does when streams break."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager

import grpc
import pytest

from arena.core.errors import Refused, Unavailable
from arena.core.protocol import MAX_RECONNECTS, REASON_KEY
from arena.v1 import play_pb2, play_pb2_grpc
from arena.web import seat
from arena.web.seat import play_seat


class Sitter:
    """Answers every turn with the same choice, and notes what it is told."""

    def __init__(self) -> None:
        self.answers: asyncio.Queue[tuple[int, int]] = asyncio.Queue()
        self.left = asyncio.Event()
        self.told: list[str] = []

    async def start(self, start: play_pb2.Start) -> None:
        self.told.append(f"start {start.seat}")

    async def ask(self, turn: play_pb2.Turn) -> None:
        self.told.append(f"turn {turn.ply}")
        self.answers.put_nowait((turn.ply, 3))

    async def over(self, message: play_pb2.GameOver) -> None:
        self.told.append("over")


Play = Callable[..., Awaitable[None]]


@asynccontextmanager
async def referee(play: Play):
    """A server whose Play does as the test says; yields its address."""

    class Servicer(play_pb2_grpc.PlayServiceServicer):
        async def Play(self, requests, context):  # noqa: N802 - a method of the wire
            await play(context)

    server = grpc.aio.server()
    play_pb2_grpc.add_PlayServiceServicer_to_server(Servicer(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await server.stop(None)


def turn(ply: int) -> play_pb2.PlayResponse:
    return play_pb2.PlayResponse(turn=play_pb2.Turn(ply=ply))


START = play_pb2.PlayResponse(start=play_pb2.Start(seat=1))
OVER = play_pb2.PlayResponse(game_over=play_pb2.GameOver())


@pytest.fixture(autouse=True)
def _quickly(monkeypatch) -> None:
    monkeypatch.setattr(seat, "FIRST_BACKOFF_S", 0.001)


async def test_a_seat_is_opened_by_its_ticket_and_answers_its_turns() -> None:
    heard = []

    async def play(context) -> None:
        heard.append((await context.read()).hello.ticket)
        await context.write(START)
        await context.write(turn(5))
        heard.append((await context.read()).answer)
        await context.write(OVER)

    sitter = Sitter()
    async with referee(play) as address:
        await play_seat(sitter, address, "ticket-7", "")
    assert heard == ["ticket-7", play_pb2.Answer(ply=5, action=3)]
    assert sitter.told == ["start 1", "turn 5", "over"]


async def test_a_stream_that_breaks_is_opened_again_and_the_turn_is_asked_once_more() -> None:
    streams = []

    async def play(context) -> None:
        streams.append((await context.read()).hello.ticket)
        await context.write(START)
        await context.write(turn(5))
        if len(streams) == 1:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "the line broke")
        await context.read()
        await context.write(OVER)

    sitter = Sitter()
    async with referee(play) as address:
        await play_seat(sitter, address, "t", "")
    assert streams == ["t", "t"]
    assert sitter.told.count("turn 5") == 2
    assert sitter.told[-1] == "over"


async def test_a_seat_comes_back_no_more_often_than_a_referee_allows() -> None:
    streams = []

    async def play(context) -> None:
        streams.append(await context.read())
        await context.abort(grpc.StatusCode.UNAVAILABLE, "the line broke")

    async with referee(play) as address:
        with pytest.raises(Unavailable, match="no stream to the referee held"):
            await play_seat(Sitter(), address, "t", "")
    assert len(streams) == 1 + MAX_RECONNECTS


async def test_a_referee_that_turns_the_seat_away_is_not_asked_again() -> None:
    streams = []

    async def play(context) -> None:
        streams.append(await context.read())
        context.set_trailing_metadata(((REASON_KEY, "SEAT_OUT"),))
        await context.abort(grpc.StatusCode.FAILED_PRECONDITION, "SEAT_OUT: this seat is out of the match")

    async with referee(play) as address:
        with pytest.raises(Refused, match="this seat is out of the match"):
            await play_seat(Sitter(), address, "t", "")
    assert len(streams) == 1


async def test_a_person_who_leaves_resigns() -> None:
    heard = []

    async def play(context) -> None:
        await context.read()
        await context.write(START)
        heard.append((await context.read()).WhichOneof("kind"))
        await context.write(OVER)

    sitter = Sitter()
    sitter.left.set()
    async with referee(play) as address:
        await play_seat(sitter, address, "t", "")
    assert heard == ["resign"]


async def test_nobody_at_the_address_is_told_as_that() -> None:
    with pytest.raises(Unavailable, match="no stream to the referee held"):
        await play_seat(Sitter(), "127.0.0.1:1", "t", "")
