"""Streams that misbehave: each loses its own seat at most, and the next match on the same referee runs."""

import asyncio
import contextlib

import grpc
import pytest
from refereeing import RawBot, honest_bot, raw_bot

from arena.core.protocol import MAX_MESSAGE_BYTES, MAX_RECONNECTS
from arena.v1 import play_pb2

LONG = "600s+0s,start=600s,margin=50ms"


async def next_match_runs(referee):
    match = await referee.host()
    async with honest_bot(match, 0), honest_bot(match, 1):
        finished = await match.finished()
    return finished.end == "COMPLETED"


async def bad_second_seat(referee, misbehave, clock=LONG):
    """Play a match in which seat 1 does something when it is first asked; return the end."""
    match = await referee.host(clock=clock)
    async with honest_bot(match, 0) as honest, raw_bot(match.address, match.tickets[1]) as villain:
        turn = await villain.turn()
        await misbehave(villain, turn)
        finished = await match.finished()
        await honest
    assert await next_match_runs(referee)
    return finished


async def test_garbage_bytes_are_malformed(referee):
    finished = await bad_second_seat(referee, lambda bot, turn: bot.send(b"\xff\xff\xff\xff"))
    assert finished.ends == ["PLAYED", "MALFORMED"]


@pytest.mark.parametrize("size", [MAX_MESSAGE_BYTES + 1, 1_000_000])
async def test_a_message_over_the_limit_is_malformed(referee, size):
    finished = await bad_second_seat(referee, lambda bot, turn: bot.send(b"\0" * size))
    assert finished.ends == ["PLAYED", "MALFORMED"]


@pytest.mark.parametrize("index", [-1, 1000])
async def test_an_index_outside_the_list_is_an_illegal_action(referee, index):
    finished = await bad_second_seat(referee, lambda bot, turn: bot.answer(turn.ply, index))
    assert finished.ends == ["PLAYED", "ILLEGAL_ACTION"]
    assert str(index) in finished.notes[1]


async def test_stale_and_doubled_answers_have_no_effect(referee):
    match = await referee.host()
    async with honest_bot(match, 0), raw_bot(match.address, match.tickets[1]) as bot:
        while True:
            message = await bot.read()
            kind = message.WhichOneof("kind")
            if kind == "game_over":
                break
            if kind == "turn":
                for ply in (0, message.turn.ply - 1, message.turn.ply, message.turn.ply, message.turn.ply + 1):
                    await bot.answer(ply, 99 if ply != message.turn.ply else 0)
        finished = await match.finished()
    assert finished.end == "COMPLETED"


async def test_a_flood_of_answers_ends_the_flooders_own_match(referee):
    async def flood(bot, turn):
        with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            for _ in range(100_000):
                await bot.answer(turn.ply - 1)

    finished = await bad_second_seat(referee, flood)
    assert finished.ends == ["PLAYED", "MALFORMED"]


async def test_a_bot_that_resigns_has_resigned(referee):
    finished = await bad_second_seat(referee, lambda bot, turn: bot.resign())
    assert finished.ends == ["PLAYED", "RESIGNED"]


async def test_a_stream_that_says_nothing_after_its_turn_times_out(referee):
    async def wait(bot, turn):
        return None

    finished = await bad_second_seat(referee, wait, clock="0.2s+0s,start=0.8s,margin=50ms")
    assert finished.ends == ["PLAYED", "TIMEOUT"]


async def test_a_bot_that_stays_away_is_disconnected(referee):
    finished = await bad_second_seat(referee, lambda bot, turn: bot.close(), clock="0.2s+0s,start=0.8s,margin=50ms")
    assert finished.ends == ["PLAYED", "DISCONNECTED"]


async def test_a_bot_that_half_closes_its_stream_is_disconnected(referee):
    async def half_close(bot, turn):
        await bot.call.done_writing()

    finished = await bad_second_seat(referee, half_close, clock="0.2s+0s,start=0.8s,margin=50ms")
    assert finished.ends == ["PLAYED", "DISCONNECTED"]


async def test_seats_that_never_connect_are_no_shows(referee):
    match = await referee.host(clock="0.2s+0s,start=0.3s,margin=50ms")
    finished = await match.finished()
    assert finished.end == "VOID"
    assert finished.ends == ["NO_SHOW", "NO_SHOW"]


async def test_a_bot_may_come_back_five_times(referee):
    match = await referee.host(clock=LONG)
    async with honest_bot(match, 0):
        for _ in range(MAX_RECONNECTS):
            async with raw_bot(match.address, match.tickets[1]) as bot:
                await bot.turn()
        async with raw_bot(match.address, match.tickets[1]) as bot:
            await bot.play()
        finished = await match.finished()
    assert finished.end == "COMPLETED"


async def test_a_storm_of_reconnects_disconnects_the_seat(referee):
    match = await referee.host(clock=LONG)
    async with honest_bot(match, 0):
        for _ in range(MAX_RECONNECTS + 1):
            async with raw_bot(match.address, match.tickets[1]) as bot:
                await bot.turn()
        finished = await match.finished()
    assert finished.ends == ["PLAYED", "DISCONNECTED"]
    assert await next_match_runs(referee)


