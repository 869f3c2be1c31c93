import pytest

from arena.store import migrate, open_store, sqlite_url


@pytest.fixture
def url(tmp_path):
    return sqlite_url(tmp_path)


@pytest.fixture
def store(url):
    migrate(url)
    opened = open_store(url)
    yield opened
    opened.close()
