"""Whole arenas of real processes that a drill may kill: one machine with SQLite, and servers with PostgreSQL."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import redis
from sitedatabase import DatabaseServer

from arena.cli.local.broker import broker_command, broker_url, find_broker
from arena.hosting.cgroups import mark
from arena.hosting.sandbox import SOCKET
from arena.store import migrate, sqlite_url

LEASE_S = 4
"""Short, so that a drill is; long enough for a busy machine not to lose leases by itself."""

LOADING_S = 30
"""How long a program may take on a busy machine until it minds signals: until all of it is loaded."""

ARENA = [sys.executable, "-c", "from arena.cli.main import main; main()"]
ROLES = {
    "worker": ("-m", "worker"),
    "referee": ("-m", "referee"),
    "api": ("-m", "arena.api"),
    "web": ("-m", "arena.web"),
    "dispatcher": ("-m", "worker.dispatcher"),
}


class Site:
    """What both kinds of site have in common.

    place: a folder, short enough for sockets, in which everything of the site lies. disk: see smalldisk.
    """

    processes = ("broker", "api", "dispatcher", "worker")

    def __init__(self, place: Path, workers: int) -> None:
        self.place = place
        self.workers = workers
        self.marks: set[str] = set()
        self.temporary = place / "tmp"
        self.temporary.mkdir()
        self.environment = {
            **os.environ,
            "TMPDIR": str(self.temporary),
            "ARENA_LEASE_S": str(LEASE_S),
            "ARENA_SET_ASIDE_AFTER": "0",
        }

    # What a kind of site has of its own

    def start(self) -> None:
        """Start every process."""
        raise NotImplementedError

    def admit(self, token: str) -> None:
        """Take the admin's token, which was made with the tournament."""

    def revive(self) -> None:
        """Start again what has died, if that is not done by itself."""

    def stop(self) -> int:
        """Tell everything to end; return the exit code of what ended badly, else 0."""
        raise NotImplementedError

    def close(self) -> None:
        """Let go of everything, whatever state it is in."""
        self.kill_all()

    def said(self) -> str:
        """What the processes had to say."""
        raise NotImplementedError

    def address(self) -> str:
        """Where the api listens."""
        raise NotImplementedError

    def broker(self) -> Path:
        """The broker's socket."""
        raise NotImplementedError

    @contextmanager
    def database_away(self) -> Iterator[None]:
        """While the block runs, the database serves nobody but the test."""
        raise NotImplementedError

    # Looking at it

    def find(self, role: str) -> list[psutil.Process]:
        """Return the running processes of a role, the oldest first; "bot": the sandboxes of bots."""
        found = []
        for process in self.alive():
            with suppress(psutil.Error):
                if _role(process) == role:
                    found.append(process)
        return sorted(found, key=lambda process: process.pid)

    def alive(self) -> list[psutil.Process]:
        """Every process of the site: those with its folder in their environment, command line or mounts."""
        found = []
        for process in psutil.process_iter():
            with suppress(psutil.Error, OSError):
                if process.status() != psutil.STATUS_ZOMBIE and process.pid != os.getpid() and self._owns(process):
                    self.marks.add(mark(process.pid))
                    found.append(process)
        return found

    def _owns(self, process: psutil.Process) -> bool:
        facts = [*process.environ().values(), *process.cmdline()]
        if any(str(self.place) in fact for fact in facts):
            return True
        namespace = Path("/proc", str(process.pid), "ns/mnt").readlink()
        if namespace == Path("/proc/self/ns/mnt").readlink():
            return False
        return self.place.name in Path("/proc", str(process.pid), "mountinfo").read_text()

    def left(self) -> list[str]:
        """Return what lies about after the end: temporary files, sockets, control groups of its processes."""
        files = [str(path) for path in self.temporary.rglob("*")]
        sockets = [str(path) for path in self.place.rglob("*") if path.is_socket()]
        groups = [
            str(Path(folder, name))
            for folder, names, _ in os.walk("/sys/fs/cgroup")  # passes over what others remove meanwhile
            for name in names
            if name.rpartition("-")[0] in self.marks  # not by number alone: those are used again
        ]
        return [*files, *sockets, *groups]

    # Doing things to it

    def flush_broker(self) -> None:
        with redis.Redis(unix_socket_path=str(self.broker())) as client, suppress(redis.RedisError):
            client.flushall()

    def kill_all(self) -> None:
        """Kill everything at once, until nothing is left."""
        while processes := self.alive():
            for process in processes:
                with suppress(psutil.NoSuchProcess):
                    process.kill()
            psutil.wait_procs(processes, timeout=0.1)

    @contextmanager
    def disk_full(self) -> Iterator[None]:
        """While the block runs, nothing can be written: the disk is full, or files may not grow (no small disk)."""
        if self.place.is_mount():
            filler = self.place / "filler"
            with filler.open("wb", buffering=0) as file, suppress(OSError):
                while file.write(bytes(1 << 16)):
                    continue
            try:
                yield
            finally:
                filler.unlink()
            return
        import resource

        limited = [process.pid for role in ("worker", "api", "dispatcher") for process in self.find(role)]
        for pid in limited:
            with suppress(ProcessLookupError):
                _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
                resource.prlimit(pid, resource.RLIMIT_FSIZE, (4096, hard))
        try:
            yield
        finally:
            for pid in limited:
                with suppress(ProcessLookupError):
                    _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
                    resource.prlimit(pid, resource.RLIMIT_FSIZE, (hard, hard))


