"""Builds the rules (arena/core and arena/games) with mypyc into build/compiled; the source tree stays as it is.

build/compiled gets a copy of all packages with compiled modules beside the sources. Whoever has it first on the module
path plays compiled:

    PYTHONPATH=build/compiled .venv/bin/arena bench engine

Needs a C compiler, and mypy and setuptools from the development environment.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "build" / "compiled"
PACKAGES = ("arena", "bots", "referee", "worker")

CORE = ("actions.py", "chance.py")
"""What takes time there; errors and protocols, which interpreted code builds upon, stay as they are."""


def main() -> int:
    shutil.rmtree(TARGET, ignore_errors=True)
    for package in PACKAGES:
        shutil.copytree(ROOT / package, TARGET / package, ignore=shutil.ignore_patterns("__pycache__"))
    os.chdir(TARGET)
    modules = [f"arena/core/{name}" for name in CORE]
    modules += sorted(str(path) for path in Path("arena/games").rglob("*.py") if path.parent.name != "v1")
    _build(modules)
    shutil.rmtree("build")
    print(f"compiled {len(modules)} modules into {TARGET.relative_to(ROOT)}")
    return 0


def _build(modules: list[str]) -> None:
    from mypyc.build import mypycify  # noqa: PLC0415 - only where something is built
    from setuptools import setup  # noqa: PLC0415 - as above

    extensions = mypycify(["--ignore-missing-imports", *modules], opt_level="3", debug_level="0")
    setup(
        name="whiteout-rules",
        packages=[],
        ext_modules=extensions,
        script_args=["--quiet", "build_ext", "--inplace"],
    )


if __name__ == "__main__":
    sys.exit(main())
