"""Opens the database and runs transactions on it."""

from __future__ import annotations

import math
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy import text as sql
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import (
    ArgumentError,
    DatabaseError,
    DBAPIError,
    DisconnectionError,
    IntegrityError,
    InterfaceError,
    OperationalError,
)
from sqlalchemy.pool import ConnectionPoolEntry

from arena.core.errors import Unavailable, UsageError

SYNCHRONOUS: Final = "synchronous"
"""In a SQLite URL: sqlite:///PATH?synchronous=normal, for databases that may lose their last moments."""

BUSY_TIMEOUT_MS: Final = 30_000
"""How long a SQLite writer waits for the others: their transactions last milliseconds, a checkpoint may last longer."""

_IDLE_S: Final = 1.0
"""After how long a connection is asked whether it is still one."""

_USED_AT: Final = "used_at"
_SWITCH_PAUSE_S: Final = 0.01
"""Between two tries to switch a new file to the write-ahead log."""

MIGRATION_LOCK: Final = 0x57484954
"""Number of the PostgreSQL advisory lock under which migrations run, so that services starting together take turns."""


Transaction: TypeAlias = Connection
"""A running transaction, handed from a use case to the repository and nowhere else."""

DATABASE_FILE: Final = "arena.db"


def sqlite_url(folder: Path) -> str:
    """Return the URL of the database in a data folder."""
    return f"sqlite:///{folder / DATABASE_FILE}"


UNIQUE_VIOLATION: Final = "23505"
"""PostgreSQL's code for a second row with the same key: two writers at once each saw that it was free.

Every use case looks before it writes, so it means nothing else; on SQLite, with one writer at a time, it cannot happen.
"""


class Store:
    """An opened database. Threads may share it; a forked child opens its own."""

    def __init__(self, engine: Engine) -> None:
        self._writer = engine
        self._reader = engine
        self._ahead: Callable[[Connection], AbstractContextManager[object]] = nullcontext
        if engine.dialect.name == "postgresql":
            # One snapshot for all statements of a read, as SQLite gives by itself: numbers on one page agree.
            self._reader = engine.execution_options(isolation_level="REPEATABLE READ")
            from arena.store.pipeline import Ahead  # noqa: PLC0415 - psycopg is installed for PostgreSQL alone

            self._ahead = Ahead

    @property
    def dialect(self) -> str:
        """The database's kind: "sqlite" or "postgresql"."""
        return self._writer.dialect.name

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Run a transaction that only reads, on one snapshot. Raises Unavailable."""
        with translated(), self._reader.begin() as connection:
            self._begin(connection, "BEGIN")
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Run a transaction that commits at the end, or rolls back on an error. Raises Unavailable."""
        with translated(), self._writer.begin() as connection, self._ahead(connection):
            # A writer that began deferred and read first fails at once when another one has written meanwhile.
            self._begin(connection, "BEGIN IMMEDIATE")
            yield connection

    def _begin(self, connection: Connection, statement: str) -> None:
        """Begin on SQLite, whose driver is kept from it; an event of the engine would cost every statement."""
        if self.dialect == "sqlite":
            connection.exec_driver_sql(statement)

    def check(self) -> None:
        """Return if the database answers. Raises Unavailable."""
        with self.read() as tx:
            tx.execute(sql("SELECT 1"))

    def close(self) -> None:
        """Close every connection."""
        self._writer.dispose()


def migrate(url: str) -> None:
    """Bring the database's schema up to this program's version, creating it if need be; any number may try at once.

    url: "sqlite:///PATH" or "postgresql://USER:PASSWORD@HOST/NAME". Raises UsageError (BAD_DATABASE_URL), Unavailable
    (DATABASE_UNREACHABLE, DATABASE_NEWER).
    """
    store = Store(_engine(url))
    try:
        with store.write() as tx:
            if store.dialect == "postgresql":
                tx.execute(sql("SELECT pg_advisory_xact_lock(:number)"), {"number": MIGRATION_LOCK})
            _check_known(tx, url)
            config = _config()
            config.attributes["connection"] = tx
            command.upgrade(config, "head")
    finally:
        store.close()


def open_store(url: str) -> Store:
    """Open a database whose schema is this program's.

    Raises UsageError (BAD_DATABASE_URL), Unavailable (DATABASE_UNREACHABLE, DATABASE_OLDER, DATABASE_NEWER).
    """
    store = Store(_engine(url))
    try:
        with store.read() as tx:
            found = _check_known(tx, url)
    except BaseException:
        store.close()
        raise
    if found != _head():
        store.close()
        raise Unavailable(
            f"the database {_shown(url)} has schema {found or 'none'}, this program needs {_head()}; "
            "upgrade it with `python -m arena.store URL`",
            reason="DATABASE_OLDER",
        )
    return store


