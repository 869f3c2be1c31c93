"""A person's seat in a hosted match: speaks to the referee as a bot does, and knows no more than one."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, Final

import grpc

from arena.cli.human.person import Person, Question
from arena.core.protocol import PROTOCOL_VERSION
from arena.v1 import play_pb2, play_pb2_grpc

_OPTIONS: Final = (("grpc.use_local_subchannel_pool", 1),)


class SeatedPerson:
    """Plays one seat of a hosted match for a person; timed: the match has a clock."""

    def __init__(self, person: Person, *, timed: bool) -> None:
        self._person = person
        self._timed = timed
        self._writing = asyncio.Lock()

    async def play(self, address: str, ticket: str) -> None:
        """Play the ticket's seat until it is out or the match is over; how it went stands in the match's result."""
        hello = play_pb2.Hello(ticket=ticket, protocol_version=PROTOCOL_VERSION)
        async with grpc.aio.insecure_channel(address, options=_OPTIONS) as channel:
            stub: Any = play_pb2_grpc.PlayServiceStub(channel)  # the stubs know calls with an iterator of requests only
            call = stub.Play()
            await self._send(call, play_pb2.PlayRequest(hello=hello))
            async with asyncio.TaskGroup() as group:
                resigning = group.create_task(self._resign(call))
                answering: asyncio.Task[None] | None = None
                with suppress(grpc.aio.AioRpcError):
                    async for response in call:
                        if response.HasField("turn"):
                            answering = group.create_task(self._answer(call, response.turn))
                resigning.cancel()
                if answering is not None:
                    answering.cancel()

    async def _answer(self, call: Any, turn: play_pb2.Turn) -> None:
        view, legal = self._person.game.parse_turn(turn.body.value)
        bank_ms = turn.bank_ms if self._timed else None
        choice = await self._person.choose(Question(turn.ply, bank_ms, view, legal))
        if choice is not None:
            await self._send(call, play_pb2.PlayRequest(answer=play_pb2.Answer(ply=turn.ply, action=choice)))

    async def _resign(self, call: Any) -> None:
        await self._person.left.wait()
        await self._send(call, play_pb2.PlayRequest(resign=play_pb2.Resign()))
        self._person.say_out()

    async def _send(self, call: Any, request: play_pb2.PlayRequest) -> None:
        """Write a request; on a stream that has ended it is too late, and the stream's reader knows.

        One after the other: gRPC takes one message at a time, and would lose who resigns right after an answer.
        """
        async with self._writing:
            with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
                await call.write(request)
