"""A PostgreSQL server that was started anew: whoever asks it next finds a connection that answers."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from databases import PostgresServer

from arena.core.errors import Unavailable
from arena.store import Store, engine, open_store


@pytest.fixture
def url(postgres: PostgresServer) -> str:
    return postgres.new_url()


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    opened = open_store(url)
    yield opened
    opened.close()


def end_all_connections(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        ours = (
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = 'arena'"
        )
        connection.execute(ours)


def test_a_connection_that_rested_is_replaced_unseen(url: str, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_IDLE_S", 0.0)
    store.check()
    end_all_connections(url)
    store.check()


def test_one_that_was_in_use_a_moment_ago_costs_one_failure(url: str, store: Store) -> None:
    store.check()
    end_all_connections(url)
    with pytest.raises(Unavailable, match="the database cannot be used"):
        store.check()
    store.check()