def _check_known(tx: Connection, url: str) -> str | None:
    """Return the schema's version, None without one. Raises Unavailable for one that this program does not know."""
    found = MigrationContext.configure(tx).get_current_revision()
    known = {script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()}
    if found is not None and found not in known:
        raise Unavailable(
            f"the database {_shown(url)} was made by a newer version (schema {found}); install that version",
            reason="DATABASE_NEWER",
        )
    return found


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", "arena.store:migrations")
    config.set_main_option("path_separator", "os")
    return config


def _head() -> str | None:
    return ScriptDirectory.from_config(_config()).get_current_head()


def _parse(url: str) -> URL:
    wrong = f"database URL {url!r} is none; give sqlite:///PATH or postgresql://USER:PASSWORD@HOST/NAME"
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise UsageError(wrong, reason="BAD_DATABASE_URL") from None
    if parsed.drivername in {"postgresql", "postgresql+psycopg"}:
        return parsed.set(drivername="postgresql+psycopg")
    if parsed.drivername != "sqlite" or parsed.database in {None, "", ":memory:"}:
        raise UsageError(wrong, reason="BAD_DATABASE_URL")
    return parsed


def _shown(url: str) -> str:
    return _parse(url).render_as_string(hide_password=True)


def _engine(url: str) -> Engine:
    """Make an engine whose errors tell no values: seeds and secrets are among them, and errors go into logs."""
    parsed = _parse(url)
    if parsed.drivername != "sqlite":
        engine = create_engine(parsed, hide_parameters=True)
        event.listen(engine, "checkin", _stamp)
        event.listen(engine, "checkout", partial(_ask_if_idle, engine))
        return engine
    synchronous = _synchronous(parsed)
    parsed = parsed.difference_update_query([SYNCHRONOUS])
    folder = Path(str(parsed.database)).parent
    if not folder.is_dir():
        raise Unavailable(
            f"the database's folder {folder} does not exist; make it or name another", reason="DATABASE_UNREACHABLE"
        )
    engine = create_engine(parsed, hide_parameters=True, connect_args={"timeout": BUSY_TIMEOUT_MS / 1000})
    event.listen(engine, "connect", partial(_prepare_sqlite, synchronous))
    return engine


def _stamp(_connection: Any, record: ConnectionPoolEntry) -> None:
    record.info[_USED_AT] = time.monotonic()


def _ask_if_idle(engine: Engine, connection: Any, record: ConnectionPoolEntry, _proxy: Any) -> None:
    """Have a connection that does not answer replaced before it is used: a server may have been started anew.

    One that has just been used is not asked, for that is another trip to the server.
    """
    if time.monotonic() - record.info.get(_USED_AT, math.inf) > _IDLE_S:
        try:
            engine.dialect.do_ping(connection)
        except engine.dialect.loaded_dbapi.Error as error:
            raise DisconnectionError from error


def _synchronous(url: URL) -> str:
    """Return what is asked of the disk: FULL unless the URL says otherwise.

    In the write-ahead log NORMAL keeps a database whole through a power cut, too, but not its last commits: a result
    that somebody has seen could come out otherwise, a token that was handed out be unknown. FULL costs a commit some
    milliseconds; matches take seconds.
    """
    asked = str(url.query.get(SYNCHRONOUS, "full")).upper()
    if asked not in {"FULL", "NORMAL"}:
        raise UsageError(
            f"{SYNCHRONOUS}={asked} in a database URL is none; give full or normal", reason="BAD_DATABASE_URL"
        )
    return asked


def _prepare_sqlite(synchronous: str, connection: sqlite3.Connection, _record: Any) -> None:
    connection.isolation_level = None  # the driver would begin by itself, deferred; Store does it
    _switch_to_wal(connection)
    for pragma in (f"synchronous = {synchronous}", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}")


def _switch_to_wal(connection: sqlite3.Connection) -> None:
    """Use the write-ahead log; a new file's switch to it fails at once while another process makes it, not after the
    busy timeout.
    """
    until = time.monotonic() + BUSY_TIMEOUT_MS / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(_SWITCH_PAUSE_S)
        else:
            return


@contextmanager
def translated() -> Iterator[None]:
    """Turn the database's errors into Unavailable while the block runs."""
    try:
        yield
    except IntegrityError as error:
        if getattr(error.orig, "sqlstate", None) != UNIQUE_VIOLATION:
            raise
        raise Unavailable(
            "somebody else made the same thing at this moment; try again to see it", reason="CONCURRENT_CHANGE"
        ) from error
    except DatabaseError as error:
        # The bare class is what SQLite's "file is not a database" becomes; other subclasses are faults of a statement.
        if not isinstance(error, OperationalError) and type(error) is not DatabaseError:
            raise
        raise _unusable(error) from error
    except InterfaceError as error:
        raise _unusable(error) from error


def _unusable(error: DBAPIError) -> Unavailable:
    cause = " ".join(str(error.orig).split())
    return Unavailable(f"the database cannot be used: {cause}; try again", reason="DATABASE_UNREACHABLE")
