"""What goes wrong around a remote match, with real processes: lines, programs, workers, servers that end amid it."""

from __future__ import annotations

import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from certificates import write_pair
from cutting import Line
from remotely import Connected, Remotely, now, until
from remoteplay import WHOLE, Pause, ends, free_port, play

from arena.core.errors import PermissionDenied
from arena.hosting.referee import PublicDoor
from arena.match.result import MatchEnd, SeatEnd
from arena.services import accounts, dispatch
from arena.store.states import Queue
from arena.v1 import lobby_pb2 as pb
from worker.public import Public
from worker.slot import Slot

DOOMED = """
import sys
from datetime import UTC, datetime, timedelta
from arena.hosting.referee import PublicDoor
from arena.store import open_store
from arena.store.states import Queue
from worker.public import Public
from worker.slot import Slot

public = Public(PublicDoor("127.0.0.1:0"), only=True)
lease = timedelta(seconds=1)
Slot(open_store(sys.argv[1]), "doomed:1", lambda: datetime.now(UTC), public=public, lease=lease).play_next(Queue.REMOTE)
"""
"""A worker with a short lease, to be killed."""

QUICK = "3s+0s,start=1m,margin=50ms"


@pytest.fixture(scope="module")
def hosted(arena: Remotely) -> str:
    arena.admin.submit("near")
    return "near"


def test_a_match_goes_on_after_its_line_was_cut(arena: Remotely, hosted: str, pause: Pause):
    with Line(f"127.0.0.1:{free_port()}") as line, arena.admin.connect("cut", source=pause.source) as far:
        slot = Slot(arena.store, "cut:1", now, public=Public(PublicDoor(line.target, line.address), only=True))
        made = arena.challenge("cut", hosted)

        def cut() -> None:
            pause.reached()
            line.cut()
            pause.end()

        play(arena, slot, cut)
        slot.close()
        far.wait_for(f"match {made.match_ids[0]}: first-snow against near@1, seat 0: rank")
        arena.cancel(made)
    assert ends(arena, made.match_ids[0]) == WHOLE


def test_a_program_that_was_killed_costs_its_opponent_nothing(arena: Remotely, slot: Slot, hosted: str, pause: Pause):
    with arena.admin.connect("killed", source=pause.source) as far:
        made = arena.challenge("killed", hosted, clock=QUICK)

        def kill() -> None:
            pause.reached()
            far.kill()

        play(arena, slot, kill)
        arena.cancel(made)
    match = arena.match(made.match_ids[0])
    assert ends(arena, match.id) == (MatchEnd.FORFEIT, (SeatEnd.DISCONNECTED, SeatEnd.PLAYED))
    assert [seat.rank for seat in match.seats] == [2, 1]
    assert match.seats[1].charged_total_ms < 1000
    assert not arena.present("killed")


@pytest.mark.long
def test_a_program_killed_and_started_again_takes_its_seat_again(
    arena: Remotely, slot: Slot, hosted: str, pause: Pause
):
    with arena.admin.connect("again", source=pause.source) as far:
        made = arena.challenge("again", hosted)
        second: list[Connected] = []

        def restart() -> None:
            pause.reached()
            far.kill()
            pause.end()
            second.append(arena.admin.connect("again", source=pause.source))

        play(arena, slot, restart)
        second[0].wait_for(f"match {made.match_ids[0]}: first-snow against near@1, seat 0: rank")
        second[0].kill()
        arena.cancel(made)
    assert ends(arena, made.match_ids[0]) == WHOLE


def test_a_server_that_starts_again_finds_everybody_back_and_their_matches_going_on(
    arena: Remotely, slot: Slot, hosted: str, pause: Pause
):
    with arena.admin.connect("patient", "--games", "2", source=pause.source) as far:
        made = arena.challenge("patient", hosted)

        def restart() -> None:
            pause.reached()
            arena.api.stop()
            arena.api.start()
            far.wait_for("waits in the lobby", 2)
            pause.end()

        play(arena, slot, restart)
        play(arena, slot)
        assert far.ended() == 0
    assert [ends(arena, one) for one in made.match_ids] == [WHOLE, WHOLE]
    assert len(far.out) == 2


def test_a_block_whose_worker_was_killed_goes_to_another_one(arena: Remotely, slot: Slot, hosted: str, pause: Pause):
    with arena.admin.connect("twice", source=pause.source) as far:
        made = arena.challenge("twice", hosted)
        arena.wait_until_playable()
        doomed = subprocess.Popen([sys.executable, "-c", DOOMED, arena.url])
        pause.reached()
        doomed.kill()
        doomed.wait()
        until(lambda: dispatch.expire(arena.store, now(), retry_delay=timedelta(0)).lost, "the loss")
        far.wait_for("broken off by the arena")
        pause.end()
        play(arena, slot)
        far.wait_for(f"match {made.match_ids[0]}: first-snow against near@1, seat 0: rank")
        arena.cancel(made)
    assert ends(arena, made.match_ids[0]) == WHOLE
    assert arena.match(made.match_ids[0]).attempts == 2


