"""One arena for all tests of a file, and a slot that plays matches with remote seats through a line that can be cut."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from databases import SqliteTemplate
from remotely import Remotely, now
from remoteplay import Pause

from arena.hosting.referee import PublicDoor
from worker.public import Public
from worker.slot import Slot


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Remotely]:
    template = SqliteTemplate(tmp_path_factory.mktemp("template"))
    with tempfile.TemporaryDirectory(prefix="remote-") as folder:  # short: sockets lie below it
        made = Remotely(template.new_url(Path(folder)), Path(folder))
        yield made
        made.close()


@pytest.fixture(scope="module")
def slot(arena: Remotely) -> Iterator[Slot]:
    public = Public(PublicDoor("127.0.0.1:0"), only=True)
    made = Slot(arena.store, "here:1", now, public=public)
    yield made
    made.close()


@pytest.fixture
def pause(tmp_path: Path) -> Pause:
    return Pause(tmp_path)
