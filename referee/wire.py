"""Puts what a match says on the wire: facts, turns, the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import Message

from arena.core import Seat
from arena.core.chance import bot_seed
from arena.match.clock import Clock
from arena.match.match import Match
from arena.match.result import MatchResult
from arena.v1 import match_result_pb2, play_pb2

TYPE_PREFIX: Final = "type.googleapis.com/"


def start_bytes(match: Match, seat: Seat, history: Sequence[Message]) -> bytes:
    """Return the Start response for a seat; history is what it has been shown before, for a stream that comes back."""
    setup = match.setup
    start = play_pb2.Start(
        game=setup.game,
        variant=setup.variant,
        seats=len(setup.seats),
        seat=seat,
        rules_version=match.game.spec.rules_version,
        components=setup.components,
        clock=_clock(setup.clock),
        bot_seed=bot_seed(setup.seed, seat),
        history=[pack(event) for event in history],
    )
    return play_pb2.PlayResponse(start=start).SerializeToString()


def turn_bytes(ply: int, bank_ms: int, body: AnyMessage) -> bytes:
    """Return the Turn response; body is the game's own Turn message."""
    response = play_pb2.PlayResponse()
    turn = response.turn  # filled in place: each message given to another one's constructor is written and read again
    turn.ply = ply
    turn.bank_ms = bank_ms
    turn.body.CopyFrom(body)
    return response.SerializeToString()


def game_over_bytes(result: MatchResult, view: Message) -> bytes:
    """Return the GameOver response for the seat this view belongs to."""
    over = play_pb2.GameOver(
        end=match_result_pb2.MatchEnd.Value(f"MATCH_END_{result.end}"), seats=seat_results(result), view=pack(view)
    )
    return play_pb2.PlayResponse(game_over=over).SerializeToString()


def seat_results(result: MatchResult) -> list[match_result_pb2.SeatResult]:
    """Return one SeatResult per seat."""
    rows = zip(result.ranks, result.scores, result.seat_ends, strict=True)
    return [
        match_result_pb2.SeatResult(
            seat=seat, rank=rank, score=score, end=match_result_pb2.SeatEnd.Value(f"SEAT_END_{end}")
        )
        for seat, (rank, score, end) in enumerate(rows)
    ]


def pack(message: Message) -> AnyMessage:
    """Return the message as an Any, its bytes deterministic."""
    return AnyMessage(
        type_url=TYPE_PREFIX + message.DESCRIPTOR.full_name, value=message.SerializeToString(deterministic=True)
    )


def _clock(clock: Clock | None) -> play_pb2.Clock:
    if clock is None:
        return play_pb2.Clock()
    return play_pb2.Clock(
        bank_ms=clock.bank_ms, increment_ms=clock.increment_ms, start_ms=clock.start_ms, margin_ms=clock.margin_ms
    )
