"""What the platform costs around a match stays the same however many there are; nothing grows but the database.

Figures of the long mode stand in docs/operator.md: pytest -m long tests/load -s
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import psutil
import pytest
from databases import PostgresServer
from loading import Run, run
from sqlalchemy import text

from arena.services import tournaments
from arena.store import migrate, open_store, sqlite_url
from arena.store.states import TournamentState

WORKERS = 2
MANY_WORKERS = 4
"""For a large load: with a stub for playing, doorbells are what limits it, to some 16 matches a second and worker."""


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder with a path short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="load-") as folder:
        yield Path(folder)


def check(found: Run, url: str) -> None:
    """Nothing is lost, all is rated, and the queue of doorbells was bounded."""
    store = open_store(url)
    with store.read() as tx:
        states = dict(tx.execute(text("SELECT state, count(*) FROM matches GROUP BY state")).all())
        unfolded = tx.scalar(text("SELECT count(*) FROM matches WHERE NOT folded"))
        changes = tx.scalar(text("SELECT count(*) FROM rating_changes"))
        lost = tx.scalar(text("SELECT count(*) FROM attempts WHERE state <> 'DONE'"))
    assert states == {"FINAL": found.matches}
    assert (unfolded, changes, lost) == (0, 2 * found.matches, 0)
    assert {one.state for one in tournaments.list_tournaments(store).items} == {TournamentState.FINISHED}
    assert max(one.doorbells for one in found.samples) <= 2 * (found.workers + 1)  # a queue counts one worker at least
    store.close()


def tell(found: Run, *marks: int) -> None:
    """Print the figures for the operator's page."""
    names = found.samples[-1].cpu_s
    print(f"\n{found.matches} matches, scheduling {1000 * found.scheduled_s / found.matches:.2f} ms CPU each")
    for first, last in pairwise(marks):
        memory = ", ".join(f"{name} {found.memory_mb(name, first, last):.0f}" for name in names)
        cost, rate = found.cost_ms(first, last), found.rate(first, last)
        print(f"{first} .. {last}: {cost:.2f} ms CPU a match, {rate:.0f}/s, memory in MB: {memory}")


def test_a_small_load_is_played_to_its_end_with_a_bounded_queue(place: Path) -> None:
    url = sqlite_url(place)
    migrate(url)
    found = run(url, place, bots=8, wanted=80, workers=WORKERS, others=dict, every_s=0.1, limit_s=120)
    check(found, url)


@pytest.mark.long
@pytest.mark.timeout(7200)
@pytest.mark.parametrize(("kind", "wanted"), [("sqlite", 100_000), ("postgresql", 10_000)])
def test_a_match_costs_the_same_at_the_end_of_a_large_load(place: Path, kind: str, wanted: int) -> None:
    server = PostgresServer() if kind == "postgresql" else None
    try:
        if server is None:
            url, others = sqlite_url(place), dict
            migrate(url)
        else:
            url, others = server.new_url(), _backends
        found = run(url, place, bots=1000, wanted=wanted, workers=MANY_WORKERS, others=others, every_s=1, limit_s=7000)
        check(found, url)
    finally:
        if server is not None:
            server.stop()
    marks = [mark for mark in (100, 1000, 9000, 10_000, 50_000, 99_000, 100_000) if mark <= wanted]
    tell(found, *marks)
    early, late = found.cost_ms(100, 1000), found.cost_ms(wanted - 1000, wanted)
    assert late < 1.5 * early
    for process in found.samples[-1].memory_mb:
        if process != "server":
            grown = found.memory_mb(process, wanted - 1000, wanted) - found.memory_mb(process, 100, 1000)
            assert grown < 32, f"{process} grew by {grown:.0f} MB"


def _backends() -> dict[str, psutil.Process]:
    """The processes of the database server, which come and go with their connections."""
    return {}
