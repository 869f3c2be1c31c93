"""A TypeScript bot as `arena new` makes it, installed and built; the packages are kept on this machine."""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from arena.cli.main import run

ROOT = Path(__file__).parents[2]
CACHE = ROOT / "build" / "typescript"
TEMPLATE = ROOT / "bots" / "templates" / "typescript"


def typescript_bot(into: Path, game: str, source: str = "") -> Path:
    """Make a built bot at this path; source: the text of src/bot.ts, as the template has it if empty.

    What npm installs is taken from a folder that is filled once: the packages are the same for every bot.
    """
    if shutil.which("npm") is None:
        pytest.fail("this test needs Node 18 or newer with npm: apt-get install nodejs npm")
    assert run(["new", str(into), "--game", game, "--language", "typescript"]) == 0
    (into / "node_modules").symlink_to(_packages(into / "package.json") / "node_modules")
    if source:
        (into / "src" / "bot.ts").write_text(source)
    _npm(into, "run", "--silent", "build")
    (into / "node_modules").unlink()
    return into


def type_complaint(built: Path, into: Path, source: str) -> str:
    """Return what the type checker says of a bot like the built one with another src/bot.ts."""
    shutil.copytree(built, into, ignore=shutil.ignore_patterns("node_modules"))
    packages = _packages(into / "package.json") / "node_modules"
    (into / "node_modules").symlink_to(packages)
    (into / "src" / "bot.ts").write_text(source)
    checker = ["node", str(packages / "typescript" / "bin" / "tsc"), "--noEmit"]
    return subprocess.run(checker, cwd=into, capture_output=True, text=True, timeout=150, check=False).stdout


def _packages(manifest: Path) -> Path:
    key = hashlib.sha256((TEMPLATE / "package.json.tmpl").read_bytes()).hexdigest()[:16]
    kept = CACHE / key
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            with tempfile.TemporaryDirectory(dir=CACHE) as fresh:
                shutil.copy(manifest, fresh)
                _npm(Path(fresh), "install", "--no-audit", "--no-fund", "--loglevel=error")
                shutil.copytree(fresh, kept, symlinks=True)
    return kept


def _npm(folder: Path, *words: str) -> None:
    done = subprocess.run(["npm", *words], cwd=folder, capture_output=True, text=True, timeout=150, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