def _has_a_door(pid: int, words: list[str]) -> bool:
    """Whether a sandbox's command binds the referee's socket, or a folder that has it by now where the command runs."""
    if str(SOCKET) in words:
        return True
    folder = str(SOCKET.parent)
    return folder in words and Path(f"/proc/{pid}/root{words[words.index(folder) - 1]}", SOCKET.name).exists()


def _role(process: psutil.Process) -> str:
    words = process.cmdline()
    for role, (option, module) in ROLES.items():
        if option in words and words[words.index(option) + 1] == module:
            return role
    if process.name() == "bwrap" and (parent := process.parent()) is not None and _role(parent) == "worker":
        return "bot" if _has_a_door(process.pid, words) else ""  # the rest wait for a bot, or are trials of the sandbox
    # Valkey and Redis write where they listen in place of their command.
    return "broker" if words and " unixsocket:" in words[0] else ""


class Machine(Site):
    """`arena up`: it starts again by itself whatever dies. The test keeps the database busy to put it away.

    web: where the web page is.
    """

    def __init__(self, place: Path, workers: int, web: str = "none") -> None:
        super().__init__(place, workers)
        self._web = web
        self.data = place / "data"
        self.data.mkdir(mode=0o700)
        self.url = sqlite_url(self.data)
        migrate(self.url)
        self._log = place / "up.log"
        self._up: subprocess.Popen[str] | None = None

    def start(self) -> None:
        options = ["--grpc", "127.0.0.1:0", "--web", self._web, "--workers", str(self.workers)]
        command = [*ARENA, "up", "--data", str(self.data), *options]
        with self._log.open("a") as said:
            self._up = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=said, text=True,
                env=self.environment, start_new_session=True,
            )  # fmt: skip
        assert self._up.stdout is not None
        assert self._up.stdout.readline().startswith("the arena is up"), self._log.read_text()

    def stop(self) -> int:
        if self._up is None:
            return 0
        self._up.send_signal(signal.SIGTERM)
        try:
            return self._up.wait(60)
        finally:
            self._close()

    def admit(self, token: str) -> None:
        file = self.data / "admin.token"
        file.touch(mode=0o600)
        file.write_text(f"{token}\n")

    def said(self) -> str:
        logs = (self._log, *sorted((self.data / "logs").glob("*.log")))
        return "\n".join(f"== {log.name}\n{log.read_text()}" for log in logs if log.exists())

    def address(self) -> str:
        return str(json.loads((self.data / "server.json").read_text())["grpc"])

    def kill_all(self) -> None:
        super().kill_all()
        self._close()

    def _close(self) -> None:
        if self._up is not None and self._up.stdout is not None:
            self._up.stdout.close()
            self._up.wait(10)

    def broker(self) -> Path:
        return self.data / "broker.sock"

    @contextmanager
    def database_away(self) -> Iterator[None]:
        import sqlite3

        with sqlite3.connect(self.data / "arena.db", isolation_level=None, timeout=30) as connection:
            connection.execute("BEGIN EXCLUSIVE")
            yield
            connection.execute("ROLLBACK")
        connection.close()


