"""Bots that break the protocol in one way each and keep to it otherwise; what `arena check` is to say of them."""

from __future__ import annotations

RAW = '''
import os, queue, sys, time
os.environ["GRPC_VERBOSITY"] = "NONE"
import grpc
from arena.v1 import play_pb2 as pb, play_pb2_grpc

TICKET, SDK, VERSION = os.environ["WHITEOUT_TICKET"], "rude/1.0.0", 1
answered = None


def stream():
    """Open a stream; return where requests go, and the responses."""
    channel = grpc.insecure_channel(os.environ["WHITEOUT_ADDRESS"], [("grpc.use_local_subchannel_pool", 1)])
    outgoing = queue.SimpleQueue()
    outgoing.put(pb.PlayRequest(hello=pb.Hello(ticket=TICKET, protocol_version=VERSION, sdk=SDK)))
    return outgoing, play_pb2_grpc.PlayServiceStub(channel).Play(iter(outgoing.get, None))


def say(outgoing, ply, action=0):
    outgoing.put(pb.PlayRequest(answer=pb.Answer(ply=ply, action=action)))


def on_turn(outgoing, turn):
    say(outgoing, turn.ply)


def on_over(outgoing):
    outgoing.put(None)
    sys.exit(0)


def play():
    """Play one stream; return when it breaks."""
    outgoing, responses = stream()
    try:
        for response in responses:
            if response.HasField("turn"):
                on_turn(outgoing, response.turn)
            elif response.HasField("game_over"):
                on_over(outgoing)
    except grpc.RpcError:
        pass
    outgoing.put(None)


def main():
    while True:
        play()


# rude part
main()
'''


def raw(rude: str = "") -> str:
    """A client without the SDK; rude: what replaces its functions."""
    return RAW.replace("# rude part\n", f"{rude}\n")


RUDE: dict[str, tuple[str, str, str]] = {
    "silent": ("import time; print('asleep'); time.sleep(600)", "handshake", "it never connected; it printed: asleep"),
    "futurist": (raw("VERSION = 99"), "handshake", "its Hello was not taken: PROTOCOL_VERSION: protocol version 99"),
    "stranger": (raw("TICKET = 'none'"), "handshake", "its Hello was not taken: UNKNOWN_TICKET: "),
    "hesitant": (
        raw("def on_turn(outgoing, turn): time.sleep(600)"),
        "first answer",
        "the first turn got no answer",
    ),
    "cheat": (
        raw("def on_turn(outgoing, turn): say(outgoing, turn.ply, 99)"),
        "plays icefall race",
        "ILLEGAL_ACTION: action 99 is not in",
    ),
    "dreamer": (
        raw(
            "count = []\ndef on_turn(outgoing, turn):\n    count.append(1)\n    time.sleep(600 * (len(count) == 3))\n"
            "    say(outgoing, turn.ply)"
        ),
        "clock",
        "no answer to ply",
    ),
    "chatterbox": (
        raw("def on_turn(outgoing, turn):\n    say(outgoing, turn.ply)\n    say(outgoing, turn.ply)"),
        "ply",
        "of its answers had no effect; the first was to ply",
    ),
    "leaver": (
        raw("def main():\n    play()\n    time.sleep(600)"),
        "reconnect",
        "the turn got no answer: DISCONNECTED",
    ),
    "forgetful": (
        raw(
            "order = []\ndef on_turn(outgoing, turn):\n    if turn.ply not in order:\n        order.append(turn.ply)\n"
            "    elif order.index(turn.ply) > 2:\n        return\n    say(outgoing, turn.ply)"
        ),
        "repeated turn",
        "the turn got no answer: TIMEOUT",
    ),
    "clinging": (raw("def on_over(outgoing): return"), "game over", "it opened another stream"),
    "sore-loser": (
        raw("def on_over(outgoing):\n    print('not fair')\n    os._exit(3)"),
        "exit",
        "it ended with status 3 after its match; it printed: not fair",
    ),
    "stayer": (raw("def on_over(outgoing): time.sleep(600)"), "exit", "it went on after the end of its match"),
}
"""name: program, the check that fails, and the beginning of what is said."""

START = {"silent": "1s", "hesitant": "8s"}
"""How long those are waited for that never answer; all others have time to be started on a busy machine."""

NOISY = raw("print('x' * 200_000)")
GATHERING = raw(
    "import threading\ncrowd = [threading.Timer(1, int) for _ in range(45)]\ndef on_turn(outgoing, turn):\n"
    "    for each in crowd: each.start()\n    while crowd: crowd.pop().join()\n    say(outgoing, turn.ply)"
)
CROWDED = raw(
    "import threading\nfor _ in range(45): threading.Thread(target=time.sleep, args=(600,), daemon=True).start()"
)
"""Warned of, not failed: the one is crowded during its first turn, for a second, the other to the end."""
