"""Machines and lines that are gone without a word, with real processes and pings that are quicker than usual."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from cutting import Line
from databases import SqliteTemplate
from remotely import Remotely, now, until
from remoteplay import WHOLE, Pause, ends, free_port, play

from arena.core.pings import Pings
from arena.hosting.referee import PublicDoor
from arena.match.result import MatchEnd, SeatEnd
from arena.services import dispatch
from arena.store.states import Queue
from worker.public import Public
from worker.slot import Slot

QUICK = Pings(0.5, 0.5)
AUTHOR_QUICK = "from arena.core import pings; pings.CLIENT = pings.Pings(0.5, 0.5); pings.SILENT_S = 2.0"
THINKS = """
import time
from bots.sdk import Bot, run
class Thinks(Bot):
    turns = 0
    def choose(self, turn):
        self.turns += 1
        if self.turns <= 7:
            time.sleep(2)
        return turn.legal_actions[0]
run(Thinks)
"""
"""Thinks for longer than the referee waits for pings, more often than it might come back if it lost its stream."""

SLACK_S = 8.0
"""What a loaded machine may take beside the times of pings."""


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Remotely]:
    template = SqliteTemplate(tmp_path_factory.mktemp("template"))
    with tempfile.TemporaryDirectory(prefix="remote-") as folder:
        made = Remotely(template.new_url(Path(folder)), Path(folder), QUICK)
        yield made
        made.close()


@pytest.fixture(scope="module")
def line() -> Iterator[Line]:
    """A line to the port at which the referees listen."""
    with Line(f"127.0.0.1:{free_port()}") as made:
        yield made


@pytest.fixture(scope="module")
def slot(arena: Remotely, line: Line) -> Iterator[Slot]:
    door = PublicDoor(line.target, line.address, asks=QUICK)
    made = Slot(arena.store, "half:1", now, public=Public(door, only=True))
    yield made
    made.close()


def is_playable(arena: Remotely) -> bool:
    return dispatch.count_queued(arena.store, now(), Queue.REMOTE) > 0


def noticed(arena: Remotely, bot: str) -> None:
    until(lambda: not arena.present(bot), "the end of its waiting", QUICK.noticed_s + SLACK_S)


def test_a_bot_whose_machine_stands_still_is_not_called_and_the_next_program_takes_its_place(arena: Remotely):
    with arena.admin.connect("frozen") as far:
        far.freeze()
        noticed(arena, "frozen")
        made = arena.challenge("frozen", "frozen")
        assert not is_playable(arena)
        with arena.admin.connect("frozen", "--concurrency", "2"):
            assert is_playable(arena)
            far.thaw()
            assert far.ended() == 1
        arena.cancel(made)
    assert "frozen@1 is in the lobby already" in far.err[-1]


def test_a_program_that_goes_on_after_standing_still_waits_as_if_newly_come(arena: Remotely):
    with arena.admin.connect("thawed") as far:
        far.freeze()
        noticed(arena, "thawed")
        far.thaw()
        far.wait_for("waits in the lobby", 2)
        assert arena.present("thawed")
        assert [text for text in far.err if text.startswith("out of the lobby")] == far.err[-2:-1]


def test_both_ends_of_a_line_that_falls_silent_notice_and_the_bot_is_back_once_the_line_is(arena: Remotely):
    with Line(arena.api.address) as silent, arena.admin.connect("apart", at=silent.address, first=AUTHOR_QUICK) as far:
        began = time.monotonic()
        silent.fall_silent()
        noticed(arena, "apart")
        told = far.wait_for("out of the lobby")
        assert time.monotonic() - began < QUICK.noticed_s + SLACK_S
        silent.come_back()
        far.wait_for("waits in the lobby", 2)
        assert arena.present("apart")
    assert told == f"out of the lobby: the connection to the server at {silent.address} broke; coming back"


def test_bots_on_lines_that_fall_silent_play_on_once_those_are_back(
    arena: Remotely, slot: Slot, line: Line, pause: Pause
):
    with (
        arena.admin.connect("asked", source=pause.source, first=AUTHOR_QUICK) as asked,
        arena.admin.connect("idle", first=AUTHOR_QUICK) as idle,
    ):
        made = arena.challenge("asked", "idle", clock="1m+0s,start=1m,margin=50ms")

        def fall_silent() -> None:
            pause.reached()
            line.fall_silent()
            for each in (asked, idle):  # the one while it is asked, the other while its opponent is
                each.wait_for("cannot be reached (no answer)")
            line.come_back()
            pause.end()

        play(arena, slot, fall_silent)
        for each in (asked, idle):
            each.wait_for(f"match {made.match_ids[0]}: first-snow against")
        arena.cancel(made)
    assert ends(arena, made.match_ids[0]) == WHOLE


def test_a_referee_notices_that_a_bot_is_gone_and_does_not_say_that_it_thought(
    arena: Remotely, slot: Slot, line: Line, pause: Pause
):
    with arena.admin.connect("gone", source=pause.source) as gone, arena.admin.connect("left"):
        made = arena.challenge("gone", "left", clock="3s+0s,start=1m,margin=50ms")

        def go() -> None:
            pause.reached()
            gone.freeze()

        play(arena, slot, go)
        arena.cancel(made)
    assert ends(arena, made.match_ids[0]) == (MatchEnd.FORFEIT, (SeatEnd.DISCONNECTED, SeatEnd.PLAYED))


@pytest.mark.long
def test_a_bot_that_thinks_for_longer_than_a_ping_may_take_keeps_its_stream(arena: Remotely, slot: Slot):
    with (
        arena.admin.connect("thinks", source=THINKS, first=AUTHOR_QUICK),
        arena.admin.connect("waits", first=AUTHOR_QUICK),
    ):
        made = arena.challenge("thinks", "waits", clock="1m+0s,start=1m,margin=50ms")
        play(arena, slot)
        arena.cancel(made)
    assert ends(arena, made.match_ids[0]) == WHOLE
