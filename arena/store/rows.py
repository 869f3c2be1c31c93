"""The few statements that every part of the repository needs."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Connection, Table, insert, select

BATCH: Final = 1000
"""Rows sent at once: keeps memory flat when a large tournament is scheduled."""


def insert_one(tx: Connection, table: Table, values: dict[str, Any]) -> int:
    """Insert a row and return the key that the database gave it."""
    key = tx.execute(insert(table).values(values)).inserted_primary_key
    if key is None:
        raise RuntimeError(f"{table.name} gave no key")
    return int(key[0])


def insert_many(tx: Connection, table: Table, rows: list[dict[str, Any]]) -> None:
    """Insert rows that bring their keys along."""
    if rows:
        tx.execute(insert(table), rows)


def insert_in_order(tx: Connection, table: Table, rows: list[dict[str, Any]], *, within: str, by: str) -> list[int]:
    """Insert rows and return the ids that the database gave them, in order of the rows.

    within, by: the columns of a unique index; all rows have the same value of the first and ascending ones, without a
    gap, of the second. Reading ids back in one statement is much faster than having each insert return its own.
    """
    if not rows:
        return []
    insert_many(tx, table, rows)
    first, last = rows[0], rows[-1]
    query = select(table.c.id).where(table.c[within] == first[within], table.c[by].between(first[by], last[by]))
    return list(tx.scalars(query.order_by(table.c[by])))