def test_the_first_interrupt_finishes_the_match_and_leaves(arena: Remotely, slot: Slot, hosted: str, pause: Pause):
    with arena.admin.connect("polite", "--concurrency", "2", source=pause.source) as far:
        made = arena.challenge("polite", hosted)

        def interrupt() -> None:
            pause.reached()
            far.interrupt()
            far.wait_for("finishing 1 match; Ctrl-C again stops at once")
            pause.end()

        play(arena, slot, interrupt)
        assert far.ended() == 0
        assert dispatch.count_queued(arena.store, now(), Queue.REMOTE) == 0  # the second match waits for it
        arena.cancel(made)
    assert len(far.out) == 1
    assert ends(arena, made.match_ids[0]) == WHOLE


@pytest.mark.long
def test_the_second_interrupt_stops_at_once(arena: Remotely, slot: Slot, hosted: str, pause: Pause):
    with arena.admin.connect("hasty", source=pause.source) as far:
        made = arena.challenge("hasty", hosted, clock=QUICK)

        def interrupt() -> None:
            pause.reached()
            far.interrupt()
            far.wait_for("finishing 1 match")
            far.interrupt()
            assert far.ended() == 130

        play(arena, slot, interrupt)
        arena.cancel(made)
    assert far.err[-1].startswith("stopped; connect again with `arena connect ")
    assert " --server 127.0.0.1:" in far.err[-1]
    assert ends(arena, made.match_ids[0])[1] == (SeatEnd.DISCONNECTED, SeatEnd.PLAYED)


def test_an_interrupt_of_an_idle_bot_ends_it_in_order(arena: Remotely):
    with arena.admin.connect("idle") as far:
        far.interrupt()
        assert far.ended() == 0
    until(lambda: not arena.present("idle"), "its leaving")


def test_a_revoked_token_ends_it_with_one_line(arena: Remotely):
    dora = arena.author("dora")
    with dora.connect("revoked") as far:
        accounts.revoke_token(arena.store, arena.admin.account, dora.token.token.id, now())
        assert far.ended() == 1
    assert far.err[-1].startswith("error: ")
    assert len(far.err) == 4


def test_who_does_not_come_has_not_come_and_moves_nobodys_rating(arena: Remotely, slot: Slot, hosted: str):
    with arena.admin.connect("frozen") as far:
        made = arena.challenge("frozen", hosted, clock="1m+0s,start=8s,margin=50ms")
        far.freeze()  # the server does not know it yet, and calls
        play(arena, slot)
        arena.cancel(made)
    assert ends(arena, made.match_ids[0]) == (MatchEnd.FORFEIT, (SeatEnd.NO_SHOW, SeatEnd.PLAYED))


def test_nobody_waits_for_the_bot_of_another(arena: Remotely):
    mallory = arena.author("mallory")
    with arena.admin.connect("private"), mallory.session() as session:
        for bot, session_name in (("private", "m" * 16), ("private", "p" * 16)):
            enter = pb.EnterLobby(bot=bot, version=1, session=session_name, places=1)
            requests = iter([pb.AwaitMatchRequest(enter=enter)])
            with pytest.raises(PermissionDenied, match="private@1 is admin's"):
                next(session.converse(session.lobby.AwaitMatch, requests, lambda call: None))


@pytest.mark.long
def test_a_second_program_of_one_bot_is_told_that_the_first_is_there(arena: Remotely):
    with arena.admin.connect("double") as first:
        second = Connected(arena.admin, arena.admin.folder("double"), arena.api.address, ())
        assert second.ended() == 1
        second.kill()
        assert "double@1 is in the lobby already" in second.err[-1]
        assert first.alive


def test_the_line_is_encrypted_where_the_worker_has_a_certificate(arena: Remotely, hosted: str, tmp_path: Path):
    pair = write_pair(tmp_path, "arena.example.org")  # whatever its name, it was announced
    door = PublicDoor("127.0.0.1:0", certificate=pair.certificate, key=pair.key)
    slot = Slot(arena.store, "tls:1", now, public=Public(door, only=True))
    with arena.admin.connect("secret", "--games", "1") as far:
        made = arena.challenge("secret", hosted)
        play(arena, slot)
        assert far.ended() == 0
        arena.cancel(made)
    slot.close()
    assert ends(arena, made.match_ids[0]) == WHOLE
