"""What the commands of `arena bench` share."""

from __future__ import annotations

from functools import partial

from arena.bench.services import BrokerProgram
from arena.cli.local.broker import broker_command, broker_url, find_broker


def bench_broker() -> BrokerProgram:
    """Return how a broker is started for a measurement. Raises Unavailable where there is none."""
    return BrokerProgram(partial(broker_command, find_broker()), broker_url)
