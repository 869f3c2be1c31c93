"""One seeded arena behind a real web server, and one browser, for all tests of a file."""

from collections.abc import Iterator

import pytest
from chromium import browsing
from databases import SqliteTemplate
from playwright.sync_api import Browser
from webbing import Web, serving
from webseason import Season, season

from arena.store import open_store
from arena.web.site import Site


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory) -> SqliteTemplate:
    return SqliteTemplate(tmp_path_factory.mktemp("template"))


@pytest.fixture(scope="module")
def played(sqlite_template, tmp_path_factory) -> Iterator[Season]:
    store = open_store(sqlite_template.new_url(tmp_path_factory.mktemp("web")))
    yield season(store)
    store.close()


@pytest.fixture(scope="module")
def web(played) -> Iterator[Web]:
    with serving(Site(played.world.store, now=lambda: played.world.now, key=bytes(32))) as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as made:
        yield made
