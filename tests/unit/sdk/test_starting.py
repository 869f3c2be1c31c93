"""What a hosted bot finds imported when its script begins, and what its start does without."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.hosting.sandbox import sdk_command

NEEDLESS = {
    "bz2", "ctypes", "email", "html", "http", "importlib.metadata", "importlib.resources", "ipaddress", "json", "lzma",
    "multiprocessing", "numpy", "pathlib", "runpy", "shutil", "tempfile", "unittest", "urllib", "xml",
    "concurrent.futures.process", "concurrent.futures.thread", "google.protobuf.json_format",
    "arena.core.manifest", "arena.games.first_snow.picture", "arena.games.first_snow.render",
    "bots.sdk.bridge", "bots.sdk.jsonlines",
}  # fmt: skip
"""Modules that cost something and that no bot needs in a match."""


def started(source: str, folder: Path, *arguments: str) -> str:
    """Return what a script prints that is started as in a sandbox."""
    (folder / "bot.py").write_text(source)
    path = [entry for entry in sys.path if entry]
    command = [sys.executable, *sdk_command("starting")[1:], "bot.py", *arguments]
    environment = {"PATH": os.defpath, "PYTHONPATH": os.pathsep.join(path)}
    return subprocess.run(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True
    ).stdout


def test_no_module_is_imported_that_a_match_does_without(tmp_path: Path) -> None:
    source = """
import sys
from arena.core.registry import load_game
load_game("first-snow").components(None, "")
print(*sys.modules)
"""
    imported = set(started(source, tmp_path).split())
    assert {"bots.sdk.client", "grpc.aio", "arena.games.first_snow"} <= imported
    assert imported & NEEDLESS == set()


@pytest.mark.parametrize(
    ("expression", "printed"),
    [
        ("gc.isenabled(), gc.get_freeze_count() > 10_000", "True True"),
        ("sys.argv, __name__", "['bot.py', 'word'] __main__"),
        ("sys.path[0] == os.getcwd(), [name for name in os.environ if name.startswith('GRPC')]", "True []"),
        ("(lambda: 0).__globals__['__builtins__'] is __import__('builtins')", "True"),
        ("exit, quit", "Use exit() or Ctrl-D (i.e. EOF) to exit Use quit() or Ctrl-D (i.e. EOF) to exit"),
    ],
)
def test_a_script_finds_an_interpreter_as_it_would_be_without_the_imports(
    tmp_path: Path, expression: str, printed: str
) -> None:
    assert started(f"import gc, os, sys\nprint({expression})", tmp_path, "word") == f"{printed}\n"


def test_a_script_has_nothing_from_the_future_that_it_did_not_import(tmp_path: Path) -> None:
    assert started("def of(number: int): ...\nprint(of.__annotations__)", tmp_path) == "{'number': <class 'int'>}\n"


def test_a_script_that_is_a_link_finds_what_lies_beside_the_file_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "beside.py").touch()
    (tmp_path / "bot.py").symlink_to("parts/bot.py")
    assert started("import beside\nprint(beside.__name__)", tmp_path) == "beside\n"
