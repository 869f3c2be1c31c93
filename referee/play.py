"""The bots' service: admits a stream by its ticket and connects it to its seat."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import grpc
from google.protobuf.message import DecodeError

from arena.core import Seat
from arena.core.protocol import MAX_MESSAGE_BYTES, PROTOCOL_VERSION
from arena.v1 import play_pb2
from referee.hosted import HostedMatch
from referee.link import StreamLink
from referee.refusal import Refusal
from referee.table import SeatAt

HELLO_S: Final = 10.0
"""How long a new stream may take to say who it is."""

MAX_STRANGERS: Final = 256
"""Streams that have not said Hello yet; with more, the oldest is ended, since honest ones say it at once."""

OLDEST_SDK: Final = {"python": (0, 1, 0)}
"""The oldest version of each SDK that can play; others are not known here and are let in."""


def _nothing() -> None:
    """Do nothing: nobody counts."""


Context: TypeAlias = grpc.aio.ServicerContext[Any, Any]


class Player:
    """Serves PlayService.Play on raw bytes, so that a message that is none is the match's to judge.

    seat_of: what a ticket opens. hello_s: how long a stream may take to say Hello. max_strangers: how many may be about
    to. on_refused: called for every stream that was turned away.
    """

    def __init__(
        self,
        seat_of: Callable[[str], SeatAt | None],
        *,
        hello_s: float = HELLO_S,
        max_strangers: int = MAX_STRANGERS,
        on_refused: Callable[[], None] = _nothing,
    ) -> None:
        self._seat_of = seat_of
        self._hello_s = hello_s
        self._max_strangers = max_strangers
        self._on_refused = on_refused
        self._strangers: dict[asyncio.Timeout, None] = {}

    def handler(self) -> grpc.GenericRpcHandler[Any, Any]:
        """Return what a server adds to serve this and nothing else."""
        method = grpc.stream_stream_rpc_method_handler(self.play)
        return grpc.method_handlers_generic_handler("arena.v1.PlayService", {"Play": method})

    async def play(self, _requests: object, context: Context) -> None:
        """Serve one stream from Hello to its end."""
        admitted = await self._admit(context)
        if isinstance(admitted, Refusal):
            admitted.put_on(context)
            self._on_refused()
            return
        hosted, seat = admitted
        link = StreamLink(context)
        hosted.attach(seat, link)
        reader = asyncio.create_task(_read_all(context, hosted, seat, link))
        try:
            await link.write_all()
        finally:
            reader.cancel()
            hosted.detach(seat, link)

    async def _admit(self, context: Context) -> SeatAt | Refusal:
        """Read the Hello; return the seat its ticket opens, or why it opens none."""
        limit = asyncio.timeout(self._hello_s)
        self._strangers[limit] = None
        if len(self._strangers) > self._max_strangers:
            next(iter(self._strangers)).reschedule(asyncio.get_running_loop().time())
        try:
            async with limit:
                first = await context.read()
        except TimeoutError:
            return Refusal.of("HELLO_TIMEOUT", "no Hello came in time; the first request of a stream is Hello")
        finally:
            del self._strangers[limit]
        return self._judge(first)

    def _judge(self, first: object) -> SeatAt | Refusal:
        if not isinstance(first, bytes) or len(first) > MAX_MESSAGE_BYTES:
            return Refusal.of("BAD_HELLO", "the first request of a stream is Hello")
        try:
            request = play_pb2.PlayRequest.FromString(first)
        except DecodeError:
            return Refusal.of("BAD_HELLO", "the first request is no PlayRequest; it must be Hello")
        if request.WhichOneof("kind") != "hello":
            return Refusal.of("BAD_HELLO", "the first request of a stream is Hello, with the seat's ticket")
        hello = request.hello
        if hello.protocol_version != PROTOCOL_VERSION:
            return Refusal.of(
                "PROTOCOL_VERSION",
                f"protocol version {hello.protocol_version} is not spoken here, but {PROTOCOL_VERSION}; "
                "install the whiteout-arena version of this arena",
            )
        if _too_old(hello.sdk):
            return Refusal.of("SDK_TOO_OLD", f"SDK {hello.sdk} is too old; upgrade: pip install -U whiteout-arena")
        place = self._seat_of(hello.ticket)
        if place is None:
            return Refusal.of("UNKNOWN_TICKET", "this ticket opens no seat of a running match")
        return place


async def _read_all(context: Context, hosted: HostedMatch, seat: Seat, link: StreamLink) -> None:
    """Hand every message to the match until the bot's side of the stream ends."""
    while True:
        message = await context.read()
        if not isinstance(message, bytes):
            break
        hosted.receive(seat, link, message)
    hosted.detach(seat, link)
    link.finish()


def _too_old(sdk: str) -> bool:
    match = re.fullmatch(r"([a-z+#]{1,20})/(\d{1,6})\.(\d{1,6})\.(\d{1,6})\S{0,20}", sdk)
    if match is None:
        return False
    return tuple(map(int, match.groups()[1:])) < OLDEST_SDK.get(match[1], ())
