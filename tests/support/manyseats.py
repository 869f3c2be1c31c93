"""A program that is already running with the SDK, and plays many seats at once: a line `ADDRESS TICKET` each.

Says {"ready": true} when it can begin, and a line of JSON for every seat that has ended.
"""

import json
import sys
import threading

from bots.sdk import Bot
from bots.sdk.client import play

SAYING = threading.Lock()


class First(Bot):
    """Chooses the first action at once."""

    def choose(self, turn):
        return turn.legal_actions[0]


def say(**facts):
    with SAYING:
        print(json.dumps(facts), flush=True)


def play_one(address, ticket):
    try:
        play(First, address, ticket)
    except Exception as error:  # noqa: BLE001 - told to the test
        say(error=repr(error))
    else:
        say(error="")


def main():
    say(ready=True)
    threads = []
    for line in iter(sys.stdin.readline, "\n"):
        threads.append(threading.Thread(target=play_one, args=line.split()))
        threads[-1].start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main()
