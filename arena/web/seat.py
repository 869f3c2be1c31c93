"""Plays a seat over gRPC for somebody who decides elsewhere; comes back when its stream breaks."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Final, Protocol, cast

import grpc

from arena.core.errors import Refused, Unavailable
from arena.core.pings import BOT
from arena.core.protocol import MAX_RECONNECTS, PROTOCOL_VERSION, REASON_KEY
from arena.v1 import play_pb2, play_pb2_grpc

FIRST_BACKOFF_S: Final = 0.2
_OPTIONS: Final = (
    ("grpc.use_local_subchannel_pool", 1),  # a fresh channel must not inherit the backoff of the one before it
    *BOT.options(),
)


class Sitter(Protocol):
    """Whoever sits at the seat; outlives a broken stream."""

    @property
    def answers(self) -> asyncio.Queue[tuple[int, int]]:
        """Ply and index of each choice, as it is made."""

    @property
    def left(self) -> asyncio.Event:
        """Set when the seat is given up."""

    async def start(self, start: play_pb2.Start) -> None:
        """Take the facts of the match; told again on every stream."""

    async def ask(self, turn: play_pb2.Turn) -> None:
        """Take a turn; a turn that was not answered is asked again on a new stream."""

    async def over(self, message: play_pb2.GameOver) -> None:
        """Take the end."""


async def play_seat(sitter: Sitter, address: str, ticket: str, certificate: str) -> None:
    """Play the ticket's seat to the end of its match. certificate: PEM to trust, "" for plain text.

    Raises Refused when the referee turns the seat away (it has resigned, or is out), Unavailable when no stream holds.
    """
    broken = ""
    for attempt in range(MAX_RECONNECTS + 1):
        if attempt:
            await asyncio.sleep(FIRST_BACKOFF_S * 2**attempt)
        try:
            async with _channel(address, certificate) as channel:
                if await _play_stream(sitter, channel, ticket):
                    return
            broken = "the referee closed the stream"
        except grpc.aio.AioRpcError as error:
            broken = _why_broken(error)
    raise Unavailable(f"no stream to the referee held ({broken})", reason="REFEREE_LOST")


def _channel(address: str, certificate: str) -> grpc.aio.Channel:
    if not certificate:
        return grpc.aio.insecure_channel(address, options=_OPTIONS)
    return grpc.aio.secure_channel(address, grpc.ssl_channel_credentials(certificate.encode()), options=_OPTIONS)


async def _play_stream(sitter: Sitter, channel: grpc.aio.Channel, ticket: str) -> bool:
    """Play until the match is over; return whether it is."""
    stub: Any = play_pb2_grpc.PlayServiceStub(channel)  # the stubs know calls with an iterator of requests only
    call = stub.Play()
    hello = play_pb2.Hello(ticket=ticket, protocol_version=PROTOCOL_VERSION, sdk="web")
    await call.write(play_pb2.PlayRequest(hello=hello))
    turns = asyncio.Lock()
    writing = [asyncio.create_task(_answer(sitter, call, turns)), asyncio.create_task(_resign(sitter, call, turns))]
    try:
        async for response in call:
            kind = response.WhichOneof("kind")
            if kind == "start":
                await sitter.start(response.start)
            elif kind == "turn":
                await sitter.ask(response.turn)
            elif kind == "game_over":
                await sitter.over(response.game_over)
                return True
    finally:
        for task in writing:
            task.cancel()
        call.cancel()
        await asyncio.gather(*writing, return_exceptions=True)
    return False


async def _answer(sitter: Sitter, call: Any, turns: asyncio.Lock) -> None:
    while True:
        ply, index = await sitter.answers.get()
        await _send(call, turns, play_pb2.PlayRequest(answer=play_pb2.Answer(ply=ply, action=index)))


async def _resign(sitter: Sitter, call: Any, turns: asyncio.Lock) -> None:
    await sitter.left.wait()
    await _send(call, turns, play_pb2.PlayRequest(resign=play_pb2.Resign()))


async def _send(call: Any, turns: asyncio.Lock, request: play_pb2.PlayRequest) -> None:
    """Write a request; on a stream that has ended it is too late, and the stream's reader knows.

    turns: gRPC takes one message at a time, and would lose who resigns right after an answer.
    """
    async with turns:
        with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            await call.write(request)


def _why_broken(error: grpc.aio.AioRpcError) -> str:
    """Return what broke the stream. Raises Refused if it was the referee's decision, which no reconnect changes."""
    details = str(error.details())
    metadata = dict(cast(Iterable[tuple[str, str]], error.trailing_metadata() or ()))
    reason = metadata.get(REASON_KEY)
    if reason is not None:
        raise Refused(details.removeprefix(f"{reason}: "), reason=reason) from None
    return f"{error.code().name}: {details}"
