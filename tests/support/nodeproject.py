"""A TypeScript bot as `arena new` makes it, installed and built; the packages are kept on this machine."""

from __future__ import annotations

import contextlib
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

    What npm installs is taken from a folder that is filled once: the packages are the same for every bot. So is what is
    built, as long as nothing it is built from changes.
    """
    if shutil.which("npm") is None:
        pytest.fail("this test needs Node 18 or newer with npm: apt-get install nodejs npm")
    assert run(["new", str(into), "--game", game, "--language", "typescript"]) == 0
    if source:
        (into / "src" / "bot.ts").write_text(source)
    packages, built = _packages(into / "package.json"), CACHE / f"built-{_key(into)}"
    if not built.exists():
        (into / "node_modules").symlink_to(packages / "node_modules")
        _npm(into, "run", "--silent", "build")
        (into / "node_modules").unlink()
        with tempfile.TemporaryDirectory(dir=CACHE) as fresh:
            whole = shutil.copytree(into, Path(fresh) / "whole")
            with contextlib.suppress(OSError):  # another test was first
                whole.rename(built)
    for made in ("dist", "gen"):
        shutil.copytree(built / made, into / made, dirs_exist_ok=True)
    return into


def _key(folder: Path) -> str:
    """Return 16 hex digits over what a bot is built from; its name is none of it."""
    digest = hashlib.sha256((TEMPLATE / "package.json.tmpl").read_bytes())
    for path in sorted(path for part in ("src", "proto") for path in (folder / part).rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(folder)} {len(path.read_bytes())} ".encode() + path.read_bytes())
    for name in ("build.mjs", "tsconfig.json"):
        digest.update((folder / name).read_bytes())
    return digest.hexdigest()[:16]


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