async def test_of_two_streams_with_one_ticket_the_newer_wins(referee):
    match = await referee.host(clock=LONG)
    async with honest_bot(match, 0), raw_bot(match.address, match.tickets[1]) as older:
        await older.turn()
        async with raw_bot(match.address, match.tickets[1]) as newer:
            assert await older.refused() == ("NEWER_STREAM", "ABORTED")
            await newer.play()
        assert (await match.finished()).end == "COMPLETED"


async def test_opening_more_and_more_streams_disconnects_the_seat(referee):
    match = await referee.host(clock=LONG)
    async with honest_bot(match, 0):
        bots = [RawBot(match.address) for _ in range(MAX_RECONNECTS + 2)]
        for bot in bots:
            await bot.hello(match.tickets[1])
            await asyncio.gather(bot.read(), return_exceptions=True)
        finished = await match.finished()
        for bot in bots:
            await bot.close()
    assert finished.ends == ["PLAYED", "DISCONNECTED"]


HELLOS = [
    (b"\xff\xff", "BAD_HELLO", "INVALID_ARGUMENT"),
    (b"", "BAD_HELLO", "INVALID_ARGUMENT"),
    (b"\0" * (MAX_MESSAGE_BYTES + 1), "BAD_HELLO", "INVALID_ARGUMENT"),
    (play_pb2.PlayRequest(answer=play_pb2.Answer(ply=1)).SerializeToString(), "BAD_HELLO", "INVALID_ARGUMENT"),
    (
        play_pb2.PlayRequest(hello=play_pb2.Hello(ticket="", protocol_version=1)).SerializeToString(),
        "UNKNOWN_TICKET",
        "UNAUTHENTICATED",
    ),
    (
        play_pb2.PlayRequest(hello=play_pb2.Hello(ticket="x", protocol_version=0)).SerializeToString(),
        "PROTOCOL_VERSION",
        "FAILED_PRECONDITION",
    ),
]


@pytest.mark.parametrize(("first", "reason", "code"), HELLOS, ids=range(len(HELLOS)))
async def test_a_stream_without_a_proper_hello_is_refused_and_touches_no_match(referee, first, reason, code):
    match = await referee.host()
    async with honest_bot(match, 0), raw_bot(match.address) as villain:
        await villain.send(first)
        assert await villain.refused() == (reason, code)
        async with honest_bot(match, 1):
            assert (await match.finished()).end == "COMPLETED"


async def test_a_stream_that_ends_before_hello_is_refused(referee):
    async with raw_bot(referee.bots) as villain:
        await villain.call.done_writing()
        assert await villain.refused() == ("BAD_HELLO", "INVALID_ARGUMENT")


async def test_an_old_sdk_is_told_how_to_upgrade(referee):
    match = await referee.host()
    async with raw_bot(match.address) as villain:
        await villain.hello(match.tickets[0], sdk="python/0.0.9")
        assert await villain.refused() == ("SDK_TOO_OLD", "FAILED_PRECONDITION")
        assert "pip install -U" in await villain.call.details()
    await match.cancel()


async def test_a_ticket_of_a_match_that_is_over_opens_nothing(referee):
    match = await referee.host()
    async with honest_bot(match, 0), honest_bot(match, 1):
        await match.finished()
    async with raw_bot(match.address, match.tickets[0]) as villain:
        assert await villain.refused() == ("UNKNOWN_TICKET", "UNAUTHENTICATED")


async def test_a_ticket_opens_its_own_seat_of_its_own_match_only(referee):
    one, other = await referee.host(), await referee.host()
    async with raw_bot(one.address, other.tickets[1]) as bot:
        assert (await bot.read()).start.seat == 1
        async with honest_bot(one, 0), honest_bot(one, 1):
            assert (await one.finished()).end == "COMPLETED"
        async with honest_bot(other, 0):
            await bot.play()
        assert (await other.finished()).end == "COMPLETED"


async def test_tickets_are_long_and_all_different(referee):
    matches = [await referee.host() for _ in range(3)]
    tickets = {ticket for match in matches for ticket in match.tickets}
    assert len(tickets) == 6
    assert min(map(len, tickets)) >= 32
    for match in matches:
        await match.cancel()


# The smallest windows gRPC offers, so that what the referee sends stays unread on its own side of the stream.
READS_NOTHING = [("grpc.http2.lookahead_bytes", 1), ("grpc.http2.bdp_probe", 0)]


async def test_a_bot_that_reads_nothing_blocks_nobody(referee):
    match = await referee.host(clock="0.3s+0s,start=0.8s,margin=50ms")
    async with raw_bot(match.address, match.tickets[1], READS_NOTHING), honest_bot(match, 0) as honest:
        finished = await match.finished()
        await honest
    assert finished.ends == ["PLAYED", "TIMEOUT"]
    assert await next_match_runs(referee)


async def test_a_bot_that_answers_but_reads_nothing_loses_its_stream(referee):
    match = await referee.host(game="first-snow", clock="0.5s+0.1s,start=5s,margin=50ms", progress_ms=1)
    async with raw_bot(match.address, match.tickets[1], READS_NOTHING) as villain, honest_bot(match, 0) as honest:
        while (asked := await match.moved(lambda progress: progress.seat == 1)) is not None:
            with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
                await villain.answer(asked.ply)
        finished = await match.finished()
        await honest
    assert finished.end == "COMPLETED" or finished.ends == ["PLAYED", "DISCONNECTED"]
    assert await next_match_runs(referee)
