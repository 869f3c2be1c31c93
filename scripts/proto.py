"""Generates the Python stubs of proto/ into the packages; with --check, says which are stale and lints the protos."""

from __future__ import annotations

import filecmp
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROTO = ROOT / "proto"
GENERATED = ("*_pb2.py", "*_pb2.pyi", "*_pb2_grpc.py", "*_pb2_grpc.pyi")


def generate(target: Path) -> None:
    """Write every stub below target, a mirror of the project's root."""
    every = sorted(PROTO.rglob("*.proto"))
    services = [path for path in every if "\nservice " in path.read_text(encoding="utf-8")]
    _protoc(["--python_out", str(target), "--mypy_out", str(target)], every)
    _protoc(["--grpc_python_out", str(target), "--mypy_grpc_out", str(target)], services)


def stale(fresh: Path) -> list[str]:
    """Return the generated files that differ from the committed ones, or that nothing generates any more."""
    names = {path.relative_to(fresh) for pattern in GENERATED for path in fresh.rglob(pattern)}
    kept = {
        path.relative_to(ROOT)
        for package in ("arena", "referee", "bots", "worker")
        for pattern in GENERATED
        for path in (ROOT / package).rglob(pattern)
    }
    differ = {name for name in names & kept if not filecmp.cmp(fresh / name, ROOT / name, shallow=False)}
    return sorted(str(name) for name in (names ^ kept) | differ)


def main() -> int:
    """Generate, or check; return the exit code."""
    if sys.argv[1:] not in ([], ["--check"]):
        print("usage: proto.py [--check]", file=sys.stderr)
        return 2
    if not sys.argv[1:]:
        generate(ROOT)
        return 0
    lint = subprocess.run([str(Path(sys.executable).parent / "buf"), "lint", str(PROTO)], check=False)
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder)
        generate(fresh)
        old = stale(fresh)
    for name in old:
        print(f"{name} does not match proto/; run `make proto` and commit the result", file=sys.stderr)
    return 1 if old or lint.returncode else 0


def _protoc(outputs: list[str], files: list[Path]) -> None:
    path = str(Path(sys.executable).parent)
    command = [sys.executable, "-m", "grpc_tools.protoc", "-I", str(PROTO), *outputs, *map(str, files)]
    subprocess.run(command, check=True, env={"PATH": path})


if __name__ == "__main__":
    sys.exit(main())
