"""Whole programs as a user starts them, and the proof that none of their processes is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest

ARENA = [sys.executable, "-c", "from arena.cli.main import main; main()"]


class Arena:
    """Starts `arena` commands that keep everything they make in one folder, and finds their processes by it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._started: list[subprocess.Popen[str]] = []

    def start(self, *arguments: object, **environment: str) -> subprocess.Popen[str]:
        command = [*ARENA, *map(str, arguments)]
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "TMPDIR": str(self.folder), **environment}, start_new_session=True,
        )  # fmt: skip
        self._started.append(process)
        return process

    def run(self, *arguments: object, timeout: float = 150) -> subprocess.CompletedProcess[str]:
        process = self.start(*arguments)
        out, err = process.communicate(timeout=timeout)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def alive(self) -> list[psutil.Process]:
        """Every process that has the folder in its environment or command line."""
        found = []
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                facts = [*process.environ().values(), *process.cmdline()]
                if any(str(self.folder) in fact for fact in facts) and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process)
        return found

    def left(self) -> list[str]:
        """Return what lies in the folder beside data folders: temporary files that were forgotten."""
        return [path.name for path in self.folder.iterdir() if path.name not in {"data", "bin"}]

    def until_gone(self, seconds: float) -> list[psutil.Process]:
        """Wait until no process is left; return those that are after so many seconds."""
        until = time.monotonic() + seconds
        while (left := self.alive()) and time.monotonic() < until:
            psutil.wait_procs(left, timeout=0.2)
        return left

    def close(self) -> None:
        for process in self._started:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(20)
            for pipe in (process.stdout, process.stderr):
                if pipe is not None:
                    pipe.close()
        for left in self.alive():
            with suppress(psutil.NoSuchProcess):
                left.kill()
        for process in self._started:
            process.wait(20)


@contextmanager
def folder() -> Iterator[Path]:
    """A folder for data and temporary files, with a path short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="arena-", ignore_cleanup_errors=True) as made:
        yield Path(made)


@pytest.fixture
def place() -> Iterator[Path]:
    with folder() as made:
        yield made


@pytest.fixture
def arena(place: Path) -> Iterator[Arena]:
    started = Arena(place)
    yield started
    started.close()


@pytest.fixture(scope="module")
def lasting() -> Iterator[Arena]:
    """Commands for all tests of a file."""
    with folder() as made:
        started = Arena(made)
        yield started
        started.close()


@pytest.fixture
def up(arena: Arena) -> Callable[..., subprocess.Popen[str]]:
    """Start `arena up` on a free port and return once it serves."""
    return starting(arena)


@pytest.fixture(scope="module")
def lasting_up(lasting: Arena) -> Callable[..., subprocess.Popen[str]]:
    return starting(lasting)


def starting(arena: Arena) -> Callable[..., subprocess.Popen[str]]:
    def start(data: Path, *options: object) -> subprocess.Popen[str]:
        workers = () if "--workers" in options else ("--workers", 1)
        web = () if "--web" in options else ("--web", "none")
        process = arena.start("up", "--data", data, "--grpc", "127.0.0.1:0", *workers, *web, *options)
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("the arena is up"), process.stderr and process.stderr.read()
        return process

    return start
