"""Sending ahead to PostgreSQL, by psycopg's pipeline mode: a trip for many statements instead of one for each.

Below SQLAlchemy, which looks at a cursor as soon as its execute has returned: in a pipeline its answer is not there
then. So a cursor that SQLAlchemy reads waits for its own answer, and with it for those of all that was sent before.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from types import TracebackType
from typing import Any, Self

import psycopg
from psycopg.abc import Params
from sqlalchemy import Connection, Executable
from sqlalchemy.exc import DBAPIError

from arena.store.sending import AHEAD


class Ahead:
    """Sends for one transaction; the pipeline lasts from the first statement sent to the end of the `with` block."""

    def __init__(self, tx: Connection) -> None:
        self._tx = tx
        self._open = ExitStack()
        self._line: psycopg.Connection[Any] | None = None

    def __enter__(self) -> Self:
        # Of this transaction alone: what is noted with the pooled connection outlives it, and may be another's by then.
        self._tx.execution_options(**{AHEAD: self})
        return self

    def send(self, statement: Executable, values: Any) -> None:
        """Execute a statement without waiting for its answer; within a savepoint, wait.

        After a failure PostgreSQL passes over what was sent, also the way back to a savepoint, until it must answer.
        """
        if self._tx.in_nested_transaction():
            self._tx.execute(statement, values)
            return
        line = self._line or self._begin()
        reading, line.cursor_factory = line.cursor_factory, psycopg.Cursor
        try:
            self._tx.execute(statement, values)
        finally:
            line.cursor_factory = reading

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Wait for all answers. Raises SQLAlchemy's error for a statement that failed, unless there is an error yet."""
        if self._line is None:
            return
        self._line.cursor_factory = psycopg.Cursor
        try:
            self._open.close()  # not told of the error: psycopg would log what it finds, with values of rows in it
        except psycopg.Error as failed:
            if error is None:
                raise DBAPIError.instance(None, None, failed, psycopg.Error, dialect=self._tx.dialect) from failed
        except BaseException:
            self._tx.invalidate()  # interrupted: nobody knows which answers are still to come
            raise

    def _begin(self) -> psycopg.Connection[Any]:
        line: psycopg.Connection[Any] = self._tx.connection.driver_connection  # type: ignore[assignment]
        pipeline = self._open.enter_context(line.pipeline())
        line.cursor_factory = partial(_Answered, pipeline)  # type: ignore[assignment]
        self._line = line
        return line


class _Answered(psycopg.Cursor[Any]):
    """A cursor in a pipeline that has its answer when its statement was executed."""

    def __init__(self, pipeline: psycopg.Pipeline, connection: psycopg.Connection[Any], **named: Any) -> None:
        super().__init__(connection, **named)
        self._pipeline = pipeline

    def execute(self, query: Any, params: Params | None = None, **named: Any) -> Self:
        with _waiting(self._pipeline):
            return super().execute(query, params, **named)

    def executemany(self, query: Any, params_seq: Any, **named: Any) -> None:
        with _waiting(self._pipeline):
            super().executemany(query, params_seq, **named)


@contextmanager
def _waiting(pipeline: psycopg.Pipeline) -> Iterator[None]:
    """Wait for all answers at the end; the first error ends the wait for what the server then passes over, too."""
    try:
        yield
        pipeline.sync()
    except psycopg.Error:
        with suppress(psycopg.Error):
            pipeline.sync()
        raise
