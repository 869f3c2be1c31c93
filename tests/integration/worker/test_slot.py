"""A slot plays the blocks it can claim, and tells the database how it went."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Self

import psutil
import pytest
from botsources import FIRST, SLEEPER
from playing import World
from sqlalchemy import select

from arena.hosting import referee
from arena.hosting.matches import HostedMatch, Progress, play_hosted
from arena.hosting.pool import WarmPool
from arena.match.setup import Setup
from arena.match.verify import Status, verify_log
from arena.services import dispatch, matches, tournaments
from arena.store import tables
from arena.store.states import MatchState, TournamentState
from worker.slot import Slot

pytestmark = pytest.mark.usefixtures("nothing_left")


def when(true: Callable[[], bool], act: Callable[[], object]) -> threading.Thread:
    """Do something from another thread as soon as a condition holds."""

    def watch() -> None:
        until = time.monotonic() + 30
        while not true() and time.monotonic() < until:
            time.sleep(0.02)
        act()

    thread = threading.Thread(target=watch)
    thread.start()
    return thread


def playing(world: World) -> Callable[[], bool]:
    """Whether bots are being started: a match counts as running from the claim of its block on."""

    def has_begun() -> bool:
        return matches.get_match(world.store, 1).running and any(map(is_sandbox, psutil.Process().children()))

    return has_begun


def is_sandbox(process: psutil.Process) -> bool:
    with contextlib.suppress(psutil.NoSuchProcess):
        return "bwrap" in process.name()
    return False


def lost(world: World, match_id: int) -> int:
    """How many attempts at a match were lost."""
    with world.store.read() as tx:
        return tx.execute(select(tables.matches.c.lost).where(tables.matches.c.id == match_id)).scalar_one()


def plies(world: World) -> int:
    """How far the last attempt has come, as its worker has told."""
    with world.store.read() as tx:
        return tx.scalar(select(tables.attempts.c.ply).order_by(tables.attempts.c.id.desc())) or 0


def signal_referee(number: signal.Signals) -> None:
    for process in psutil.Process().children():
        with contextlib.suppress(psutil.NoSuchProcess):  # programs of sandboxes come and go beside it
            if "referee" in process.cmdline():
                process.send_signal(number)


class Homeless(WarmPool):
    """Sandboxes for which there is no room."""

    async def __aenter__(self) -> Self:
        raise OSError(errno.ENOSPC, "no space left")


def test_where_no_sandbox_can_wait_matches_are_played_all_the_same(world: World, submit) -> None:
    for name in ("ada", "bert"):
        submit(name, FIRST)
    world.started("cup", "ada", "bert")
    homeless = Slot(world.store, "here:1", lambda: world.now, new_pool=Homeless)
    assert homeless.play_next()
    homeless.close()
    assert {match.state for match in matches.list_matches(world.store).items} == {MatchState.FINAL}


def test_a_slot_without_work_says_so(slot: Slot) -> None:
    assert slot.play_next() is False


def test_a_block_is_played_recorded_and_can_be_verified(slot: Slot, world: World, submit) -> None:
    submit("ada", FIRST)
    submit("bert", FIRST)
    world.started("cup", "ada", "bert")
    assert slot.play_next() is True
    assert tournaments.get(world.store, "cup").state is TournamentState.FINISHED
    for match_id in (1, 2):
        match = matches.get_match(world.store, match_id)
        assert (match.state, match.attempts) == (MatchState.FINAL, 1)
        report = verify_log(matches.get_log(world.store, match_id).content.splitlines(keepends=True))
        assert report.status is Status.OK
        for seat in match.seats:
            record = matches.get_seat_record(world.store, world.admin, match_id, seat.seat)
            assert record.output.output.startswith(b"ply ")
            assert len(record.times.think_ms) == seat.turns > 0
    assert slot.play_next() is False


def test_a_game_from_elsewhere_is_played_by_three_in_every_cyclic_order(slot: Slot, world: World, submit) -> None:
    for name in ("ada", "bert", "cleo"):
        submit(name, FIRST)
    world.started("cup", "ada", "bert", "cleo", game="icefall", seats=3)
    assert slot.play_next() is True
    played = matches.list_matches(world.store, tournament="cup").items
    orders = {"".join(seat.bot[0] for seat in match.seats) for match in played}
    assert orders in ({"abc", "bca", "cab"}, {"acb", "cba", "bac"})
    for match in played:
        report = verify_log(matches.get_log(world.store, match.id).content.splitlines(keepends=True))
        assert (match.state, report.status) == (MatchState.FINAL, Status.OK)
        assert min(seat.rank for seat in match.seats) == 1


def test_the_author_reads_why_his_seat_was_lost(slot: Slot, world: World, submit) -> None:
    submit("ada", FIRST)
    submit("bert", "raise SystemExit('my own bug')")
    world.started("cup", "ada", "bert")
    assert slot.play_next() is True
    match = matches.get_match(world.store, 1)
    seat = next(seat for seat in match.seats if seat.bot == "bert")
    output = matches.get_seat_record(world.store, world.admin, 1, seat.seat).output.output.decode()
    assert output.startswith("my own bug\n[arena: ")


def test_a_lost_referee_costs_an_attempt_and_nothing_else(slot: Slot, world: World, submit) -> None:
    submit("ada", SLEEPER)
    submit("bert", SLEEPER)
    world.started("cup", "ada", "bert", clock="none")
    killer = when(playing(world), lambda: signal_referee(signal.SIGKILL))
    assert slot.play_next() is True
    killer.join()
    assert slot.play_next() is False  # it has to wait before it is claimed again
    world.wait(seconds=60)
    assert dispatch.count_queued(world.store, world.now) == 1
    assert matches.get_match(world.store, 1).state is MatchState.SCHEDULED
    stopper = when(playing(world), lambda: os.kill(os.getpid(), signal.SIGTERM))
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        assert slot.play_next() is True  # with a new referee
    finally:
        signal.signal(signal.SIGTERM, before)
        stopper.join()


def test_sigterm_hands_the_block_back_at_no_loss_and_is_passed_on(slot: Slot, world: World, submit) -> None:
    submit("ada", SLEEPER)
    submit("bert", SLEEPER)
    world.started("cup", "ada", "bert", clock="none")
    heard: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _frame: heard.append(number))
    try:
        stopper = when(playing(world), lambda: os.kill(os.getpid(), signal.SIGTERM))
        assert slot.play_next() is True
        stopper.join()
    finally:
        signal.signal(signal.SIGTERM, before)
    assert heard == [signal.SIGTERM]
    assert dispatch.count_queued(world.store, world.now) == 1
    assert matches.get_match(world.store, 1).state is MatchState.SCHEDULED


@pytest.fixture
def deaf() -> Iterator[list[int]]:
    """What reaches the handlers that were there before a slot's own."""
    heard: list[int] = []
    numbers = (signal.SIGTERM, signal.SIGINT)
    before = {number: signal.signal(number, lambda number, _frame: heard.append(number)) for number in numbers}
    yield heard
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("numbers", [(signal.SIGTERM, signal.SIGINT), (signal.SIGINT, signal.SIGTERM)])
def test_a_second_signal_hands_the_block_back_whatever_grace_is_left(
    world: World, submit, deaf, numbers: tuple[signal.Signals, signal.Signals]
) -> None:
    submit("ada", SLEEPER)
    submit("bert", SLEEPER)
    world.started("cup", "ada", "bert", clock="none")
    slot = Slot(world.store, "here:1", lambda: world.now, grace_s=1000)

    def twice() -> None:
        for number in numbers:
            os.kill(os.getpid(), number)

    stopper = when(playing(world), twice)
    assert slot.play_next() is True
    stopper.join()
    slot.close()
    assert deaf[0] in numbers
    assert dispatch.count_queued(world.store, world.now) == 1


