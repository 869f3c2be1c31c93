"""What a live match talks to: the stream of a bot, its program's brake, and whoever follows the match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from arena.core import Seat
from referee.refusal import Refusal


class Link(Protocol):
    """The stream to a bot, seen from its match; nothing here waits."""

    def send(self, message: bytes) -> None:
        """Hand a message over; it is dropped if the stream is ending."""

    def finish(self) -> None:
        """End the stream in order, after what was handed over (for as long as the bot reads it)."""

    def refuse(self, refusal: Refusal) -> None:
        """End the stream with a refusal, after what was handed over."""


class Brake(Protocol):
    """What stops a seat's program while it is not to move. Nothing here waits or raises; the program may be gone."""

    def stop(self) -> None:
        """Let nothing of the program run."""

    def go(self) -> None:
        """Let it run."""

    def close(self) -> None:
        """Let go of it, running or not; to be done once."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a match stands: ply, acting seat (None: gathering, or over), ms to its deadline (0: none).

    banks: what each seat has left in ms, empty without a clock.
    """

    ply: int
    seat: Seat | None
    deadline_ms: int
    banks: tuple[int, ...] = ()


class Watcher(Protocol):
    """Whoever follows a match."""

    def moved(self) -> None:
        """progress() has something new."""

    def over(self) -> None:
        """The match has ended or was stopped."""
