"""Ten bots that misbehave in ten ways, one that gives up, and three that play honestly and always the same."""

from __future__ import annotations

from dataclasses import dataclass

_SDK = """
import os, random, sys, time
from bots.sdk import Bot, run
class Villain(Bot):
    def choose(self, turn):
{body}
run(Villain)
"""

_RAW = """
import os, queue, time
os.environ["GRPC_VERBOSITY"] = "NONE"
import grpc
from arena.v1 import play_pb2 as pb, play_pb2_grpc
TICKET = os.environ["WHITEOUT_TICKET"]
HELLO = pb.PlayRequest(hello=pb.Hello(ticket=TICKET, protocol_version=1, sdk="raw/1"))
print("speaking the protocol by hand", flush=True)
def stream(*, raw=False):
    '''Open a stream; return what to put requests in, and its answers.'''
    channel = grpc.insecure_channel(os.environ["WHITEOUT_ADDRESS"], [("grpc.use_local_subchannel_pool", 1)])
    outgoing = queue.SimpleQueue()
    outgoing.put(HELLO.SerializeToString() if raw else HELLO)
    if raw:
        call = channel.stream_stream("/arena.v1.PlayService/Play")
    else:
        call = play_pb2_grpc.PlayServiceStub(channel).Play
    return outgoing, call(iter(outgoing.get, None))
"""


@dataclass(frozen=True, slots=True)
class Villain:
    """ends: how its seat may end. said: what its author finds in its output."""

    source: str
    ends: tuple[str, ...]
    said: str


def _sdk(*lines: str) -> str:
    return _SDK.format(body="\n".join(f"        {line}" for line in lines))


RESIGNS = (
    _RAW
    + """
outgoing, answers = stream()
for answer in answers:
    if answer.WhichOneof("kind") == "turn":
        outgoing.put(pb.PlayRequest(resign=pb.Resign()))
"""
)
"""Gives up at its first turn."""

VILLAINS = {
    "crash-at-start": Villain("raise SystemExit('no snow today')", ("CRASHED",), "no snow today"),
    "crash-at-turn": Villain(
        _sdk("raise RuntimeError('avalanche at my first turn')"), ("CRASHED",), "avalanche at my first turn"
    ),
    "hang": Villain(_sdk("print('thinking for ever')", "time.sleep(600)"), ("TIMEOUT",), "thinking for ever"),
    "silent": Villain("import time\nprint('I stay at home', flush=True)\ntime.sleep(600)", ("NO_SHOW",), "at home"),
    "flood": Villain(_sdk("while True: print('x' * 65536)"), ("TIMEOUT",), "bytes not kept"),
    "no-such-move": Villain(
        _RAW
        + """
outgoing, answers = stream()
for answer in answers:
    if answer.WhichOneof("kind") == "turn":
        outgoing.put(pb.PlayRequest(answer=pb.Answer(ply=answer.turn.ply, action=9999)))
""",
        ("ILLEGAL_ACTION",),
        "action 9999 is not in",
    ),
    "babble": Villain(
        _RAW
        + """
outgoing, answers = stream(raw=True)
next(answers); next(answers)
outgoing.put(bytes(range(255, 0, -1)))
time.sleep(600)
""",
        ("MALFORMED",),
        "sent bytes that are no PlayRequest",
    ),
    "exit-at-random": Villain(
        """
import os, random
from bots.sdk import Bot, run
class Villain(Bot):
    def __init__(self, match):
        super().__init__(match)
        self.stream = random.Random(match.bot_seed)
        self.leave()
    def leave(self):
        if self.stream.random() < 0.5:
            print('out into the night', flush=True)
            os._exit(self.stream.randrange(3))
    def choose(self, turn):
        while True:
            self.leave()
run(Villain)
""",
        ("CRASHED",),
        "out into the night",
    ),
    "hog": Villain(
        _sdk(
            "print('all mine', flush=True)",
            "try:",
            "    while os.fork(): pass",
            "except OSError: pass",
            "hoard = []",
            "while True: hoard.append(bytearray(1 << 24))",
        ),
        ("CRASHED", "TIMEOUT"),
        "all mine",
    ),
    "storm": Villain(
        _RAW
        + """
outgoing, answers = stream()
for answer in answers:
    if answer.WhichOneof("kind") == "turn":
        break
for ply in range(200):
    outgoing.put(pb.PlayRequest(answer=pb.Answer(ply=1000 + ply, action=0)))
streams = []
while True:
    streams.append(stream())
    try:
        next(streams[-1][1])
    except grpc.RpcError as error:
        print("turned away:", error.details(), flush=True)
        break
time.sleep(600)
""",
        ("DISCONNECTED", "MALFORMED", "TIMEOUT"),
        "turned away: ",
    ),
}
"""Every one of them fails before it has made one choice."""

_HONEST = """
import random
from bots.sdk import Bot, run
class Honest(Bot):
    def choose(self, turn):
        return {choice}
run(Honest)
"""

HONEST = {
    "first": _HONEST.format(choice="turn.legal_actions[0]"),
    "last": _HONEST.format(choice="turn.legal_actions[-1]"),
    "dice": _HONEST.format(choice="random.Random(self.match.bot_seed * 1000 + turn.ply).choice(turn.legal_actions)"),
}
"""Deterministic: the same match asks the same and is answered the same."""
