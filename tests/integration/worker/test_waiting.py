"""Sandboxes wait for what is queued: for the next leg, for the next block, for nothing when there is nothing."""

from __future__ import annotations

from typing import Any

import psutil
import pytest
from botsources import FIRST
from playing import World

from arena.hosting.matches import HostedMatch, play_hosted
from arena.hosting.pool import WarmPool
from arena.match.result import MatchEnd
from worker.slot import Slot

pytestmark = pytest.mark.usefixtures("nothing_left")


def waiting() -> int:
    children = psutil.Process().children(recursive=True)
    return sum("bots.sdk.waiting" in " ".join(each.cmdline()) and each.name().startswith("python") for each in children)


def test_the_next_leg_and_the_next_block_start_in_sandboxes_that_wait(world: World, submit) -> None:
    told: list[tuple[int, int]] = []

    async def play(*match: Any, pool: WarmPool, upcoming: int, **more: Any) -> HostedMatch:
        before = pool.warm_starts
        played = await play_hosted(*match, pool=pool, upcoming=upcoming, **more)
        assert played.result.end is MatchEnd.COMPLETED
        told.append((pool.warm_starts - before, upcoming))
        await pool.settled()
        return played

    for name in ("ada", "bert"):
        submit(name, FIRST)
    world.started("cup", "ada", "bert", deals=2)
    slot = Slot(world.store, "here:1", lambda: world.now, play_match=play)
    try:
        assert slot.play_next()
        assert waiting() == 2  # for the second block
        assert slot.play_next()
        assert told == [(0, 2), (2, 2), (2, 2), (2, 0)]
        assert waiting() == 0
        assert not slot.play_next()
    finally:
        slot.close()


def test_what_waits_for_a_block_that_another_worker_took_is_ended(world: World, submit) -> None:
    for name in ("ada", "bert"):
        submit(name, FIRST)
    world.started("cup", "ada", "bert", deals=2)
    slot = Slot(world.store, "here:1", lambda: world.now)
    other = Slot(world.store, "there:1", lambda: world.now, unsafe=True)
    try:
        assert slot.play_next()
        assert other.play_next()
        assert not slot.play_next()
        assert waiting() == 0
    finally:
        slot.close()
        other.close()
