"""A fresh, migrated store for every test, on SQLite and on PostgreSQL."""

from collections.abc import Iterator

import pytest
from databases import PostgresServer, SqliteTemplate
from lobbying import Hall
from playing import World

from arena.services import requests
from arena.services.requests import Requested
from arena.store import Store, open_store


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory) -> SqliteTemplate:
    return SqliteTemplate(tmp_path_factory.mktemp("template"))


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    server = PostgresServer()
    yield server
    server.stop()


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path, sqlite_template) -> str:
    if request.param == "sqlite":
        return sqlite_template.new_url(tmp_path)
    return request.getfixturevalue("postgres").new_url()


@pytest.fixture
def store(url) -> Iterator[Store]:
    opened = open_store(url)
    yield opened
    opened.close()


@pytest.fixture
def world(store) -> World:
    return World(store)


@pytest.fixture
def hall(world) -> Hall:
    return Hall(world)


@pytest.fixture
def challenge(world, hall) -> Requested:
    """A challenge of a remote bot "far" to a hosted bot "near": two matches are queued."""
    hall.register("far")
    world.submit("near")
    return requests.challenge(world.store, world.admin, world.now, challenged=(("far", 0), ("near", 0)))
