"""A match on a clock that is turned by hand, with streams that only note what they are given."""

import heapq
import itertools
import json

import pytest

from arena.core import Seat
from arena.match.clock import Clock
from arena.match.setup import SeatLabel, Setup
from arena.v1 import play_pb2
from referee.hosted import HostedMatch


class HandTime:
    """A clock that moves only by pass_by(seconds); lag, in seconds too, is what the test says."""

    def __init__(self):
        self.time = 10**12
        self.lag = 0.0
        self._alarms = []
        self._order = itertools.count()

    def now(self):
        return self.time

    def call_at(self, when, callback):
        alarm = HandAlarm(callback)
        heapq.heappush(self._alarms, (when, next(self._order), alarm))
        return alarm

    def lag_since(self, start):
        return round(self.lag * 1e9)

    @property
    def waiting(self):
        return sum(not alarm.cancelled for _, _, alarm in self._alarms)

    def pass_by(self, seconds):
        until = self.time + round(seconds * 1e9)
        while self._alarms and self._alarms[0][0] <= until:
            when, _, alarm = heapq.heappop(self._alarms)
            self.time = max(self.time, when)
            if not alarm.cancelled:
                alarm.cancelled = True
                alarm.callback()
        self.time = until


class HandAlarm:
    def __init__(self, callback):
        self.callback = callback
        self.cancelled = False

    def cancel(self):
        self.cancelled = True


class NotedLink:
    """A stream that keeps what was sent on it."""

    def __init__(self):
        self.sent = []
        self.finished = False
        self.refusal = None

    def send(self, message):
        self.sent.append(play_pb2.PlayResponse.FromString(message))

    def finish(self):
        self.finished = True

    def refuse(self, refusal):
        self.refusal = refusal

    @property
    def kinds(self):
        return [message.WhichOneof("kind") for message in self.sent]

    @property
    def turn(self):
        return next(message.turn for message in reversed(self.sent) if message.WhichOneof("kind") == "turn")

    @property
    def over(self):
        return self.sent[-1].game_over


class Scene:
    """A hosted match of Icefall and everything around it."""

    def __init__(self, seats=2, clock="2s+0.1s,start=10s,margin=50ms", game="icefall", variant="race", cap_ms=60_000):
        self.time = HandTime()
        self.moves = 0
        self.overs = 0
        setup = Setup(
            game=game,
            variant=variant,
            seats=(SeatLabel("bot", "1"),) * seats,
            seed=bytes(range(16)),
            clock=Clock.parse(clock),
            match_id="m",
        )
        self.hosted = HostedMatch(setup, self.time, cap_ms, self)

    def moved(self):
        self.moves += 1

    def over(self):
        self.overs += 1

    def connect(self, seat):
        link = NotedLink()
        self.hosted.attach(Seat(seat), link)
        return link

    def connect_all(self):
        return [self.connect(place.seat) for place in self.hosted.places]

    def tell(self, seat, link, **kind):
        self.hosted.receive(Seat(seat), link, play_pb2.PlayRequest(**kind).SerializeToString())

    def answer(self, seat, link, ply, action=0):
        self.tell(seat, link, answer=play_pb2.Answer(ply=ply, action=action))

    def resign(self, seat, link):
        self.tell(seat, link, resign=play_pb2.Resign())

    @property
    def asked(self):
        return self.hosted.match.decision

    def play_ply(self, links, seconds=0.0):
        """Let the seat that is asked answer after this long."""
        decision = self.asked
        self.time.pass_by(seconds)
        self.answer(decision.seat, links[decision.seat], decision.ply)

    def play_out(self, links):
        while not self.hosted.over:
            self.play_ply(links)

    @property
    def result(self):
        return self.hosted.match.result

    @property
    def ends(self):
        return [str(end) for end in self.result.seat_ends]

    @property
    def log(self):
        return [json.loads(line) for line in self.hosted.match.log_text().splitlines()]


@pytest.fixture
def scene():
    """Makes a hosted match; arguments as Scene takes them."""
    return Scene


@pytest.fixture
def hand_time():
    return HandTime()