def test_a_match_that_ends_within_the_grace_is_recorded_and_the_rest_of_its_block_handed_back(
    world: World, submit, deaf
) -> None:
    submit("ada", FIRST.replace("return", "import time; time.sleep(0.02); return"))
    submit("bert", FIRST)
    world.started("cup", "ada", "bert")
    slot = Slot(world.store, "here:1", lambda: world.now, grace_s=1000)
    stopper = when(playing(world), lambda: os.kill(os.getpid(), signal.SIGTERM))
    assert slot.play_next() is True
    stopper.join()
    slot.close()
    states = [matches.get_match(world.store, number).state for number in (1, 2)]
    assert states == [MatchState.FINAL, MatchState.SCHEDULED]
    assert (lost(world, 2), len(world.claim().legs)) == (0, 1)


def test_a_signal_before_the_first_match_hands_the_block_back_unplayed(world: World, submit, deaf) -> None:
    submit("ada", SLEEPER)
    submit("bert", SLEEPER)
    world.started("cup", "ada", "bert", clock="none")
    now = iter((os.kill, None))

    def clock() -> datetime:
        if (kill := next(now, None)) is not None:
            kill(os.getpid(), signal.SIGTERM)  # while the block is being claimed
        return world.now

    slot = Slot(world.store, "here:1", clock, grace_s=1000)
    assert slot.play_next() is True
    slot.close()
    assert (lost(world, 1), len(world.claim().legs)) == (0, 2)


def test_a_signal_while_a_match_is_recorded_hands_the_rest_of_the_block_back(world: World, submit, deaf) -> None:
    submit("ada", FIRST)
    submit("bert", FIRST)
    world.started("cup", "ada", "bert")
    played: list[str] = []
    kills = iter((os.kill,))

    async def play(setup: Setup, *rest: Any, **options: Any) -> HostedMatch:
        match = await play_hosted(setup, *rest, **options)
        played.append(setup.match_id)
        return match

    def clock() -> datetime:
        if played and (kill := next(kills, None)) is not None:
            kill(os.getpid(), signal.SIGTERM)  # when the record is made
        return world.now

    slot = Slot(world.store, "here:1", clock, grace_s=1000, play_match=play)
    assert slot.play_next() is True
    slot.close()
    assert (played, lost(world, 2), len(world.claim().legs)) == (["1"], 0, 1)


