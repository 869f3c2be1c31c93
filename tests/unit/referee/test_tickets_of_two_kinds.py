"""Tickets of remote seats and of hosted ones: each is taken at its own kind of listener only."""

import asyncio

from arena.core.chance import SEED_BYTES
from arena.match.setup import SeatLabel, Setup
from referee.table import Table
from referee.timekeeper import LoopTime

SETUP = Setup(
    game="first-snow",
    variant="standard",
    seats=(SeatLabel("far", "1"), SeatLabel("near", "1")),
    components="",
    seed=bytes(SEED_BYTES),
    clock=None,
    match_id="7",
)


class Nobody:
    """Follows no match."""

    def moved(self):
        pass

    def over(self):
        pass


async def test_a_ticket_opens_its_seat_at_its_own_kind_of_listener_only():
    table = Table(LoopTime(asyncio.get_running_loop()))
    hosted, (far, near) = table.open(SETUP, 60_000, Nobody(), frozenset({0}))
    assert table.remote_seat_of(far) == (hosted, 0)
    assert table.seat_of(far) is None
    assert table.seat_of(near) == (hosted, 1)
    assert table.remote_seat_of(near) is None
    table.close("7")
    assert table.remote_seat_of(far) is None
