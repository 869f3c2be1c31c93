"""The SDK's client against referees that break off."""

import asyncio
import contextlib
import threading
from typing import ClassVar

import grpc
import pytest
from refereeing import honest_bot, program, referee_process, write_bot

from arena.core.errors import Refused, Unavailable
from arena.core.protocol import MAX_RECONNECTS, PROTOCOL_VERSION
from arena.core.registry import load_game
from arena.v1 import match_result_pb2, play_pb2
from bots.sdk import Bot
from bots.sdk.client import SDK, play
from referee import wire

HOME = "127.0.0.1:0"


class Noting(Bot):
    """Chooses the first action and remembers everything."""

    made: ClassVar[list[Bot]] = []

    def __init__(self, match):
        super().__init__(match)
        self.turns = []
        self.over = None
        Noting.made.append(self)

    def choose(self, turn):
        self.turns.append(turn)
        return turn.legal_actions[0]

    def game_over(self, over):
        self.over = over


@pytest.fixture(autouse=True)
def _nobody_made_yet():
    Noting.made.clear()


def a_turn(ply):
    game = load_game("icefall")
    state = game.new("race", 2, game.components(None, ""))
    while len(state.legal_actions()) and not isinstance(state.to_act, int):
        state.apply(state.legal_actions()[0])
    body = wire.pack(game.turn(game.view(state, 0), state.legal_actions()))
    return play_pb2.PlayResponse.FromString(wire.turn_bytes(ply, 777, body))


START = play_pb2.PlayResponse(
    start=play_pb2.Start(game="icefall", variant="race", seats=2, seat=0, rules_version=1, bot_seed=5)
)
OVER = play_pb2.PlayResponse(
    game_over=play_pb2.GameOver(
        end=match_result_pb2.MATCH_END_COMPLETED,
        seats=[
            match_result_pb2.SeatResult(seat=0, rank=1, score=4, end=match_result_pb2.SEAT_END_PLAYED),
            match_result_pb2.SeatResult(seat=1, rank=2, end=match_result_pb2.SEAT_END_TIMEOUT),
        ],
    )
)
REFUSAL = "REFUSAL"


class Scripted:
    """Serves each stream the next of some scripts: what to send, None for "wait for a request"."""

    def __init__(self, *scripts, on_end=None):
        self._scripts = list(scripts)
        self._on_end = on_end
        self.received = []

    async def play(self, _requests, context):
        script = self._scripts.pop(0)
        if self._on_end is not None:
            context.add_done_callback(lambda _: self._on_end())
        self.received.append([])
        for line in (None, *script):
            if line is None:
                self.received[-1].append(play_pb2.PlayRequest.FromString(await context.read()))
            elif line is REFUSAL:
                context.set_trailing_metadata((("reason", "SEAT_OUT"),))
                context.set_details("SEAT_OUT: you are out")
                context.set_code(grpc.StatusCode.FAILED_PRECONDITION)
                return
            else:
                await context.write(line.SerializeToString())
        if script[-1] is not OVER:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "the line broke")


@contextlib.asynccontextmanager
async def serving(*scripts, on_end=None):
    scripted = Scripted(*scripts, on_end=on_end)
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    method = grpc.stream_stream_rpc_method_handler(scripted.play)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("arena.v1.PlayService", {"Play": method}),))
    port = server.add_insecure_port(HOME)
    await server.start()
    try:
        yield f"127.0.0.1:{port}", scripted
    finally:
        await server.stop(None)


async def test_the_first_request_is_hello_with_ticket_version_and_sdk():
    async with serving([START, OVER]) as (address, scripted):
        await asyncio.to_thread(play, Noting, address, "my ticket")
    hello = scripted.received[0][0].hello
    assert (hello.ticket, hello.protocol_version, hello.sdk) == ("my ticket", PROTOCOL_VERSION, SDK)


async def test_a_bot_is_told_the_facts_its_turns_and_the_end():
    async with serving([START, a_turn(6), None, OVER]) as (address, scripted):
        await asyncio.to_thread(play, Noting, address, "t")
    (bot,) = Noting.made
    assert (bot.match.game.spec.id, bot.match.seats, bot.match.seat, bot.match.bot_seed) == ("icefall", 2, 0, 5)
    (turn,) = bot.turns
    assert (turn.ply, turn.bank_ms) == (6, 777)
    assert turn.legal_actions
    assert bot.over.end == "COMPLETED"
    assert [(seat.rank, seat.score, seat.end) for seat in bot.over.seats] == [(1, 4, "PLAYED"), (2, None, "TIMEOUT")]
    assert scripted.received[0][1].answer.ply == 6


