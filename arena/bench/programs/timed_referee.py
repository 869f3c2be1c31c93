"""The arena's referee with a stopwatch in it: `timed_referee.py FILE` and the referee's own options.

Of every match one part is timed, the next one the next part, and in one match more messages are measured instead.
Appends a line of JSON to FILE when a match ends: "part", and per turn, from the end of the first answer to the end of
the last, the microseconds of CPU that this process, its loop's thread and the part took: "process_us", "loop_us",
"spent_us"; or "turn_bytes" and "answer_bytes". One match at a time.
"""

import json
import os
import sys
from pathlib import Path
from time import process_time_ns, thread_time_ns

from arena.core.protocol import GRPC_ENVIRONMENT

os.environ.update(GRPC_ENVIRONMENT)  # which gRPC reads when it is imported

from arena.bench.parts import SIZES, TIMED
from arena.core.registry import load_game
from arena.match.course import Course
from arena.match.log import LogWriter
from referee import __main__, wire
from referee.hosted import HostedMatch

GAME = type(load_game("first-snow"))
FUNCTIONS = {
    "match": ((HostedMatch, "receive"),),
    "view": ((GAME, "view"),),
    "message": ((GAME, "turn"), (wire, "pack"), (wire, "turn_bytes")),
    "rules": ((Course, "apply"), (Course, "draw")),
    "log": ((LogWriter, "add"),),
    "clock": ((HostedMatch, "_charge"),),
}


class Stopwatch:
    def __init__(self, path):
        self._path = Path(path)
        self._parts = (*TIMED, SIZES)
        self._matches = 0
        self._spent = 0
        self._sizes = [0, 0]
        self._turns = -1  # the first answer only starts the count
        self._restore = []
        self._receive = HostedMatch.receive
        self._next()

    def _next(self):
        """Put the stopwatch where it belongs in the next match, and the count of turns around it."""
        for owner, name, function in self._restore:
            setattr(owner, name, function)
        self._part = self._parts[self._matches % len(self._parts)]
        functions = FUNCTIONS.get(self._part, ((wire, "turn_bytes"),))
        self._restore = [(owner, name, getattr(owner, name)) for owner, name in functions]
        for owner, name, function in self._restore:
            setattr(owner, name, self._weighed(function) if self._part == SIZES else self._timed(function))
        HostedMatch.receive = self._counted(HostedMatch.receive)

    def _timed(self, function):
        def timed(*arguments, **named):
            start = thread_time_ns()
            try:
                return function(*arguments, **named)
            finally:
                self._spent += thread_time_ns() - start

        return timed

    def _weighed(self, function):
        def weighed(*arguments):
            message = function(*arguments)
            self._sizes[0] += len(message)
            return message

        return weighed

    def _counted(self, receive):
        def counted(hosted, seat, link, message):
            receive(hosted, seat, link, message)
            self._turns += 1
            if self._turns == 0:
                self._spent, self._sizes = 0, [0, 0]
                self._begun = process_time_ns(), thread_time_ns()
                return
            self._sizes[1] += len(message)
            if hosted.over:
                self._tell(process_time_ns() - self._begun[0], thread_time_ns() - self._begun[1])
                self._turns = -1
                self._matches += 1
                HostedMatch.receive = self._receive
                self._next()

        return counted

    def _tell(self, process, loop):
        turns = self._turns
        facts = {"part": self._part, "process_us": process / turns / 1000, "loop_us": loop / turns / 1000}
        if self._part == SIZES:
            # The last answer is followed by no turn.
            facts |= {"turn_bytes": self._sizes[0] / (turns - 1), "answer_bytes": self._sizes[1] / turns}
        else:
            facts["spent_us"] = self._spent / turns / 1000
        with self._path.open("a", encoding="ascii") as file:
            file.write(json.dumps(facts) + "\n")


if __name__ == "__main__":
    Stopwatch(sys.argv.pop(1))
    sys.exit(__main__.main())
