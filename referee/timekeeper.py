"""The referee's time in whole nanoseconds: now, alarms, and how late the event loop itself ran."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import Final, Protocol

NS_PER_MS: Final = 1_000_000

TICK_NS: Final = 20 * NS_PER_MS
"""How often the loop's lateness is measured while a match runs."""

LATE_NS: Final = 1 * NS_PER_MS
"""A tick later than this counts as a delay; less is the timer's own grain."""

KEPT: Final = 1024
"""How many delays are remembered; more than twenty seconds of a loop that is late all the time."""


class Alarm(Protocol):
    """Something that will happen unless it is cancelled."""

    def cancel(self) -> None:
        """Make it not happen; no effect afterwards."""


class Timekeeper(Protocol):
    """What a live match knows of time; tests give it a clock they turn by hand."""

    def now(self) -> int:
        """Return the time of a clock that never runs backwards."""

    def call_at(self, when: int, callback: Callable[[], object]) -> Alarm:
        """Call back at this time of now()."""

    def lag_since(self, start: int) -> int:
        """Return the longest time that anything waiting for this process was delayed by it since start."""


class TableTime(Timekeeper, Protocol):
    """A time that measures the process' own delays while matches run."""

    def watch(self) -> None:
        """Measure until unwatch() was called as often as this."""

    def unwatch(self) -> None:
        """Stop measuring for one watcher."""


class Deadline:
    """One moment to wait for, that moves with every turn; moving it later, the usual case, costs nothing."""

    __slots__ = ("_alarm", "_alarm_at", "_callback", "_due", "_time")

    def __init__(self, time: Timekeeper) -> None:
        self._time = time
        self._due: int | None = None
        self._callback: Callable[[], object] | None = None
        self._alarm: Alarm | None = None
        self._alarm_at = 0

    @property
    def due(self) -> int | None:
        """The moment waited for; None if there is none."""
        return self._due

    def move(self, due: int, callback: Callable[[], object]) -> None:
        """Wait for this moment instead of any other, then call back once."""
        self._due, self._callback = due, callback
        if self._alarm is None or self._alarm_at > due:
            self._arm(due)

    def clear(self) -> None:
        """Wait for nothing."""
        self._due = self._callback = None
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _arm(self, when: int) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm_at = when
        self._alarm = self._time.call_at(when, self._on_alarm)

    def _on_alarm(self) -> None:
        self._alarm = None
        due, callback = self._due, self._callback
        if due is None or callback is None:
            return
        if self._time.now() < due:
            self._arm(due)
            return
        self._due = self._callback = None
        callback()


class LoopTime:
    """The time of an event loop, and its lag.

    A tick is due every TICK_NS while somebody watches; how late it comes is how late an answer that arrived at that
    moment would have been noticed. The lag of a wait is the longest such delay in it, the overdue tick included.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._watchers = 0
        self._due = 0
        self._tick: asyncio.TimerHandle | None = None
        self._delays: deque[tuple[int, int]] = deque(maxlen=KEPT)

    def now(self) -> int:
        """Return the loop's time."""
        return time.monotonic_ns()

    def call_at(self, when: int, callback: Callable[[], object]) -> Alarm:
        """Call back in the loop at this time."""
        return self._loop.call_at(when / 1e9, callback)

    def watch(self) -> None:
        """Measure the lag until unwatch() was called as often as this."""
        self._watchers += 1
        if self._watchers == 1:
            self._schedule()

    def unwatch(self) -> None:
        """Stop measuring for one watcher."""
        self._watchers -= 1
        if self._watchers == 0 and self._tick is not None:
            self._tick.cancel()
            self._tick = None
            self._delays.clear()

    def lag_since(self, start: int) -> int:
        """Return the longest delay since start."""
        worst = 0
        if self._tick is not None:
            overdue = self.now() - max(self._due, start)
            if overdue > LATE_NS:
                worst = overdue
        for at, delay in reversed(self._delays):
            if at < start:
                break
            worst = max(worst, min(delay, at - start))
        return worst

    def _schedule(self) -> None:
        self._due = self.now() + TICK_NS
        self._tick = self._loop.call_at(self._due / 1e9, self._on_tick)

    def _on_tick(self) -> None:
        now = self.now()
        if now - self._due > LATE_NS:
            self._delays.append((now, now - self._due))
        self._schedule()
