"""Passes every message to the other stream of a pair, by grpc.aio and nothing else: `stream_server.py SOCKET BYTES`.

What it sends are BYTES bytes, as for a turn. A longer message than usual is confirmed to its sender, too.
Prints its process number once it listens. For every line on its standard input it prints, as JSON, the nanoseconds of
CPU that it has taken so far, and those of its loop's thread; it ends when that input does.
"""

import asyncio
import json
import os
import sys
from time import process_time_ns, thread_time_ns

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage

from arena.v1 import play_pb2
from referee import wire

METHOD = ("arena.v1.PlayService", "Play")
USUAL_BYTES = 6
"""What an answer has."""
TURN_TYPE = wire.TYPE_PREFIX + "arena.games.first_snow.v1.Turn"


def turn_of(size):
    """Return a Turn of about so many bytes."""
    envelope = len(wire.turn_bytes(50, 10_000, AnyMessage(type_url=TURN_TYPE, value=b"-")))
    return wire.turn_bytes(50, 10_000, AnyMessage(type_url=TURN_TYPE, value=bytes(size - envelope)))


def handler(body):
    contexts = {}

    async def play(_requests, context):
        hello = play_pb2.PlayRequest.FromString(await context.read()).hello
        number = int(hello.ticket)
        contexts[number] = context
        await context.write(body)
        while isinstance(message := await context.read(), bytes):
            await contexts[number ^ 1].write(body)
            if len(message) > USUAL_BYTES:
                await context.write(body)

    service, method = METHOD
    return grpc.method_handlers_generic_handler(service, {method: grpc.stream_stream_rpc_method_handler(play)})


async def main(path, size):
    server = grpc.aio.server()
    server.add_generic_rpc_handlers((handler(turn_of(size)),))
    server.add_insecure_port(f"unix:{path}")
    await server.start()
    print(os.getpid(), flush=True)
    while await asyncio.to_thread(sys.stdin.readline):
        print(json.dumps([process_time_ns(), thread_time_ns()]), flush=True)
    await server.stop(0)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
