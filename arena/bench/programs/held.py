"""Plays many seats with the SDK, each in a thread, and holds matches at their last choice; reads lines of JSON.

{"address", "ticket", "hold"} is a seat that answers at once, by the number of the ply, but holds its answer from the
ply `hold` on. {"go": true} lets all go on that hold. {"ready": true} is printed once the SDK is loaded, {"held": PLY}
for every answer that is held, {"over": true} for every seat that has ended.
"""

import json
import sys
import threading

from bots.sdk import client
from bots.sdk.bot import Bot

SAYING = threading.Lock()


def say(**facts):
    with SAYING:
        print(json.dumps(facts), flush=True)


class Gate:
    """Where answers wait; it opens for those that wait there."""

    def __init__(self):
        self._condition = threading.Condition()
        self._opened = 0

    def wait(self, ply):
        with self._condition:
            seen = self._opened
            say(held=ply)
            self._condition.wait_for(lambda: self._opened > seen)

    def open(self):
        with self._condition:
            self._opened += 1
            self._condition.notify_all()


def play(asked, gate):
    class Holding(Bot):
        """As the text above has it."""

        def choose(self, turn):
            if turn.ply >= asked["hold"]:
                gate.wait(turn.ply)
            return turn.legal_actions[turn.ply % len(turn.legal_actions)]

    client.play(Holding, asked["address"], asked["ticket"])
    say(over=True)


def main():
    gate = Gate()
    say(ready=True)
    for line in sys.stdin:
        asked = json.loads(line)
        if "go" in asked:
            gate.open()
        else:
            threading.Thread(target=play, args=(asked, gate)).start()


if __name__ == "__main__":
    main()
