"""Ctrl-C while a person is asked, at every step of the program between being asked and waiting."""

import asyncio
import asyncio.base_events
import asyncio.locks
import asyncio.tasks
import os
import selectors
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from types import FrameType

import pytest
from google.protobuf.message import Message

from arena.cli.human import person, playing, terminal
from arena.cli.human.person import Desk, Person, Question
from arena.cli.human.screen import Cast
from arena.cli.human.terminal import Terminal
from arena.core import Seat
from arena.core.registry import load_game

PATIENCE_S = 20.0
IDLE_S = 0.2
"""Nothing is done for so long: the program waits."""

BY_STEP = {module.__file__ for module in (asyncio.locks, person, playing, terminal)}
"""Where every step counts; elsewhere a line is enough."""
BY_LINE = {module.__file__ for module in (asyncio.base_events, asyncio.tasks, selectors)}


class Asked(Person):
    """Is asked without a drawing."""

    async def _ask(self, question: object) -> int:
        return len(await self._terminal.ask("your choice: "))


class Steps:
    """Counts the steps of the program while it is traced, and calls back at one of them."""

    def __init__(self, at: int, then: Callable[[], object]) -> None:
        self.count = 0
        self._at = at
        self._then = then

    def enter(self, frame: FrameType, _event: str, _argument: object) -> Callable[..., object] | None:
        if frame.f_code.co_filename in BY_STEP:
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
            return self._step
        return self._step if frame.f_code.co_filename in BY_LINE else None

    def _step(self, _frame: FrameType, event: str, _argument: object) -> Callable[..., object]:
        if event in {"opcode", "line"}:
            self.count += 1
            if self.count == self._at:
                self._then()
        return self._step


@contextmanager
def traced(steps: Steps) -> Iterator[None]:
    before = sys.gettrace()
    sys.settrace(steps.enter)
    try:
        yield
    finally:
        sys.settrace(before)


def choose(keyboard: int, at: int | None) -> tuple[int | None, bool, int]:
    """Ask somebody who presses Ctrl-C at this step, or once the program waits (None); return what came of it.

    That is the choice, whether it took until help came, and the steps until the program waited, 0 if that was not seen.
    """
    late: list[bool] = []
    idle = [0]
    steps = Steps(at or 0, lambda: signal.raise_signal(signal.SIGINT))

    def press_when_idle() -> None:
        seen = -1
        while seen < steps.count:
            seen = steps.count
            time.sleep(IDLE_S)
        idle.append(seen)
        os.kill(os.getpid(), signal.SIGINT)

    def help_out() -> None:
        late.append(True)
        os.write(keyboard, b"enough\n")

    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        desk = Desk(Terminal(StringIO()), shared=False)
        game = load_game("icefall")
        somebody = Asked(desk, game, game.components(None, "components"), Cast(("human",), Seat(0)), Seat(0))
        with playing.ctrl_c_resigns(desk, loop, []):
            helping = loop.call_later(PATIENCE_S, help_out)
            finger = threading.Thread(target=press_when_idle)
            if at is None:
                finger.start()
            with traced(steps):
                choice = runner.run(somebody.choose(Question(0, None, Message(), ())))
            helping.cancel()
            if at is None:
                finger.join()
    return choice, bool(late), idle[-1]


@pytest.fixture
def keyboard(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The end of a pipe to write to; the other one is where people are read from."""
    reading, writing = os.pipe()
    with os.fdopen(reading) as typed:
        monkeypatch.setattr(sys, "stdin", typed)
        yield writing
    os.close(writing)


def test_ctrl_c_is_heard_at_every_step(keyboard: int) -> None:
    choice, late, steps = choose(keyboard, None)
    assert (choice, late) == (None, False)
    assert steps > 300
    unheard = (at for at in range(1, steps + 1) if choose(keyboard, at)[:2] != (None, False))
    assert next(unheard, None) is None
