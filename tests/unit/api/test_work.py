"""Threads of the API: shares, and calls that are cancelled while a thread works for them."""

import asyncio
import threading

import pytest

from arena.api.work import DOOR_THREADS, THREADS, Workplace


@pytest.fixture
def workplace():
    made = Workplace(2)
    yield made
    made.close()


class Latch:
    """Work that goes on until it is let go; counts how much of it runs."""

    def __init__(self) -> None:
        self.running = 0
        self.most = 0
        self.begun = threading.Semaphore(0)
        self._lock = threading.Lock()
        self._let_go = threading.Event()

    def hold(self) -> str:
        with self._lock:
            self.running += 1
            self.most = max(self.most, self.running)
        self.begun.release()
        self._let_go.wait(20)
        with self._lock:
            self.running -= 1
        return "done"

    async def has_begun(self) -> None:
        assert await asyncio.to_thread(self.begun.acquire, True, 20)

    def let_go(self) -> None:
        self._let_go.set()


async def test_an_account_has_no_more_than_its_share_and_keeps_nobody_else_waiting(workplace):
    latch = Latch()
    many = [asyncio.create_task(workplace.run("ann", latch.hold)) for _ in range(THREADS * 3)]
    await latch.has_begun()
    await latch.has_begun()

    assert await workplace.run("bob", lambda: "at once") == "at once"
    assert await workplace.at_the_door(lambda: "let in") == "let in"
    assert latch.most == 2

    latch.let_go()
    assert await asyncio.gather(*many) == ["done"] * len(many)
    assert latch.most == 2


async def test_a_cancelled_call_lasts_until_its_thread_is_free(workplace):
    latch = Latch()
    call = asyncio.create_task(workplace.run("ann", latch.hold))
    await latch.has_begun()
    for _ in range(3):
        call.cancel()
        done, _ = await asyncio.wait([call], timeout=0.01)
        assert not done

    latch.let_go()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert latch.running == 0


async def test_work_that_nobody_waits_for_any_more_is_never_begun(workplace):
    latch = Latch()
    full = [asyncio.create_task(workplace.at_the_door(latch.hold)) for _ in range(DOOR_THREADS)]
    for _ in full:
        await latch.has_begun()
    begun = threading.Event()
    late = asyncio.create_task(workplace.at_the_door(begun.set))
    await asyncio.sleep(0)

    late.cancel()
    with pytest.raises(asyncio.CancelledError):
        await late
    latch.let_go()
    await asyncio.gather(*full)

    assert not begun.is_set()


async def test_an_account_that_is_gone_is_forgotten(workplace):
    for number in range(5):
        await workplace.run(f"a{number}", lambda: None)

    assert workplace.accounts() == 0


async def test_an_error_of_the_work_is_the_callers(workplace):
    def fail() -> None:
        raise KeyError("snow")

    with pytest.raises(KeyError, match="snow"):
        await workplace.run("ann", fail)
