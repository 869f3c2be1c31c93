"""Statements whose results nobody reads: a server is told the next one before it has answered."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Connection, Executable

AHEAD: Final = "ahead"
"""Execution option of a transaction: what sends for it; without it statements are executed at once."""


def send(tx: Connection, statement: Executable, values: Any) -> None:
    """Execute a statement whose result nobody reads.

    Statements are carried out in the order they were sent and executed in, each seeing all before it. On PostgreSQL the
    answer is waited for with the next result that is read, or before the transaction ends; what went wrong is raised
    there. Within a savepoint nothing is sent ahead.
    """
    ahead = tx.get_execution_options().get(AHEAD)
    if ahead is None:
        tx.execute(statement, values)
    else:
        ahead.send(statement, values)


def lock(tx: Connection, statement: Executable, values: Any) -> None:
    """Send a SELECT FOR UPDATE; on SQLite there is nothing to do, for a writer is alone until its transaction ends."""
    if tx.dialect.name != "sqlite":
        send(tx, statement, values)
