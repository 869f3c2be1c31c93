"""What a match costs the database does not grow with what is stored: counted in SQLite's own steps, not in time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest
from databases import SqliteTemplate
from filled import MATCHES, TOURNAMENTS, fill
from playing import World, finished
from steps import counted

from arena.services import dispatch, presence, results, tournaments
from arena.services.results import Recording
from arena.store import Store, open_store

NOW = datetime(2030, 1, 2, 12, tzinfo=UTC)
BLOCKS = 8


@pytest.fixture(scope="module")
def stores(tmp_path_factory) -> Iterator[dict[str, Store]]:
    """An arena with a hundred matches, and one with ten thousand; as many wait in both."""
    template = SqliteTemplate(tmp_path_factory.mktemp("template"))
    new = World(open_store(template.new_url(tmp_path_factory.mktemp("new"))), NOW)
    new.started("cup", *(f"bot-{number}" for number in range(8)), clock="none")
    long_filled = World(open_store(template.new_url(tmp_path_factory.mktemp("filled"))), NOW)
    fill(long_filled.store, NOW)
    opened = {"new": new.store, "filled": long_filled.store}
    yield opened
    for store in opened.values():
        store.close()


def play_blocks(store: Store) -> None:
    """Claim, beat and record, as a worker does."""
    for number in range(BLOCKS):
        claim = dispatch.claim(store, f"w{number}", NOW)
        assert claim is not None
        for leg in claim.legs:
            progress = dispatch.LegProgress(leg.match_id, 1, None)
            dispatch.heartbeat(store, claim.block_id, claim.attempt, NOW, progress)
            recording = Recording(claim.block_id, claim.attempt, leg.match_id, finished(1, 2), f"{leg.match_id}\n")
            results.record(store, recording, NOW)


def look_around(store: Store) -> None:
    """Look at the queue, as the dispatcher does."""
    dispatch.count_queued(store, NOW, most=4)
    dispatch.expire(store, NOW)
    presence.standing(store, NOW)


@pytest.mark.parametrize("work", [play_blocks, look_around])
def test_work_costs_the_database_no_more_when_a_hundred_times_as_much_is_stored(
    stores: dict[str, Store], work: Callable[[Store], None]
) -> None:
    assert MATCHES == 10_000
    cost = {}
    for name, store in stores.items():
        with counted(store) as steps:
            work(store)
        cost[name] = steps.count
    assert cost["filled"] < 1.5 * cost["new"] + 600, cost


def test_watching_a_tournament_costs_what_it_has_and_not_what_the_arena_has(stores: dict[str, Store]) -> None:
    with counted(stores["filled"]) as steps:
        tournaments.progress(stores["filled"], f"cup-{TOURNAMENTS - 1}", NOW)
    assert steps.count < 8_000
