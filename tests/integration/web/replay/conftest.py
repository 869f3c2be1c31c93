"""One store with finished matches of every kind behind a web server, for all tests of replays."""

from collections.abc import Iterator

import pytest
from screenplay import Stage, stage
from webbing import Web, serving, window

from arena.store import open_store
from arena.web.site import Site


@pytest.fixture(scope="package")
def matches(sqlite_template, tmp_path_factory) -> Iterator[Stage]:
    store = open_store(sqlite_template.new_url(tmp_path_factory.mktemp("replays")))
    yield stage(store)
    store.close()


@pytest.fixture(scope="package")
def web(matches) -> Iterator[Web]:
    with serving(Site(matches.world.store, now=lambda: matches.world.now, key=bytes(32))) as running:
        yield running


@pytest.fixture
def desk(browser, web):
    """A page at a desk that notes what goes wrong in it."""
    with window(browser, web) as context:
        page = context.new_page()
        faults = []
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        page.on("console", lambda told: faults.append(told.text) if told.type == "error" else None)
        yield page
        assert not faults
