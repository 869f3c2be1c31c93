"""The few statements that every part of the repository needs."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Connection, Table, insert

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


def insert_numbered(tx: Connection, table: Table, rows: list[dict[str, Any]]) -> list[int]:
    """Insert rows and return the keys that the database gave them, in order of the rows."""
    keys: list[int] = []
    for start in range(0, len(rows), BATCH):
        query = insert(table).returning(table.c.id, sort_by_parameter_order=True)
        keys.extend(tx.execute(query, rows[start : start + BATCH]).scalars())
    return keys
