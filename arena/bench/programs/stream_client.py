"""Takes turns with others on bare streams: `stream_client.py SOCKET SERVER aio|sdk FIRST STREAMS STEP`.

SERVER: the server's process number. aio: by grpc.aio, all streams on one loop; sdk: one stream as the SDK has it. The
streams have the numbers FIRST, FIRST + STEP and so on; an even one and the next odd one take turns, the even begins.
Says "ready". For every number on its standard input, each stream answers so many messages, and it prints JSON: for each
stream a list of [time, CPU of the server, CPU of this process] in nanoseconds, one entry a message.
"""

import asyncio
import json
import sys
from itertools import repeat

import grpc
from bench_clock import moment

from arena.core.protocol import PROTOCOL_VERSION
from arena.v1 import play_pb2
from bots.sdk.client import _channel_options
from bots.sdk.stream import Stream

ANSWER = play_pb2.PlayRequest(answer=play_pb2.Answer(ply=50, action=1))
LAST = play_pb2.PlayRequest(answer=play_pb2.Answer(ply=50, action=1000))
"""A byte longer than the others: the server confirms it to its sender, who waits for nothing else."""
MESSAGE, LAST_MESSAGE = ANSWER.SerializeToString(), LAST.SerializeToString()
PATH = "/arena.v1.PlayService/Play"


def hello(number):
    return play_pb2.PlayRequest(
        hello=play_pb2.Hello(ticket=str(number), protocol_version=PROTOCOL_VERSION, sdk="python/0.1.0")
    )


async def take_turns(call, number, count, server):
    moments = []
    if number % 2 == 0:
        await call.write(MESSAGE)
    for left in reversed(range(count)):
        await call.read()
        moments.append(moment(server))
        if left:
            await call.write(MESSAGE)
    if number % 2:
        await call.write(LAST_MESSAGE)
        await call.read()
    return moments


async def over_aio(address, server, numbers):
    options = _channel_options(address)
    calls = [grpc.aio.insecure_channel(address, options).stream_stream(PATH)() for _ in numbers]
    for call, number in zip(calls, numbers, strict=True):
        await call.write(hello(number).SerializeToString())
        await call.read()
    print(json.dumps("ready"), flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        turns = map(take_turns, calls, numbers, repeat(int(line)), repeat(server))
        print(json.dumps(await asyncio.gather(*turns)), flush=True)
    for call in calls:
        await call.done_writing()


def over_sdk(address, server, number):
    with (
        asyncio.Runner() as runner,
        Stream(runner.get_loop(), address, _channel_options(address), hello(number)) as own,
    ):
        own.receive()
        print(json.dumps("ready"), flush=True)
        for line in sys.stdin:
            moments = []
            answer = ANSWER if number % 2 == 0 else None
            for _ in range(int(line)):
                if own.receive(answer) is None:
                    raise SystemExit("the server closed the stream")
                moments.append(moment(server))
                answer = ANSWER
            if number % 2:
                own.receive(LAST)
            print(json.dumps([moments]), flush=True)


def main(path, server, kind, *places):
    first, streams, step = map(int, places)
    numbers = [first + step * place for place in range(streams)]
    if kind == "aio":
        asyncio.run(over_aio(f"unix:{path}", server, numbers))
    else:
        over_sdk(f"unix:{path}", server, *numbers)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])
