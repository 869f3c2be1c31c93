"""What sandboxes show of this machine."""

from __future__ import annotations

import sys
from importlib.util import cache_from_source
from pathlib import Path

import pytest

from arena.hosting.mounts import SITE, standard_view


def test_what_bots_import_of_the_arena_is_compiled_before_a_sandbox_shows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    standard_view.cache_clear()
    shown = {mount.dest: mount.source for mount in standard_view().mounts}
    sdk = shown[Path("/whiteout/lib/bots/sdk")]
    assert all(Path(cache_from_source(source)).is_file() for source in sdk.glob("*.py"))


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
