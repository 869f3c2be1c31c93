"""Plays seats with the SDK, one after another: `seats.py plain|timed`; timed: with a stopwatch in the SDK.

Says "ready"; reads lines of JSON, {"address", "ticket", "referee"}, a seat each. At its first turn it says "asked" and
waits for a line. When a match is over it prints JSON: "moments", one for each turn, as bench_clock.py gives them, and
"us", the microseconds of CPU a turn that the SDK and the bot took beside the stream, 0 without a stopwatch.
"""

import json
import sys
from time import thread_time_ns

from bench_clock import moment

from bots.sdk import client
from bots.sdk.bot import Bot


def bot_class(referee, moments):
    class Instant(Bot):
        """Answers at once, by the number of the ply, so that equal seeds give equal matches."""

        def choose(self, turn):
            if not moments:
                print(json.dumps("asked"), flush=True)
                sys.stdin.readline()
            moments.append(moment(referee))
            return turn.legal_actions[turn.ply % len(turn.legal_actions)]

    return Instant


class TimedSeat(client._Seat):
    """The SDK's own, with a stopwatch."""

    turns = spent = 0

    def answer(self, message):
        start = thread_time_ns()
        try:
            return super().answer(message)
        finally:
            self.turns += 1
            if self.turns > 1:  # the first waits for a line
                self.spent += thread_time_ns() - start


def play(asked, kind):
    moments = []
    seat = kind(bot_class(asked["referee"], moments))
    client.play_seat(seat, asked["address"], asked["ticket"])
    spent = seat.spent / (seat.turns - 1) / 1000 if kind is TimedSeat else 0
    print(json.dumps({"moments": moments, "us": spent}), flush=True)


def main(how):
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        play(json.loads(line), TimedSeat if how == "timed" else client._Seat)


if __name__ == "__main__":
    main(sys.argv[1])