@pytest.mark.parametrize(
    ("said", "seconds"),
    [((), 6), ((Progress(3, None, 2_000),), 5), ((Progress(3, 1, 2_000),), 2)],
    ids=["nothing", "who has still to come", "who is to move"],
)
def test_a_referee_that_says_nothing_more_is_noticed_by_what_it_has_said(
    world: World, submit, deaf, said: tuple[Progress, ...], seconds: int
) -> None:
    for name in ("ada", "bert"):
        submit(name, FIRST)
    world.started("cup", "ada", "bert", clock="1s+0.1s,start=3s")
    deadlines: list[datetime] = []

    async def fall_silent(*_rest: Any, on_progress: Callable[[Progress], None], **_options: Any) -> None:
        for now in said:
            on_progress(now)
        await asyncio.Event().wait()

    def has_told() -> bool:
        with world.store.read() as tx:
            deadlines.extend(filter(None, tx.scalars(select(tables.attempts.c.deadline))))
        return bool(deadlines)

    slot = Slot(world.store, "here:1", lambda: world.now, grace_s=0, lease=timedelta(seconds=1), play_match=fall_silent)
    stopper = when(has_told, lambda: os.kill(os.getpid(), signal.SIGTERM))
    assert slot.play_next() is True
    stopper.join()
    slot.close()
    assert deadlines == [world.now + timedelta(seconds=seconds)]


@pytest.mark.parametrize("in_play", [False, True], ids=["at its start", "in play"])
def test_a_sandbox_ended_from_outside_costs_an_attempt_and_not_the_match(world: World, submit, in_play: bool) -> None:
    submit("ada", FIRST.replace("return", "import time; time.sleep(0.1); return"))
    submit("bert", FIRST)
    world.started("cup", "ada", "bert")
    slot = Slot(world.store, "here:1", lambda: world.now, lease=timedelta(seconds=1))
    slot.check()

    def sandboxes() -> list[psutil.Process]:
        """Those of the match; what waits for the next one is younger."""
        found = [one for one in psutil.Process().children() if one.name() == "bwrap"]
        return sorted(found, key=psutil.Process.create_time)[:2]

    def is_time() -> bool:
        return len(sandboxes()) == 2 and (plies(world) > 0 or not in_play)

    killer = when(is_time, lambda: sandboxes()[-1].kill())  # noqa: PLW0108 - they are to be found then
    assert slot.play_next() is True
    killer.join()
    match = matches.get_match(world.store, 1)
    assert (match.state, lost(world, 1)) == (MatchState.SCHEDULED, 1)
    slot.close()


def test_a_worker_that_failed_claims_nothing_until_it_can_play_again(
    slot: Slot, world: World, submit, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    submit("ada", FIRST)
    submit("bert", FIRST)
    world.started("cup", "ada", "bert")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    assert slot.play_next() is True
    world.wait(seconds=60)
    assert [slot.play_next() for _ in range(3)] == [False] * 3
    assert lost(world, 1) == 1
    monkeypatch.undo()
    assert slot.play_next() is True
    assert tournaments.get(world.store, "cup").state is TournamentState.FINISHED


def test_a_worker_whose_lease_is_lost_stops_playing(slot: Slot, world: World, submit) -> None:
    submit("ada", SLEEPER)
    submit("bert", SLEEPER)
    world.started("cup", "ada", "bert", clock="none")

    def take_away() -> None:
        world.now += 2 * dispatch.LEASE
        assert dispatch.expire(world.store, world.now).lost == 1

    thief = when(playing(world), take_away)
    assert slot.play_next() is True
    thief.join()
    assert matches.get_match(world.store, 1).state is MatchState.SCHEDULED


def test_a_referee_that_hangs_costs_an_attempt_and_is_replaced(
    world: World, submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(referee, "STOP_S", 0.1)
    submit("ada", FIRST)
    submit("bert", FIRST)
    world.started("cup", "ada", "bert")
    slot = Slot(world.store, "here:1", lambda: world.now, lease=timedelta(seconds=1))

    def hang() -> None:
        signal_referee(signal.SIGSTOP)
        world.wait(seconds=60)
        assert dispatch.expire(world.store, world.now).lost == 1

    hanger = when(playing(world), hang)
    assert slot.play_next() is True
    hanger.join()
    world.wait(seconds=60)
    assert slot.play_next() is True
    slot.close()
    assert {match.state for match in matches.list_matches(world.store).items} == {MatchState.FINAL}
