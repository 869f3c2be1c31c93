"""A database with rows from before a migration keeps them, and they mean the same after it."""

from datetime import UTC, datetime

import pytest
from alembic import command
from sqlalchemy import text

from arena.services import tournaments
from arena.store import engine, migrate, open_store
from arena.store.states import Format

OLD = "0001"
NOW = datetime(2030, 1, 2, tzinfo=UTC)

ROWS = (
    "INSERT INTO accounts (id, name, role, created_at) VALUES (1, 'admin', 'ADMIN', :now)",
    (
        "INSERT INTO pools (id, game, variant, seats, rules_version, components_digest, remote, draw_probability,"
        " next_seq) VALUES (1, 'first-snow', 'standard', 2, 1, 'digest', FALSE, 0.1, 1)"
    ),
    (
        "INSERT INTO tournaments (id, name, organiser_id, state, pool_id, deals, clock, custom_components, secret,"
        " commitment, created_at) VALUES (1, 'cup', 1, 'CREATED', 1, 2, 'none', FALSE, :secret, 'commitment', :now)"
    ),
    (
        "INSERT INTO blocks (id, tournament_id, ordinal, queue, state, attempt, lost, not_before)"
        " VALUES (1, 1, 0, 'HOSTED', 'QUEUED', 0, 0, :now)"
    ),
)


@pytest.fixture
def old_url(tmp_path) -> str:
    """A database as the first version made it, with a tournament in it."""
    url = f"sqlite:///{tmp_path / 'old.db'}"
    store = engine.Store(engine._engine(url))
    with store.write() as tx:
        config = engine._config()
        config.attributes["connection"] = tx
        command.upgrade(config, OLD)
        for row in ROWS:
            tx.execute(text(row), {"now": NOW.replace(tzinfo=None), "secret": bytes(16)})
    store.close()
    return url


def test_a_tournament_from_before_the_formats_is_a_rated_round_robin(old_url):
    migrate(old_url)
    store = open_store(old_url)
    found = tournaments.get(store, "cup")
    assert (found.format, found.rated, found.deals) == (Format.ROUND_ROBIN, True, 2)
    with store.read() as tx:
        assert tx.scalar(text("SELECT lane FROM blocks")) == "TOURNAMENT"
    store.close()
