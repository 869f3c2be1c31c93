"""A referee that counts in microseconds where the arena's own counts in milliseconds: --bots ADDRESS --control ADDRESS.

Its time runs a thousand times as fast, nothing else is different; it is for matches without a clock. Ends when its
standard input closes.
"""

import argparse
import asyncio
import json
import os
import sys

from arena.core.protocol import GRPC_ENVIRONMENT

os.environ.update(GRPC_ENVIRONMENT)  # which gRPC reads when it is imported

from referee.server import serve
from referee.timekeeper import LoopTime

FINER = 1000


class FineTime:
    def __init__(self, loop):
        self._time = LoopTime(loop)
        self.watch = self._time.watch
        self.unwatch = self._time.unwatch

    def now(self):
        return FINER * self._time.now()

    def call_at(self, when, callback):
        return self._time.call_at(when // FINER, callback)

    def lag_since(self, start):
        return FINER * self._time.lag_since(start // FINER)


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bots")
    parser.add_argument("--control")
    asked = parser.parse_args()
    async with serve(asked.bots, asked.control, time=FineTime(asyncio.get_running_loop())) as addresses:
        print(json.dumps({"bots": addresses.bots, "control": addresses.control}), flush=True)
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
