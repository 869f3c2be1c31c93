"""The clock of a match: its notation, and what is left in each seat's bank."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from arena.core.component_file import shown
from arena.core.errors import BadClock

_DURATION: Final = re.compile(r"([0-9]{1,10}(?:\.[0-9]{1,10})?)(ms|s|m)")
_UNIT_MS: Final = {"ms": 1, "s": 1000, "m": 60_000}
_LIMIT_MS: Final = 2**31 - 1
_WAY_OUT: Final = "write it like 10s+0.1s,start=10s,margin=50ms, or none"

DEFAULT_START_MS: Final = 10_000
DEFAULT_MARGIN_MS: Final = 50


@dataclass(frozen=True, slots=True)
class Clock:
    """Time limits of every seat, in milliseconds.

    bank_ms: for all moves together. increment_ms: added after every move but the first. start_ms: limit for
    connecting, and again for the first answer, which costs the bank nothing. margin_ms: free of charge in every move.
    """

    bank_ms: int
    increment_ms: int
    start_ms: int = DEFAULT_START_MS
    margin_ms: int = DEFAULT_MARGIN_MS

    @classmethod
    def parse(cls, text: str) -> Clock | None:
        """Read the notation BANK+INCREMENT[,start=T][,margin=T]; "none" is no clock. Raises BadClock."""
        if text == "none":
            return None
        main, *options = text.split(",")
        bank, plus, increment = main.partition("+")
        values = {"start": DEFAULT_START_MS, "margin": DEFAULT_MARGIN_MS}
        seen: set[str] = set()
        for option in options:
            name, _, value = option.partition("=")
            if name not in values or name in seen:
                raise BadClock(
                    f"clock {shown(text)}: {shown(option)} is not start=T or margin=T given once; {_WAY_OUT}"
                )
            seen.add(name)
            values[name] = _milliseconds(value, text)
        if not plus:
            raise BadClock(f"clock {shown(text)} has no increment; {_WAY_OUT}")
        return cls(_milliseconds(bank, text), _milliseconds(increment, text), values["start"], values["margin"])

    def __str__(self) -> str:
        main = f"{_duration(self.bank_ms)}+{_duration(self.increment_ms)}"
        return f"{main},start={_duration(self.start_ms)},margin={_duration(self.margin_ms)}"


def clock_text(clock: Clock | None) -> str:
    """Return the notation of a clock; "none" for no clock."""
    return "none" if clock is None else str(clock)


class Bank:
    """What one seat has left; the caller measures, the bank counts.

    flagged: a move took longer than the seat had; the seat is lost and the bank changes no more.
    """

    __slots__ = ("_clock", "_started", "flagged", "remaining_ms")

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._started = False
        self.remaining_ms = clock.bank_ms
        self.flagged = False

    @property
    def deadline_ms(self) -> int:
        """How long to wait for the next answer: the first whole millisecond, free of delay, that is too late."""
        allowed = self.remaining_ms if self._started else self._clock.start_ms
        return allowed + self._clock.margin_ms + 1

    def charge(self, elapsed_ms: int, lag_ms: int = 0) -> int:
        """Count one answer and return what it cost, in ms.

        elapsed_ms: from sending the turn to the answer. lag_ms: the part of it that was the measurer's own delay. Costs
        elapsed - lag - margin, never below 0. The bank may reach 0 and is flagged below; the increment comes after.
        """
        return self.spend(max(0, elapsed_ms - lag_ms - self._clock.margin_ms))

    def spend(self, cost_ms: int) -> int:
        """Count one answer that costs this much and return what is charged: 0 for a first answer in time."""
        if not self._started:
            self.flagged = cost_ms > self._clock.start_ms
            self._started = True
            return cost_ms if self.flagged else 0
        self.remaining_ms -= cost_ms
        self.flagged = self.remaining_ms < 0
        if not self.flagged:
            self.remaining_ms = min(self.remaining_ms + self._clock.increment_ms, _LIMIT_MS)
        return cost_ms


def _milliseconds(text: str, clock: str) -> int:
    match = _DURATION.fullmatch(text)
    if match is None:
        raise BadClock(f"clock {shown(clock)}: {shown(text)} is no duration like 10s, 0.1s or 50ms; {_WAY_OUT}")
    number, unit = match.groups()
    whole, _, fraction = number.partition(".")
    scale = int("1" + "0" * len(fraction))
    value, rest = divmod(int(whole + fraction) * _UNIT_MS[unit], scale)
    if rest or value > _LIMIT_MS:
        raise BadClock(f"clock {shown(clock)}: {shown(text)} is not a whole number of milliseconds up to {_LIMIT_MS}ms")
    return value


def _duration(ms: int) -> str:
    if ms % 100:
        return f"{ms}ms"
    return f"{ms // 1000}s" if ms % 1000 == 0 else f"{ms // 1000}.{ms % 1000 // 100}s"
