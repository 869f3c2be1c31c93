"""What a worker logs and counts of the matches it plays, and what it keeps to itself."""

from __future__ import annotations

import logging

import pytest
from botsources import FIRST
from playing import World
from prometheus_client import CollectorRegistry

from arena.services import matches
from arena.telemetry.figures import WorkerFigures
from worker.slot import Slot

pytestmark = pytest.mark.usefixtures("nothing_left")

TELLTALE = f"import os\nprint('ticket', os.environ['WHITEOUT_TICKET'], flush=True)\n{FIRST}"


def test_logs_name_match_and_attempt_and_hold_no_ticket_seed_or_word_of_a_bot(world: World, submit, caplog) -> None:
    registry = CollectorRegistry()
    slot = Slot(world.store, "here:1", lambda: world.now, figures=WorkerFigures(registry))
    submit("ada", TELLTALE)
    submit("bert", TELLTALE)
    world.started("cup", "ada", "bert")
    with caplog.at_level(logging.DEBUG):
        slot.check()
        assert slot.play_next() is True
    slot.close()
    recorded = [record.msg for record in caplog.records if "match recorded" in str(record.msg)]
    assert [(one["match"], one["block"], one["attempt"]) for one in recorded] == [(1, 1, 1), (2, 1, 1)]
    for match_id in (1, 2):
        log = matches.get_log(world.store, match_id).content.decode()
        seed = log.partition('"seed":"')[2][:32]
        assert len(bytes.fromhex(seed)) == 16
        assert seed not in caplog.text
        for seat in (0, 1):
            said = matches.get_seat_record(world.store, world.admin, match_id, seat).output.output.decode()
            ticket = said.partition("ticket ")[2].split()[0]
            assert len(ticket) > 20
            assert ticket not in caplog.text
    assert "ticket " not in caplog.text
    assert registry.get_sample_value("whiteout_seats_total", {"game": "first-snow", "end": "PLAYED"}) == 4
    assert registry.get_sample_value("whiteout_attempts_total", {"end": "done"}) == 1
    assert registry.get_sample_value("whiteout_match_seconds_count", {"game": "first-snow"}) == 2
    turns = registry.get_sample_value("whiteout_turn_seconds_count", {"game": "first-snow"})
    assert turns == sum(seat.turns for number in (1, 2) for seat in matches.get_match(world.store, number).seats)
    assert registry.get_sample_value("whiteout_sandbox_layer", {"layer": "system call filter"}) == 1
