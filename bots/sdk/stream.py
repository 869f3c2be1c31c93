"""A stream to the referee on a loop that runs only while a message is waited for.

So a bot may run a loop of its own in choose(), and a turn costs half of what it costs with gRPC's synchronous client,
which hands every message from thread to thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Final, Self

import grpc

from arena.v1 import play_pb2, play_pb2_grpc

GOODBYE_S: Final = 0.5
"""How long the referee may take to end a stream that the bot has left; the arena leaves a bot one second."""


class Stream:
    """One stream, from Hello to its end; a context in which receive() may be called.

    loop: one that does not run, for the streams of one seat one after another. address: the gRPC target. options: of
    the channel. hello: what is sent first.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        address: str,
        options: Sequence[tuple[str, int]],
        hello: play_pb2.PlayRequest,
    ) -> None:
        self._loop = loop
        self._address = address
        self._options = options
        self._response: play_pb2.PlayResponse | None = None
        self._wanted: asyncio.Future[None] | None = None
        self._reading = loop.create_task(self._read_all())
        self._reading.add_done_callback(self._stop)
        self._writing = loop.create_task(self._write(hello))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._reading.remove_done_callback(self._stop)
        self._reading.cancel()
        self._loop.run_until_complete(asyncio.gather(self._reading, self._writing, return_exceptions=True))

    def receive(self, request: play_pb2.PlayRequest | None = None) -> play_pb2.PlayResponse | None:
        """Send a request, if there is one, and wait for what the referee says next; None: it closed the stream.

        Raises grpc.RpcError for a stream that it ended otherwise, or that broke.
        """
        if self._wanted is not None:
            # Reading begins before writing does: a stream that has ended meanwhile fails both, and reading knows why.
            self._wanted.set_result(None)
        if request is not None:
            self._writing = self._loop.create_task(self._write(request))
        self._loop.run_forever()
        if self._reading.done():
            self._reading.result()
            return None
        return self._response

    def _stop(self, _task: asyncio.Task[None]) -> None:
        self._loop.stop()

    async def _read_all(self) -> None:
        """Hand over message after message, each when the one before has been dealt with."""
        channel = grpc.aio.insecure_channel(self._address, options=self._options)
        stub: Any = play_pb2_grpc.PlayServiceStub(channel)  # the stubs know calls with an iterator of requests only
        self._call = stub.Play()
        try:
            while isinstance(response := await self._call.read(), play_pb2.PlayResponse):
                await self._writing
                self._response = response
                self._wanted = self._loop.create_future()
                self._loop.stop()
                await self._wanted
        finally:
            await self._leave()
            await channel.close(None)

    async def _write(self, request: play_pb2.PlayRequest) -> None:
        with suppress(grpc.RpcError, asyncio.InvalidStateError):
            await self._call.write(request)

    async def _leave(self) -> None:
        """Wait until nothing of the call is under way: what came later would look for a loop that is closed."""
        with suppress(grpc.RpcError, TimeoutError):
            async with asyncio.timeout(GOODBYE_S):
                await self._call.done_writing()
                while isinstance(await self._call.read(), play_pb2.PlayResponse):
                    pass
