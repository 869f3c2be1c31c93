"""What sandboxes show of this machine."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import cache_from_source
from pathlib import Path

import pytest

from arena.hosting.mounts import LIBRARY, SITE, Mount, standard_view


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The one package of the arena's that a sandbox shows, its one module not compiled."""
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / "module.py").write_text("answer = 42\n")
    monkeypatch.setattr("arena.hosting.mounts._project_packages", lambda: [Mount(folder, LIBRARY / "package")])
    standard_view.cache_clear()
    yield folder
    standard_view.cache_clear()


@pytest.mark.parametrize("writes", [True, False])
def test_what_bots_import_of_the_arena_is_compiled_where_this_process_writes_bytecode(
    package: Path, monkeypatch: pytest.MonkeyPatch, writes: bool
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", not writes)
    assert package in {mount.source for mount in standard_view().mounts}
    assert Path(cache_from_source(package / "module.py")).is_file() is writes


def test_a_package_that_cannot_be_compiled_or_written_to_is_shown_as_it_is(
    package: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (package / "broken.py").write_text("def\n")
    (package / "__pycache__").touch()
    assert package in {mount.source for mount in standard_view().mounts}
    assert capfd.readouterr() == ("", "")


def test_packages_that_are_visible_where_they_are_get_no_mount_but_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    (folder, *_) = [path for path in map(Path, sys.path) if (path / "grpc").is_dir()]
    assert SITE / "0" in standard_view().python_path
    monkeypatch.setattr("arena.hosting.mounts._SYSTEM_FOLDERS", (str(folder.resolve()),))
    standard_view.cache_clear()
    try:
        view = standard_view()
    finally:
        standard_view.cache_clear()
    assert folder.resolve() in view.python_path
    assert not any(mount.dest.is_relative_to(SITE) for mount in view.mounts)
