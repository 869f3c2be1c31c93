"""What sandboxes show of this machine."""

from __future__ import annotations

import sys
from importlib.util import cache_from_source
from pathlib import Path

import pytest

from arena.hosting.mounts import standard_view


def test_what_bots_import_of_the_arena_is_compiled_before_a_sandbox_shows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    standard_view.cache_clear()
    shown = {mount.dest: mount.source for mount in standard_view().mounts}
    sdk = shown[Path("/whiteout/lib/bots/sdk")]
    assert all(Path(cache_from_source(source)).is_file() for source in sdk.glob("*.py"))


def test_python_finds_every_folder_of_packages_that_the_sdk_needs() -> None:
    view = standard_view()
    folders = [view.inside(Path(path).resolve()) for path in sys.path if Path(path, "grpc").is_dir()]
    assert set(folders[:1]) <= set(view.python_path)
    assert folders