async def test_a_broken_stream_is_taken_up_again_with_the_same_bot():
    async with serving([START, a_turn(6), None], [START, a_turn(9), None, OVER]) as (address, _):
        await asyncio.to_thread(play, Noting, address, "t")
    (bot,) = Noting.made
    assert [turn.ply for turn in bot.turns] == [6, 9]


async def test_a_turn_asked_again_gets_the_same_answer_without_asking_the_bot():
    async with serving([START, a_turn(6), None], [START, a_turn(6), None, OVER]) as (address, scripted):
        await asyncio.to_thread(play, Noting, address, "t")
    (bot,) = Noting.made
    assert [turn.ply for turn in bot.turns] == [6]
    assert scripted.received[0][1] == scripted.received[1][1]


async def test_after_five_reconnects_the_referee_is_given_up():
    async with serving(*[[START]] * (MAX_RECONNECTS + 1)) as (address, scripted):
        with pytest.raises(Unavailable, match="the line broke"):
            await asyncio.to_thread(play, Noting, address, "t")
    assert len(scripted.received) == MAX_RECONNECTS + 1


async def test_a_refusal_is_final_and_carries_its_reason():
    async with serving([START, REFUSAL]) as (address, scripted):
        with pytest.raises(Refused, match="you are out") as caught:
            await asyncio.to_thread(play, Noting, address, "t")
    assert caught.value.code == "SEAT_OUT"
    assert len(scripted.received) == 1


async def test_other_rules_than_the_referees_are_refused_by_the_bot_itself():
    other = play_pb2.PlayResponse()
    other.CopyFrom(START)
    other.start.rules_version = 99
    async with serving([other, None]) as (address, _):
        with pytest.raises(Refused) as caught:
            await asyncio.to_thread(play, Noting, address, "t")
    assert caught.value.code == "RULES_VERSION"


async def test_what_a_bot_raises_comes_out_of_play():
    class Faller(Bot):
        def choose(self, turn):
            raise ZeroDivisionError

    async with serving([START, a_turn(6), None]) as (address, _):
        with pytest.raises(ZeroDivisionError):
            await asyncio.to_thread(play, Faller, address, "t")


async def test_a_refusal_that_comes_while_a_bot_thinks_is_told_with_its_reason():
    ended = threading.Event()

    class Thinker(Bot):
        def choose(self, turn):
            assert ended.wait(5)
            return turn.legal_actions[0]

    async with serving([START, a_turn(6), REFUSAL], on_end=ended.set) as (address, _):
        with pytest.raises(Refused, match="you are out") as caught:
            await asyncio.to_thread(play, Thinker, address, "t")
    assert caught.value.code == "SEAT_OUT"


async def test_a_bot_may_run_a_loop_of_its_own_in_choose():
    class Asker(Bot):
        def choose(self, turn):
            return asyncio.run(asyncio.to_thread(lambda: turn.legal_actions[0]))

    async with serving([START, a_turn(6), None, a_turn(7), None, OVER]) as (address, scripted):
        await asyncio.to_thread(play, Asker, address, "t")
    assert [request.answer.ply for request in scripted.received[0][1:]] == [6, 7]


async def test_a_program_that_lost_its_referee_ends(tmp_path):
    path = write_bot(tmp_path, "waiter", "def choose(self, turn):\n    return turn.legal_actions[0]")
    async with referee_process(tmp_path) as referee:
        match = await referee.host()
        async with honest_bot(match, 0), program(Unreported(), match, 1, path) as waiting:
            await match.finished()
            assert await waiting.exit_code() == 0
        match = await referee.host(clock="600s+0s,start=600s,margin=50ms")
        async with program(Unreported(), match, 1, path) as waiting:
            await connected(referee)
            referee.process.kill()
            assert await waiting.exit_code() == 4
    assert waiting.err.startswith("error: REFEREE_LOST: ")


class Unreported:
    async def report_exit(self, match, seat, status):
        pass


async def connected(referee):
    """Wait until the bot has a connection: more open files in the referee than before."""
    before = referee.counts[1]
    for _ in range(200):
        if referee.counts[1] > before:
            return
        await asyncio.sleep(0.02)
    raise AssertionError("the bot never connected")