class Servers(Site):
    """The services of compose.yaml as processes of their own, on PostgreSQL; `revive` is its restart policy."""

    def __init__(self, place: Path, workers: int) -> None:
        super().__init__(place, workers)
        self._database = DatabaseServer()
        self.url = self._database.url
        migrate(self.url)
        self._socket = place / "broker.sock"
        self.environment |= {
            "ARENA_DATABASE": self.url,
            "ARENA_BROKER": broker_url(self._socket),
        }
        python = [sys.executable, "-m"]
        self._commands = {
            "broker": broker_command(find_broker(), self._socket),
            "api": [*python, "arena.api", "--grpc", "127.0.0.1:0"],
            "dispatcher": [*python, "worker.dispatcher"],
            **{f"worker-{number}": [*python, "worker"] for number in range(1, workers + 1)},
        }
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._started: dict[str, float] = {}

    def start(self) -> None:
        for name in self._commands:
            self._start(name)

    def revive(self) -> None:
        for name, process in self._running.items():
            if process.poll() is not None:
                self._start(name)

    def _start(self, name: str) -> None:
        self._started[name] = time.monotonic()
        # Logs lie outside, as a container's do: a full disk is to meet the programs.
        with (self.place.parent / f"{self.place.name}-{name}.log").open("ab") as log:
            self._running[name] = subprocess.Popen(
                self._commands[name], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.environment,
                start_new_session=True,
            )  # fmt: skip

    def stop(self) -> int:
        ends = {}
        for name, process in reversed(self._running.items()):
            if process.poll() == -signal.SIGKILL:
                continue  # by the drill, whose tournament was over before anything had to be started again
            process.send_signal(signal.SIGTERM)
            ends[name] = process.wait(60)
            if ends[name] == -signal.SIGTERM and time.monotonic() - self._started[name] < LOADING_S:
                ends[name] = 0  # just started again, and has begun nothing yet that it could end in order
        self._running.clear()
        return next((end for end in ends.values() if end), 0)

    def close(self) -> None:
        self.kill_all()
        for process in self._running.values():
            process.wait(10)
        self._database.stop()
        for log in self._logs():
            log.unlink()

    def said(self) -> str:
        return "\n".join(f"== {log.name}\n{log.read_text()}" for log in self._logs())

    def address(self) -> str:
        said = (self.place.parent / f"{self.place.name}-api.log").read_text().splitlines()
        return str(json.loads(next(line for line in reversed(said) if line.startswith('{"grpc"')))["grpc"])

    def _logs(self) -> list[Path]:
        return sorted(self.place.parent.glob(f"{self.place.name}-*.log"))

    def broker(self) -> Path:
        return self._socket

    @contextmanager
    def database_away(self) -> Iterator[None]:
        self._database.control("-m", "immediate", "stop")
        try:
            yield
        finally:
            self._database.start()


def until(true: Callable[[], object], seconds: float, what: str, site: Site | None = None) -> None:
    """Wait for a condition; the site's dead processes are started again meanwhile."""
    end = time.monotonic() + seconds
    pause = threading.Event()
    while not true():
        assert time.monotonic() < end, f"after {seconds} s still not: {what}"
        if site is not None:
            site.revive()
        pause.wait(0.1)
