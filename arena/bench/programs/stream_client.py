"""Sends small messages up a stream and waits for each answer: `stream_client.py SOCKET SERVER aio|threads STREAMS`.

SERVER: the server's process number. aio: by grpc.aio, threads: as the SDK does it. For every number on its standard
input, it has so many messages answered on each stream and prints JSON: for each stream a list of [time, CPU of the
server, CPU of this process] in nanoseconds, one entry a message.
"""

import asyncio
import json
import queue
import sys
import threading

import grpc
from bench_clock import moment

from arena.core.protocol import PROTOCOL_VERSION
from arena.v1 import play_pb2

MESSAGE = bytes(6)
PATH = "/arena.v1.PlayService/Play"


def hello():
    return play_pb2.PlayRequest(
        hello=play_pb2.Hello(ticket="any", protocol_version=PROTOCOL_VERSION, sdk="python/0.1.0")
    ).SerializeToString()


class Threads:
    """Streams of the synchronous library, one thread each."""

    def __init__(self, address, server, streams):
        self._server = server
        self._channels = [
            grpc.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)]) for _ in range(streams)
        ]
        self._queues = [queue.SimpleQueue() for _ in range(streams)]
        self._calls = [
            channel.stream_stream(PATH)(iter(outgoing.get, None))
            for channel, outgoing in zip(self._channels, self._queues, strict=True)
        ]
        for outgoing, call in zip(self._queues, self._calls, strict=True):
            outgoing.put(hello())
            next(call)

    def run(self, count):
        streams = [[] for _ in self._calls]
        workers = [
            threading.Thread(target=self._play, args=(call, outgoing, count, moments))
            for call, outgoing, moments in zip(self._calls, self._queues, streams, strict=True)
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return streams

    def _play(self, call, outgoing, count, moments):
        for _ in range(count):
            outgoing.put(MESSAGE)
            next(call)
            moments.append(moment(self._server))

    def close(self):
        for outgoing in self._queues:
            outgoing.put(None)
        for channel in self._channels:
            channel.close()


async def over_aio(address, server):
    async with grpc.aio.insecure_channel(address) as channel:
        call = channel.stream_stream(PATH)()
        await call.write(hello())
        await call.read()
        while line := await asyncio.to_thread(sys.stdin.readline):
            moments = []
            for _ in range(int(line)):
                await call.write(MESSAGE)
                await call.read()
                moments.append(moment(server))
            print(json.dumps([moments]), flush=True)
        await call.done_writing()


def main(path, server, kind, streams):
    if kind == "aio":
        asyncio.run(over_aio(f"unix:{path}", server))
        return
    client = Threads(f"unix:{path}", server, streams)
    for line in sys.stdin:
        print(json.dumps(client.run(int(line))), flush=True)
    client.close()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
