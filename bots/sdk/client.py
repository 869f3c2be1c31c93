"""Plays one match over gRPC: handshake, turns, coming back after a broken stream."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from typing import Final, Protocol, cast

import grpc

from arena.core import Seat
from arena.core.errors import MalformedAction, Refused, Unavailable
from arena.core.pings import BOT
from arena.core.protocol import MAX_RECONNECTS, PROTOCOL_VERSION, REASON_KEY
from arena.core.registry import load_game
from arena.v1 import match_result_pb2, play_pb2
from bots.sdk.any_message import unpack
from bots.sdk.bot import Bot, GameOver, MatchInfo, SeatReport, Turn, index_of_choice
from bots.sdk.stream import Stream

SDK_VERSION: Final = "0.1.0"
SDK: Final = f"python/{SDK_VERSION}"

FIRST_BACKOFF_S: Final = 0.05
"""Pause before the first reconnect; it doubles each time, so that all five take less than two seconds."""


class SeatPlayer(Protocol):
    """Whoever plays a seat, told what the referee says; outlives a broken stream."""

    def start(self, start: play_pb2.Start) -> None:
        """Take the facts of the match; told again on every stream."""

    def answer(self, message: play_pb2.Turn) -> play_pb2.PlayRequest:
        """Return the answer to a turn; a turn that is asked again gets the answer it had."""

    def game_over(self, message: play_pb2.GameOver) -> None:
        """Take note of the end."""


def play(bot_class: type[Bot], address: str, ticket: str) -> None:
    """Play the ticket's seat with a bot of this class to the end of its match. Raises as play_seat."""
    play_seat(_Seat(bot_class), address, ticket)


def play_seat(seat: SeatPlayer, address: str, ticket: str) -> None:
    """Play the ticket's seat to the end of its match.

    Raises Refused when the referee turns the bot away, Unavailable when it cannot be reached (any more), and whatever
    the player raises.
    """
    with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
        loop = runner.get_loop()
        broken = _play_stream(loop, seat, address, ticket)
        for attempt in range(MAX_RECONNECTS):
            if broken is None:
                return
            time.sleep(FIRST_BACKOFF_S * 2**attempt)
            broken = _play_stream(loop, seat, address, ticket)
    if broken is not None:
        raise Unavailable(f"no stream to the referee at {address} held ({broken})", reason="REFEREE_LOST")


class _Seat:
    """The bot and what it has answered; outlives a broken stream."""

    def __init__(self, bot_class: type[Bot]) -> None:
        self._bot_class = bot_class
        self._bot: Bot | None = None
        self._answered: tuple[int, int] | None = None

    def start(self, start: play_pb2.Start) -> None:
        if self._bot is None:
            self._bot = self._bot_class(_match_info(start))

    def answer(self, message: play_pb2.Turn) -> play_pb2.PlayRequest:
        """Return the answer to a turn; a turn that is asked again after a reconnect gets the answer it had."""
        ply = message.ply
        if self._answered is None or self._answered[0] != ply:
            bot = self._seated()
            view, legal = bot.match.game.parse_turn(message.body.value)
            turn = Turn(ply=ply, bank_ms=message.bank_ms, view=view, legal_actions=legal)
            self._answered = (ply, index_of_choice(turn, bot.choose(turn)))
        return play_pb2.PlayRequest(answer=play_pb2.Answer(ply=ply, action=self._answered[1]))

    def game_over(self, message: play_pb2.GameOver) -> None:
        if self._bot is not None:
            self._bot.game_over(_game_over(message))

    def _seated(self) -> Bot:
        if self._bot is None:
            raise MalformedAction("the referee sent a turn before the start of the match")
        return self._bot


def _play_stream(loop: asyncio.AbstractEventLoop, seat: SeatPlayer, address: str, ticket: str) -> str | None:
    """Play until the match is over (None) or the stream breaks (why). Raises Refused."""
    hello = play_pb2.PlayRequest(hello=play_pb2.Hello(ticket=ticket, protocol_version=PROTOCOL_VERSION, sdk=SDK))
    with Stream(loop, address, _channel_options(address), hello) as stream:
        try:
            response = stream.receive()
            while response is not None:
                answer = None
                kind = response.WhichOneof("kind")
                if kind == "turn":
                    answer = seat.answer(response.turn)
                elif kind == "start":
                    seat.start(response.start)
                elif kind == "game_over":
                    seat.game_over(response.game_over)
                    return None
                response = stream.receive(answer)
        except grpc.RpcError as error:
            return _why_broken(error)
    return "the referee closed the stream"


def _why_broken(error: grpc.RpcError) -> str:
    """Return what broke the stream. Raises Refused if it was the referee's decision, which no reconnect changes."""
    details = str(error.details())
    metadata = cast(Iterable[tuple[str, str]], error.trailing_metadata() or ())
    reason = dict(iter(metadata)).get(REASON_KEY)
    if reason is not None:
        raise Refused(details.removeprefix(f"{reason}: "), reason=reason) from None
    return f"{error.code().name}: {details}"


def _channel_options(address: str) -> list[tuple[str, int]]:
    # A fresh channel must not inherit the connection backoff of the one before it.
    options = [("grpc.use_local_subchannel_pool", 1)]
    if not address.startswith("unix:"):
        # Half-open connections exist on networks only. Over a unix socket the kernel tells of the end, and a program
        # that was stopped for a while must not take its own missed pings for a dead referee.
        options += BOT.options()
    return options


def _match_info(start: play_pb2.Start) -> MatchInfo:
    game = load_game(start.game)
    if game.spec.rules_version != start.rules_version:
        raise Refused(
            f"the referee plays version {start.rules_version} of {start.game}, this SDK has version "
            f"{game.spec.rules_version}; install the version of whiteout-arena that the referee runs",
            reason="RULES_VERSION",
        )
    return MatchInfo(
        game=game,
        variant=start.variant,
        seats=start.seats,
        seat=Seat(start.seat),
        components=game.components(start.components or None, "component file of the match"),
        bot_seed=start.bot_seed,
        bank_ms=start.clock.bank_ms,
        increment_ms=start.clock.increment_ms,
        start_ms=start.clock.start_ms,
        margin_ms=start.clock.margin_ms,
        history=tuple(unpack(event) for event in start.history),
    )


def _game_over(message: play_pb2.GameOver) -> GameOver:
    return GameOver(
        end=match_result_pb2.MatchEnd.Name(message.end).removeprefix("MATCH_END_"),
        seats=tuple(
            SeatReport(
                rank=seat.rank,
                score=seat.score if seat.HasField("score") else None,
                end=match_result_pb2.SeatEnd.Name(seat.end).removeprefix("SEAT_END_"),
            )
            for seat in message.seats
        ),
        view=unpack(message.view) if message.HasField("view") else None,
    )
