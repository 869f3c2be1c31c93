"""Asks a bot what a recorded match asked one seat, turn by turn, whatever it answers."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import DecodeError, Message

from arena.cli.botref import LocalBot
from arena.cli.playdoor import BotStream, play_door
from arena.core.chance import bot_seed
from arena.core.errors import GameError
from arena.core.seat import Seat
from arena.hosting.launch import launch
from arena.hosting.layers import SandboxCheck
from arena.hosting.sandbox import BotProgram, Limits
from arena.match.clock import Clock
from arena.match.replay import Question, Replay
from arena.v1 import match_result_pb2, play_pb2

PATIENCE_S: Final = 60.0
"""How long an answer is waited for, if the bank of the turn is not larger: the clock of the log is shown, not kept."""

LEAVE_S: Final = 5.0
"""How long the bot may go on after the end, to say what it has to say."""

_PREFIX: Final = "type.googleapis.com/"


@dataclass(frozen=True, slots=True)
class Decision:
    """What a bot does now where it was asked. index: into the turn's legal actions, None if it resigned."""

    question: Question
    index: int | None

    @property
    def action(self) -> Any | None:
        """The action it decides for; None for a resignation or an index that is none."""
        legal = self.question.legal
        return legal[self.index] if self.index is not None and 0 <= self.index < len(legal) else None

    @property
    def differs(self) -> bool:
        """Whether the log has something else."""
        return self.question.answer is None or self.action != self.question.answer


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of asking: one decision a turn, and what the bot printed."""

    decisions: tuple[Decision, ...]
    output: str


async def ask_program(bot: LocalBot, match: Replay, seat: Seat, *, unsafe: bool) -> Asked:
    """Start the bot and ask it everything the seat was asked.

    Raises GameError (BOT_FAILED) if it ends, or does not answer, before it has been asked everything; Unavailable where
    there is no sandbox.
    """
    if not unsafe:
        await SandboxCheck().require()
    ticket = secrets.token_urlsafe()
    asking = _Asking(match, seat, ticket)
    async with play_door(asking.serve) as socket:
        program = BotProgram(bot.folder, bot.manifest.program, socket, {"WHITEOUT_TICKET": ticket}, Limits())
        process = await launch(program, sandboxed=not unsafe)
        try:
            ended = asyncio.ensure_future(process.wait())
            finished = asyncio.ensure_future(asking.finished.wait())
            while not finished.done() and not ended.done():
                moved = asyncio.ensure_future(asking.moved())
                waiting = (ended, finished, moved)
                done, _ = await asyncio.wait(waiting, timeout=asking.patience_s, return_when=asyncio.FIRST_COMPLETED)
                moved.cancel()
                if not done:
                    raise _failed(bot, asking, f"no answer within {asking.patience_s:.0f} s", process.output.text)
            await asyncio.wait((ended,), timeout=LEAVE_S)
            finished.cancel()
            if not asking.answered:  # one that has read the end may be gone before this side knows that it was sent
                how = f"it ended with status {ended.result()}"
                raise _failed(bot, asking, how, process.output.text)
        finally:
            await process.kill()
        return Asked(tuple(asking.decisions), process.output.text)


def _failed(bot: LocalBot, asking: _Asking, how: str, output: str) -> GameError:
    printed = f"; it printed: {' | '.join(output.strip().splitlines()[-3:])}" if output.strip() else ""
    where = f"at ply {asking.question.ply}" if asking.question is not None else "before it was asked anything"
    return GameError(f"{bot.manifest.name} failed {where}: {how}{printed}", reason="BOT_FAILED")


class _Asking:
    """Serves the streams of the bot: the start, every question of the log in turn, and the end."""

    def __init__(self, match: Replay, seat: Seat, ticket: str) -> None:
        self.decisions: list[Decision] = []
        self.finished = asyncio.Event()
        self.question: Question | None = None
        self._match = match
        self._seat = seat
        self._ticket = ticket
        self._questions = tuple(match.questions(seat))
        self._moved = asyncio.Event()

    @property
    def answered(self) -> bool:
        """Whether the bot has answered everything there is to ask."""
        return len(self.decisions) == len(self._questions)

    @property
    def patience_s(self) -> float:
        """How long the bot may take for what it is asked now."""
        return max(PATIENCE_S, 0 if self.question is None else self.question.bank_ms / 1000)

    async def moved(self) -> None:
        """Return when the bot has got somewhere since the last call."""
        await self._moved.wait()
        self._moved.clear()

    async def serve(self, stream: BotStream) -> None:
        """Serve one stream; one that comes after a broken one goes on where that was."""
        hello = await stream.read()
        if hello is None or _request(hello).WhichOneof("kind") != "hello":
            stream.refuse(grpc.StatusCode.INVALID_ARGUMENT, "BAD_HELLO", "the first request of a stream is Hello")
            return
        if _request(hello).hello.ticket != self._ticket:
            stream.refuse(grpc.StatusCode.UNAUTHENTICATED, "UNKNOWN_TICKET", "this ticket opens no seat here")
            return
        await stream.write(play_pb2.PlayResponse(start=self._start()).SerializeToString())
        while not self.answered:
            question = self.question = self._questions[len(self.decisions)]
            self._moved.set()
            await stream.write(play_pb2.PlayResponse(turn=self._turn(question)).SerializeToString())
            decision = await _decision(stream, question)
            if decision is None:
                return
            self.decisions.append(decision)
        over = _game_over(self._match, self._seat)
        if over is None:
            stream.refuse(grpc.StatusCode.CANCELLED, "MATCH_STOPPED", "the log ends here, before its result")
        else:
            await stream.write(play_pb2.PlayResponse(game_over=over).SerializeToString())
        self.finished.set()

    def _start(self) -> play_pb2.Start:
        header = self._match.header
        clock = Clock.parse(header.clock)
        shown = [event for decision in self.decisions for event in _events(decision.question.view)]
        return play_pb2.Start(
            game=header.game,
            variant=header.variant,
            seats=len(header.seats),
            seat=self._seat,
            rules_version=header.rules,
            components=header.components_text,
            clock=play_pb2.Clock()
            if clock is None
            else play_pb2.Clock(
                bank_ms=clock.bank_ms,
                increment_ms=clock.increment_ms,
                start_ms=clock.start_ms,
                margin_ms=clock.margin_ms,
            ),
            bot_seed=0 if header.seed is None else bot_seed(header.seed, self._seat),
            history=[_packed(event) for event in shown],
        )

    def _turn(self, question: Question) -> play_pb2.Turn:
        body = _packed(self._match.game.turn(question.view, question.legal))
        return play_pb2.Turn(ply=question.ply, bank_ms=question.bank_ms, body=body)


async def _decision(stream: BotStream, question: Question) -> Decision | None:
    """Return what the bot answers; None if the stream ends first."""
    while (message := await stream.read()) is not None:
        request = _request(message)
        if request.WhichOneof("kind") == "resign":
            return Decision(question, None)
        if request.WhichOneof("kind") == "answer" and request.answer.ply == question.ply:
            return Decision(question, request.answer.action)
    return None


def _game_over(match: Replay, seat: Seat) -> play_pb2.GameOver | None:
    result = match.result
    if result is None:
        return None
    match.seek(match.plies)
    rows = zip(result.ranks, result.scores, result.seat_ends, strict=True)
    return play_pb2.GameOver(
        end=match_result_pb2.MatchEnd.Value(f"MATCH_END_{result.end}"),
        seats=[
            match_result_pb2.SeatResult(
                seat=number, rank=rank, score=score, end=match_result_pb2.SeatEnd.Value(f"SEAT_END_{end}")
            )
            for number, (rank, score, end) in enumerate(rows)
        ],
        view=_packed(match.view(seat)),
    )


def _request(message: bytes) -> play_pb2.PlayRequest:
    try:
        return play_pb2.PlayRequest.FromString(message)
    except DecodeError:
        return play_pb2.PlayRequest()


def _packed(message: Message) -> AnyMessage:
    return AnyMessage(
        type_url=_PREFIX + message.DESCRIPTOR.full_name, value=message.SerializeToString(deterministic=True)
    )


def _events(view: Any) -> Sequence[Message]:
    return tuple(view.events)
