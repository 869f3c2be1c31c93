"""Models and migrations agree, and the statements that run most are answered from indexes."""

from datetime import UTC, datetime

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from playing import World
from sqlalchemy import create_engine, event, inspect, text

from arena.store import bots, matches, obstacles, qualifying, queue, ratings, requests, tournaments
from arena.store.states import Lane, MatchState, Queue, TournamentState
from arena.store.tables import METADATA

NOW = datetime(2030, 1, 2, tzinfo=UTC)


def test_the_migrations_make_the_tables_of_the_models(store):
    with store.read() as tx:
        assert compare_metadata(MigrationContext.configure(tx, opts={"compare_type": True}), METADATA) == []


def test_the_migrations_make_the_checks_of_the_models(store, tmp_path):
    engine = create_engine(f"sqlite:///{tmp_path}/models.db")
    METADATA.create_all(engine)

    def checks(inspector):
        return {
            (table, check["name"], check["sqltext"])
            for table in METADATA.tables
            for check in inspector.get_check_constraints(table)
        }

    with store.read() as tx, engine.connect() as models:
        found = checks(inspect(tx))
        assert found == checks(inspect(models))
    engine.dispose()
    assert len(found) == 11


LISTINGS = {
    "bots": lambda tx: bots.page_bots(tx, "", 0, ""),
    "versions": lambda tx: bots.page_versions(tx, "ada", 0, ""),
    "tournaments": lambda tx: tournaments.page_tournaments(tx, None, 0, ""),
    "tournaments of a state": lambda tx: tournaments.page_tournaments(tx, TournamentState.RUNNING, 0, ""),
    "deals": lambda tx: tournaments.page_deals(tx, 1, 0, ""),
    "counts": lambda tx: tournaments.count_matches(tx, 1),
    "matches": lambda tx: matches.page_matches(tx, matches.MatchFilter(), 0, ""),
    "matches of a tournament": lambda tx: matches.page_matches(tx, matches.MatchFilter(tournament="cup"), 0, ""),
    "matches of a bot": lambda tx: matches.page_matches(tx, matches.MatchFilter(bot="ada"), 0, ""),
    "matches of a game": lambda tx: matches.page_matches(tx, matches.MatchFilter(game="first-snow"), 0, ""),
    "matches of a state": lambda tx: matches.page_matches(tx, matches.MatchFilter(state=MatchState.FINAL), 0, ""),
    "running matches": lambda tx: matches.page_matches(tx, matches.MatchFilter(running=True), 0, ""),
    "leaderboard": lambda tx: ratings.page_leaderboard(tx, 1, 0, ""),
    "history": lambda tx: ratings.page_changes(tx, "ada", version=0, pool_id=0, page_size=0, page_token=""),
    "history of a version": lambda tx: ratings.page_changes(
        tx, "ada", version=1, pool_id=0, page_size=0, page_token=""
    ),
    "qualification matches": lambda tx: qualifying.list_qualifications(tx, 1),
    "what a tournament decides": lambda tx: qualifying.decided_version(tx, 1),
    "versions being checked": lambda tx: qualifying.count_checking(tx, 1),
    "queue length": lambda tx: queue.count_queued(tx, Queue.HOSTED, NOW),
    "claim": lambda tx: queue.claim_block(tx, Queue.HOSTED, Lane.TOURNAMENT, "w", now=NOW, lease_until=NOW),
    "pools played in": queue.list_played_pools,
    "last heard of": obstacles.last_heard,
    "lost blocks": lambda tx: obstacles.list_lost(tx, 1, 3),
    "aborted matches": lambda tx: obstacles.list_aborted(tx, 1, 3),
    "waiting since": lambda tx: obstacles.waiting_since(tx, 1),
    "open requests": lambda tx: requests.count_open(tx, 1),
    "heartbeat": lambda tx: queue.touch_attempt(tx, 1, 1, NOW, NOW),
    "expiry": lambda tx: queue.find_dead(tx, NOW, NOW, 10),
    "next to fold": lambda tx: ratings.next_unfolded(tx, 1, 1),
}


@pytest.mark.parametrize("name", LISTINGS)
def test_no_listing_sorts_or_scans_a_table_without_an_index(store, name):
    World(store).started("cup", "ada", "bert")
    statements = []

    def note(*call):
        statements.append(call[2:4])

    with store.write() as tx:
        event.listen(tx, "before_cursor_execute", note)
        LISTINGS[name](tx)
        event.remove(tx, "before_cursor_execute", note)
        plans = [
            row[3]
            for statement, parameters in statements
            for row in tx.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
        ]
    assert plans
    scans = [line for line in plans if line.startswith("SCAN") and "USING" not in line]
    # A scan by key order that stops after one page is what a listing of everything is.
    in_key_order = {"SCAN tournaments", "SCAN matches"} if name in {"tournaments", "matches"} else set()
    assert [line for line in scans if line not in in_key_order] == []
    sorts = [line for line in plans if "TEMP B-TREE FOR ORDER BY" in line]
    assert sorts == []


def test_the_claim_and_the_fold_use_their_partial_indexes(store):
    with store.read() as tx:
        for index, table, condition in (
            ("ix_blocks_queued", "blocks", "state = 'QUEUED' AND queue = 'HOSTED' AND lane = 'LADDER' ORDER BY id"),
            (
                "ix_match_seats_unfolded",
                "match_seats",
                "NOT folded AND rating_seq IS NOT NULL AND pool_id = 1 AND version_id = 1 ORDER BY rating_seq",
            ),
        ):
            statement = f"SELECT 1 FROM {table} WHERE {condition} LIMIT 1"  # noqa: S608 - both are written above
            plan = tx.execute(text(f"EXPLAIN QUERY PLAN {statement}")).all()
            assert index in plan[0][3]
