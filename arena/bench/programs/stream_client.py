"""Takes turns with another on a bare stream: `stream_client.py SOCKET SERVER aio|sdk NUMBER`.

SERVER: the server's process number. aio: by grpc.aio as anybody would use it; sdk: as the SDK does. A stream of an even
number and the one of the next odd one take turns, the even one begins. Says "ready". For every number on its standard
input it answers so many messages, and prints as JSON a list of their moments, as bench_clock.py gives them.
"""

import asyncio
import json
import sys

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


async def over_aio(address, server, number):
    call = grpc.aio.insecure_channel(address, _channel_options(address)).stream_stream(PATH)()
    await call.write(hello(number).SerializeToString())
    await call.read()
    print(json.dumps("ready"), flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        print(json.dumps(await take_turns(call, number, int(line), server)), flush=True)
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
            print(json.dumps(moments), flush=True)


if __name__ == "__main__":
    path, server, kind, number = sys.argv[1:]
    if kind == "aio":
        asyncio.run(over_aio(f"unix:{path}", int(server), int(number)))
    else:
        over_sdk(f"unix:{path}", int(server), int(number))
