"""Pings: how a peer that is gone without a word is noticed while nothing else is said on its connection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_BEFORE_CALLS: Final = ("grpc.keepalive_permit_without_calls", 1)


@dataclass(frozen=True, slots=True)
class Pings:
    """What one side does. every_s: the longest silence before it asks. answer_s: how long an answer may take."""

    every_s: float
    answer_s: float

    @property
    def noticed_s(self) -> float:
        """How long a peer that is gone is taken for there, at most, in seconds."""
        return self.every_s + self.answer_s

    def options(self) -> tuple[tuple[str, int], ...]:
        """Return it as gRPC's options of a channel or a server."""
        answer_ms = round(1000 * self.answer_s)
        return (
            ("grpc.keepalive_time_ms", round(1000 * self.every_s)),
            ("grpc.keepalive_timeout_ms", answer_ms),
            # Without this one gRPC waits a minute for every answer, whatever the one above says.
            ("grpc.http2.ping_timeout_ms", answer_ms),
            # And without this one a client asks twice, then not again before it has something to send.
            ("grpc.http2.max_pings_without_data", 0),
            _BEFORE_CALLS,
        )


def allowing(every_s: float, strikes: int) -> tuple[tuple[str, int], ...]:
    """Return a server's options that let clients ping so often; who goes on sooner than that so many times is cut off.

    Without them gRPC takes more than one ping in five minutes for an attack.
    """
    return (
        ("grpc.http2.min_ping_interval_without_data_ms", round(1000 * every_s)),
        ("grpc.http2.max_ping_strikes", strikes),
        _BEFORE_CALLS,
    )


API: Final = Pings(30.0, 10.0)
"""The API asks its clients: whoever waits in the lobby on a dead line is not called any more after this."""

API_ALLOWS_S: Final = 10.0
CLIENT: Final = Pings(20.0, 10.0)
"""Our client asks the API."""

REFEREE: Final = Pings(10.0, 20.0)
"""A referee asks whoever plays over a network. It is patient, since a program may think in the thread that answers, and
that costs nobody anything: its clock runs."""

REFEREE_ALLOWS_S: Final = 5.0
BOT: Final = Pings(10.0, 5.0)
"""A bot asks its referee over a network."""

SILENT_S: Final = REFEREE.noticed_s + 5.0
"""A line to a referee on which nothing has come for so long is dead: it would have asked, or given it up."""
