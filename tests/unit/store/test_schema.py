"""Models and migrations agree, and the statements that run most are answered from indexes."""

from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine, inspect, text

from arena.store.tables import METADATA


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
    assert len(found) == 12


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
