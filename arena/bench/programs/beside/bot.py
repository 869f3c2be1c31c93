"""Takes the first legal action: `python bot.py [SLEEP_US] [CHILDREN]`, after sleeping, with children that compute."""

import os
import sys
import time

from bots.sdk import Bot, run

SLEEP_S = int(sys.argv[1]) / 1e6
CHILDREN = int(sys.argv[2])


class First(Bot):
    def choose(self, turn):
        if SLEEP_S:
            time.sleep(SLEEP_S)
        return turn.legal_actions[0]


for _ in range(CHILDREN):
    if os.fork() == 0:
        while True:
            pass

run(First)
