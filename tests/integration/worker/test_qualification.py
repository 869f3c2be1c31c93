"""A slot plays qualification matches like any other: the arena's own bot comes from the installed program."""

from __future__ import annotations

from hashlib import sha256

import pytest
from botsources import FIRST
from playing import World, zipped

from arena.match.verify import Status, verify_log
from arena.services import matches, ratings, submissions
from arena.store.states import VersionState
from worker.slot import Slot

pytestmark = pytest.mark.usefixtures("nothing_left")


def checked(slot: Slot, world: World, source: str) -> tuple[VersionState, str]:
    archive = zipped({"bot.toml": 'name = "ada"\ngames = ["icefall"]\n', "bot.py": source})
    submissions.submit(world.store, world.admin, archive, sha256(archive).hexdigest(), world.now, qualify=True)
    assert slot.play_next() is True
    version = submissions.get_version(world.store, "ada")
    return version.state, version.reason


def test_a_bot_that_plays_is_accepted_and_its_match_can_be_verified(slot: Slot, world: World) -> None:
    assert checked(slot, world, FIRST) == (VersionState.ACCEPTED, "")
    log = matches.get_log(world.store, 1).content
    assert verify_log(log.splitlines(keepends=True)).status is Status.OK
    assert b'"bot":"(random)"' in log
    record = matches.get_seat_record(world.store, world.admin, 1, 0)
    assert record.output.output.startswith(b"ply ")
    assert record.times.think_ms


def test_a_bot_that_cannot_be_imported_is_rejected_and_its_author_reads_its_words(slot: Slot, world: World) -> None:
    state, reason = checked(slot, world, "import torch_of_winter")
    assert state is VersionState.REJECTED
    assert "at icefall ended CRASHED: its process ended with status 1" in reason
    output = matches.get_seat_record(world.store, world.admin, 1, 0).output.output
    assert b"No module named 'torch_of_winter'" in output


def test_how_a_seat_ended_stands_in_a_line_of_its_own_after_what_was_printed(slot: Slot, world: World) -> None:
    checked(slot, world, "import os\nprint('no end of line', end='', flush=True)\nos._exit(7)")
    output = matches.get_seat_record(world.store, world.admin, 1, 0).output.output
    assert output == b"no end of line\n[arena: its process ended with status 7]\n"


def test_choices_are_counted_so_that_a_walkover_is_known(slot: Slot, world: World, submit) -> None:
    submit("ada", FIRST)
    submit("bert", "raise SystemExit('never')")
    world.started("cup", "ada", "bert", game="icefall")
    assert slot.play_next() is True
    changes = ratings.history(world.store, "ada").items
    assert [(one.mu_before, one.mu_after) for one in changes] == [(25.0, 25.0)] * 2
