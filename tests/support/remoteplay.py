"""Matches with remote seats that a slot of the test's own plays, and what is done to them meanwhile."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from remotely import WAITS, Remotely, until

from arena.match.result import MatchEnd, SeatEnd
from arena.store.states import Queue
from worker.slot import Slot

WHOLE = (MatchEnd.COMPLETED, (SeatEnd.PLAYED, SeatEnd.PLAYED))
"""How two seats end that nothing happened to."""


class Pause:
    """A bot's wait in the middle of its match. source: of the bot."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.source = WAITS.format(folder=str(folder))

    def reached(self, times: int = 1) -> None:
        """Return once so many bots wait."""
        until(lambda: len(list(self.folder.glob("waits-*"))) >= times, "the third turn")

    def end(self) -> None:
        """Let them go on."""
        (self.folder / "go").touch()


def play(arena: Remotely, slot: Slot, act: Callable[[], None] = lambda: None) -> None:
    """Have the next block played, and do something meanwhile."""
    arena.wait_until_playable()
    with _meanwhile(act):
        assert slot.play_next(Queue.REMOTE)


def ends(arena: Remotely, match_id: int) -> tuple[MatchEnd | None, tuple[SeatEnd | None, ...]]:
    """Return how a match and its seats ended."""
    found = arena.match(match_id)
    return found.end, tuple(seat.end for seat in found.seats)


def free_port() -> int:
    """Return a port that nobody uses at the moment."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


@contextmanager
def _meanwhile(act: Callable[[], None]) -> Iterator[None]:
    """Do something in a thread while the block runs; what fails there fails here."""
    failed: list[BaseException] = []

    def run() -> None:
        try:
            act()
        except BaseException as error:  # noqa: BLE001 - raised below
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        thread.join(60)
    assert not failed, failed
