"""Plays seats with the SDK: `seats.py alone|many`; reads lines of JSON, {"address", "ticket", "referee"}, a seat each.

alone: one after another, as a bot's program does. many: each in a thread of its own, whose memory is cold.

When a match is over it prints JSON: "moments", one for each turn, as stream_client.py does for each message, and "us",
the microseconds of CPU a turn that the SDK and the bot took beside the stream.
"""

import json
import sys
import threading
from time import thread_time_ns

from bench_clock import moment

from bots.sdk import client
from bots.sdk.bot import Bot


def bot_class(referee, moments):
    class Instant(Bot):
        """Answers at once, by the number of the ply, so that equal seeds give equal matches."""

        def choose(self, turn):
            moments.append(moment(referee))
            return turn.legal_actions[turn.ply % len(turn.legal_actions)]

    return Instant


class Seat(client._Seat):
    """The SDK's own, with a stopwatch."""

    spent = 0

    def answer(self, message):
        start = thread_time_ns()
        try:
            return super().answer(message)
        finally:
            self.spent += thread_time_ns() - start


def play(asked):
    moments = []
    seat = Seat(bot_class(asked["referee"], moments))
    client.play_seat(seat, asked["address"], asked["ticket"])
    facts = {"moments": moments, "us": seat.spent / len(moments) / 1000}
    print(json.dumps(facts) + "\n", end="", flush=True)


def main(how):
    for line in sys.stdin:
        if how == "alone":
            play(json.loads(line))
        else:
            threading.Thread(target=play, args=(json.loads(line),)).start()


if __name__ == "__main__":
    main(sys.argv[1])
