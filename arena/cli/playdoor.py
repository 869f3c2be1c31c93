"""A socket of a command's own at which one bot plays: for looking on, and for asking what a log asked."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, TypeAlias

import grpc

from arena.core.protocol import REASON_KEY
from arena.hosting.temporary import owned_folder

_NEVER_MS: Final = 2**31 - 1
_OPTIONS: Final = (
    ("grpc.so_reuseport", 0),
    ("grpc.max_receive_message_length", 1024 * 1024),
    # A bot may be stopped while it is not to move and must not lose its stream for that.
    ("grpc.http2.settings_timeout", _NEVER_MS),
    ("grpc.http2.ping_timeout_ms", _NEVER_MS),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
)
_CLOSE_S: Final = 0.2


class BotStream:
    """One Play stream of a bot, message by message as bytes."""

    def __init__(self, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        self._context = context

    async def read(self) -> bytes | None:
        """Return the next message; None once the bot has ended its side."""
        message = await self._context.read()
        return message if isinstance(message, bytes) else None

    async def write(self, message: bytes) -> None:
        """Send a message; nothing happens if the bot is gone."""
        await self._context.write(message)

    def refuse(self, code: grpc.StatusCode, reason: str, message: str) -> None:
        """Let the stream end with a refusal, as a referee ends it; reason "": with what looks like a broken network."""
        if reason:
            self._context.set_trailing_metadata(((REASON_KEY, reason),))
        self._context.set_code(code)
        self._context.set_details(f"{reason}: {message}" if reason else message)


Serve: TypeAlias = Callable[[BotStream], Awaitable[None]]


@asynccontextmanager
async def play_door(serve: Serve) -> AsyncIterator[Path]:
    """Yield the path of a unix socket at which PlayService is served, each stream by serve; closed at the end."""

    async def play(_requests: object, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        await serve(BotStream(context))

    method = grpc.stream_stream_rpc_method_handler(play)
    server = grpc.aio.server(options=_OPTIONS)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("arena.v1.PlayService", {"Play": method}),))
    with owned_folder("whiteout-door-") as folder:
        socket = folder / "bots.sock"
        server.add_insecure_port(f"unix:{socket}")
        socket.chmod(0o666)  # a bot runs under another user, and is shown the socket alone
        await server.start()
        try:
            yield socket
        finally:
            await server.stop(_CLOSE_S)
