"""Passes every message to the other stream of a pair: `stream_server.py SOCKET BYTES bare|seat|match SEED`.

bare: nothing but grpc.aio. seat: the referee's own way of reading and writing a stream, with no match behind it, for
one pair. match: that, and one turn of a First Snow match for each message, played against streams that lead nowhere.
What it sends are BYTES bytes, as for a turn. A longer message than usual is confirmed to its sender, too.
Prints its process number once it listens. For every line on its standard input it prints, as JSON, the microseconds of
CPU a turn that each part of the match took since it was last asked, and ends when that input does.
"""

import asyncio
import json
import os
import sys
from time import thread_time_ns

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage

from arena.core import Seat
from arena.core.registry import load_game
from arena.match.clock import Clock
from arena.match.course import Course
from arena.match.log import LogWriter
from arena.match.setup import SeatLabel, Setup
from arena.v1 import play_pb2
from referee import wire
from referee.hosted import HostedMatch
from referee.play import Player
from referee.timekeeper import LoopTime

METHOD = ("arena.v1.PlayService", "Play")
GAME = "first-snow"
USUAL_BYTES = 6
"""What an answer has."""
TURN_TYPE = wire.TYPE_PREFIX + "arena.games.first_snow.v1.Turn"
PARTS = {
    "all": ((HostedMatch, "receive"),),
    "view": ((type(load_game(GAME)), "view"),),
    "message": ((type(load_game(GAME)), "turn"), (wire, "pack"), (wire, "turn_bytes")),
    "rules": ((Course, "apply"), (Course, "draw")),
    "log": ((LogWriter, "add"),),
    "clock": ((HostedMatch, "_charge"),),
}


class Stopwatch:
    """The CPU of parts; one part inside another counts for the inner one, too."""

    def __init__(self):
        self.spent = dict.fromkeys(PARTS, 0)
        self.turns = 0
        self.sizes = [0, 0]

    def install(self):
        for part, functions in PARTS.items():
            for owner, name in functions:
                setattr(owner, name, self._timed(part, getattr(owner, name)))

    def _timed(self, part, function):
        spent = self.spent

        def timed(*arguments, **named):
            start = thread_time_ns()
            try:
                return function(*arguments, **named)
            finally:
                spent[part] += thread_time_ns() - start

        return timed

    def report(self):
        turns = max(1, self.turns)
        facts = {
            "us": {part: spent / turns / 1000 for part, spent in self.spent.items()},
            "turn_bytes": self.sizes[0] / turns,
            "answer_bytes": self.sizes[1] / turns,
        }
        self.spent.update(dict.fromkeys(PARTS, 0))
        self.turns, self.sizes = 0, [0, 0]
        return facts


class Relay:
    """What stands in for a match: sends the same bytes to the other seat for every message."""

    def __init__(self, body):
        self.body = body
        self.links = {}

    def attach(self, seat, link):
        self.links[seat] = link
        link.send(self.body)

    def receive(self, seat, link, message):
        self.links[1 - seat].send(self.body)
        if is_last(message):
            link.send(self.body)

    def detach(self, _seat, _link):
        pass


class Sink:
    """A stream that keeps the last message and leads nowhere."""

    def __init__(self):
        self.last = b""

    def send(self, message):
        self.last = message

    def finish(self):
        pass

    def refuse(self, refusal):
        raise RuntimeError(refusal)


class Nobody:
    """Follows a match and does nothing."""

    def moved(self):
        pass

    def over(self):
        pass


class Turns(Relay):
    """Plays a turn before it sends the bytes back."""

    def __init__(self, body, seed, stopwatch):
        super().__init__(body)
        self._seed = seed
        self._watch = stopwatch
        self._begin()

    def _begin(self):
        labels = (SeatLabel("a", "1"), SeatLabel("b", "1"))
        clock = Clock.parse(load_game(GAME).spec.clock)
        setup = Setup(GAME, "standard", labels, seed=self._seed, clock=clock, match_id="bench")
        self._hosted = HostedMatch(setup, LoopTime(asyncio.get_running_loop()), 3_600_000, Nobody())
        self._sinks = (Sink(), Sink())
        for seat, sink in enumerate(self._sinks):
            self._hosted.attach(seat, sink)

    def receive(self, seat, link, message):
        if self._hosted.over:
            self._begin()
        asked = self._hosted.match.decision
        sink = self._sinks[asked.seat]
        choice = play_pb2.Answer(ply=asked.ply, action=asked.ply % len(asked.legal))
        answer = play_pb2.PlayRequest(answer=choice).SerializeToString()
        self._watch.turns += 1
        self._watch.sizes[0] += len(sink.last)
        self._watch.sizes[1] += len(answer)
        self._hosted.receive(asked.seat, sink, answer)
        super().receive(seat, link, message)


def turn_of(size):
    """Return a Turn of about so many bytes."""
    envelope = len(wire.turn_bytes(50, 10_000, AnyMessage(type_url=TURN_TYPE, value=b"-")))
    return wire.turn_bytes(50, 10_000, AnyMessage(type_url=TURN_TYPE, value=bytes(size - envelope)))


def is_last(message):
    return len(message) > USUAL_BYTES


def bare(body):
    contexts = {}

    async def play(_requests, context):
        hello = play_pb2.PlayRequest.FromString(await context.read()).hello
        number = int(hello.ticket)
        contexts[number] = context
        await context.write(body)
        while isinstance(message := await context.read(), bytes):
            await contexts[number ^ 1].write(body)
            if is_last(message):
                await context.write(body)

    service, method = METHOD
    handler = grpc.stream_stream_rpc_method_handler(play)
    return grpc.method_handlers_generic_handler(service, {method: handler})


def handler(body, kind, seed, stopwatch):
    if kind == "bare":
        return bare(body)
    if kind == "match":
        stopwatch.install()
    behind = Turns(body, seed, stopwatch) if kind == "match" else Relay(body)
    return Player(lambda ticket: (behind, Seat(int(ticket)))).handler()


async def main(path, size, kind, seed):
    stopwatch = Stopwatch()
    server = grpc.aio.server()
    server.add_generic_rpc_handlers((handler(turn_of(size), kind, seed, stopwatch),))
    server.add_insecure_port(f"unix:{path}")
    await server.start()
    print(os.getpid(), flush=True)
    while await asyncio.to_thread(sys.stdin.readline):
        print(json.dumps(stopwatch.report()), flush=True)
    await server.stop(0)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), sys.argv[3], bytes.fromhex(sys.argv[4])))
