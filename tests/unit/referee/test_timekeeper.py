"""The loop's lag, and the one deadline of a match."""

import asyncio
import time

from referee.timekeeper import NS_PER_MS, TICK_NS, Deadline, LoopTime


async def test_a_loop_that_was_held_up_has_that_much_lag():
    keeper = LoopTime(asyncio.get_running_loop())
    keeper.watch()
    start = keeper.now()
    await asyncio.sleep(0.005)
    time.sleep(0.1)  # noqa: ASYNC251 - holding the loop up is what is measured
    lag = keeper.lag_since(start)
    keeper.unwatch()
    assert 70 * NS_PER_MS < lag <= keeper.now() - start


async def test_a_delay_is_remembered_after_the_loop_went_on():
    keeper = LoopTime(asyncio.get_running_loop())
    keeper.watch()
    start = keeper.now()
    await asyncio.sleep(0.005)
    time.sleep(0.1)  # noqa: ASYNC251 - holding the loop up is what is measured
    await asyncio.sleep(0.05)
    lag = keeper.lag_since(start)
    keeper.unwatch()
    assert lag > 70 * NS_PER_MS


async def test_a_delay_before_a_wait_began_is_not_its_lag():
    keeper = LoopTime(asyncio.get_running_loop())
    keeper.watch()
    await asyncio.sleep(0.005)
    time.sleep(0.1)  # noqa: ASYNC251 - holding the loop up is what is measured
    await asyncio.sleep(0.05)
    start = keeper.now()
    lag = keeper.lag_since(start)
    keeper.unwatch()
    assert lag == 0


async def test_without_watchers_nothing_ticks_and_there_is_no_lag():
    loop = asyncio.get_running_loop()
    keeper = LoopTime(loop)
    keeper.watch()
    keeper.watch()
    keeper.unwatch()
    keeper.unwatch()
    time.sleep(2 * TICK_NS / 1e9)  # noqa: ASYNC251 - holding the loop up is what is measured
    assert keeper.lag_since(0) == 0


def test_a_deadline_calls_back_once_when_it_is_due(hand_time):
    called = []
    Deadline(hand_time).move(hand_time.now() + 100 * NS_PER_MS, lambda: called.append(hand_time.now()))
    hand_time.pass_by(0.099)
    assert not called
    hand_time.pass_by(0.5)
    assert len(called) == 1


def test_a_deadline_moved_later_waits_on(hand_time):
    called = []
    start = hand_time.now()
    deadline = Deadline(hand_time)
    deadline.move(start + 100 * NS_PER_MS, lambda: called.append("early"))
    deadline.move(start + 300 * NS_PER_MS, lambda: called.append("late"))
    hand_time.pass_by(0.299)
    assert not called
    hand_time.pass_by(0.001)
    assert called == ["late"]


def test_a_deadline_moved_earlier_comes_earlier(hand_time):
    called = []
    start = hand_time.now()
    deadline = Deadline(hand_time)
    deadline.move(start + 300 * NS_PER_MS, lambda: called.append("late"))
    deadline.move(start + 100 * NS_PER_MS, lambda: called.append("early"))
    hand_time.pass_by(0.1)
    assert called == ["early"]
    hand_time.pass_by(1)
    assert called == ["early"]


def test_a_cleared_deadline_leaves_nothing_behind(hand_time):
    deadline = Deadline(hand_time)
    deadline.move(hand_time.now() + 1, lambda: None)
    deadline.clear()
    assert deadline.due is None
    assert hand_time.waiting == 0
