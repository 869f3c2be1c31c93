import pytest
from databases import quick

from arena.store import migrate, open_store


@pytest.fixture
def url(tmp_path):
    return quick(tmp_path)


@pytest.fixture
def store(url):
    migrate(url)
    opened = open_store(url)
    yield opened
    opened.close()
