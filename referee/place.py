"""One seat of a hosted match as the referee keeps it: its stream, its clock, how it came to its end."""

from __future__ import annotations

from dataclasses import dataclass, field

from arena.core import Seat
from arena.match.clock import Bank
from arena.match.result import SeatEnd
from referee.ports import Brake, Link
from referee.timekeeper import Alarm


@dataclass(slots=True)
class Place:
    """What the referee knows of one seat.

    link: its stream while there is one. opened: streams accepted so far. bank: None without a clock. answered: whether
    an answer of it has counted. end: how it failed, None while it plays; note says it in a line for its author.
    exited: what was reported of its process' end. exit_alarm: ends the wait for what the process had sent before.
    brake: what stops its program, None for one that runs all the time. ignored: answers without effect since its last
    turn. think_ms, charged_ms: one entry per asked turn.
    """

    seat: Seat
    bank: Bank | None
    link: Link | None = None
    opened: int = 0
    answered: bool = False
    end: SeatEnd | None = None
    note: str = ""
    exited: str = ""
    exit_alarm: Alarm | None = None
    brake: Brake | None = None
    ignored: int = 0
    think_ms: list[int] = field(default_factory=list)
    charged_ms: list[int] = field(default_factory=list)

    @property
    def present(self) -> bool:
        """Whether the start need not wait for it: it has connected once, or failed."""
        return self.opened > 0 or self.end is not None

    def bank_ms(self, waited_ms: int, margin_ms: int) -> int:
        """Return what is left of the bank after waiting so long for the current answer; 0 without a clock."""
        if self.bank is None:
            return 0
        spent = max(0, waited_ms - margin_ms) if self.answered else 0
        return max(0, self.bank.remaining_ms - spent)
