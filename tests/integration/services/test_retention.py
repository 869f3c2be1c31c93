"""Pruning takes logs and outputs of matches long over, and never what something still needs."""

from __future__ import annotations

from datetime import timedelta

import pytest
from playing import older_wins
from sqlalchemy import select

from arena.core.errors import NotFound, UsageError
from arena.services import matches, retention, tournaments
from arena.store.tables import rating_changes, ratings

MONTH = timedelta(days=30)


def prune(world, **which):
    return retention.prune(world.store, world.now, MONTH, **{"logs": True, "outputs": True, **which})


def rated(world):
    with world.store.read() as tx:
        return [tx.execute(select(table)).all() for table in (ratings, rating_changes)]


def test_old_logs_and_outputs_go_and_everything_else_stays(world) -> None:
    world.started("cup", "ada", "bert")
    world.play_all()
    before, table = (
        [matches.get_match(world.store, number) for number in (1, 2)],
        tournaments.standings(world.store, "cup"),
    )
    numbers = rated(world)
    world.wait(days=31)
    rehearsed = prune(world, rehearse=True)
    assert matches.get_log(world.store, 1).content == b"log of 1\n"
    found = prune(world)
    assert found == rehearsed
    assert (found.logs, found.outputs) == (2, 4)
    assert found.size_bytes > 0
    with pytest.raises(NotFound) as refused:
        matches.get_log(world.store, 1)
    assert refused.value.code == "LOG_PRUNED"
    record = matches.get_seat_record(world.store, world.admin, 1, 0)
    assert record.output.output == matches.PRUNED
    assert record.times.think_ms == (3, 5)
    assert [matches.get_match(world.store, number) for number in (1, 2)] == before  # with the log's sha256
    assert (tournaments.standings(world.store, "cup"), rated(world)) == (table, numbers)
    assert prune(world).logs == prune(world).outputs == 0


def test_young_matches_running_tournaments_and_closed_deals_keep_all(world) -> None:
    world.started("cup", "ada", "bert", "cleo", deals=2)
    for _ in range(4):  # the first deal and a block of the second
        claim = world.claim()
        for leg in claim.legs:
            world.record_whole(claim, leg, older_wins(leg))
    world.wait(days=31)
    assert prune(world).logs == 0
    world.play_all()
    assert prune(world).logs == 6  # those of the first deal: the second was opened just now
    world.wait(days=31)
    assert prune(world).logs == 6


def test_each_kind_can_be_kept_and_nothing_at_all_is_no_wish(world) -> None:
    world.started("cup", "ada", "bert")
    world.play_all()
    world.wait(days=31)
    assert prune(world, logs=False).outputs == 4
    assert matches.get_log(world.store, 1).content == b"log of 1\n"
    assert prune(world, outputs=False).logs == 2
    with pytest.raises(UsageError):
        prune(world, logs=False, outputs=False)


def test_a_pruned_match_is_not_played_again_for_a_comparison(world) -> None:
    from arena.services import requests

    world.started("cup", "ada", "bert")
    world.play_all()
    world.wait(days=31)
    prune(world)
    with pytest.raises(NotFound, match="no log"):
        requests.reproduce(world.store, world.admin, world.now, match_id=1)
