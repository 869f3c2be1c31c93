"""Contents of a store's tables as values: taken, compared and put back, so that a test can go on from any state."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, TypeAlias

from sqlalchemy import Engine, Table, delete, event, insert, select, tuple_, update

from arena.store import Store
from arena.store.tables import METADATA

Key: TypeAlias = tuple[object, ...]
Rows: TypeAlias = dict[Key, tuple[object, ...]]
Contents: TypeAlias = dict[str, Rows]

_FIXED = {"accounts", "tokens", "archives", "bots", "bot_versions", "component_files", "entries"}
"""Who takes part: nothing that happens while blocks are played writes there."""

_WRITES: Final = re.compile(r"\b(?:INSERT(?: OR \w+)? INTO|UPDATE(?: ONLY)?|DELETE FROM)\s+\"?(\w+)")

PLAYED = [table for table in METADATA.sorted_tables if table.name not in _FIXED]


def take(store: Store) -> Contents:
    """Return the rows of every table that play changes, by primary key."""
    with store.read() as tx:
        return {table.name: _by_key(table, map(tuple, tx.execute(select(table)))) for table in PLAYED}


@contextmanager
def noticing() -> Iterator[set[str]]:
    """Yield the names of tables that are written to meanwhile, by whatever statement."""
    written: set[str] = set()

    def notice(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        written.update(_WRITES.findall(statement))

    event.listen(Engine, "before_cursor_execute", notice)
    try:
        yield written
    finally:
        event.remove(Engine, "before_cursor_execute", notice)


def take_again(store: Store, before: Contents, written: set[str]) -> Contents:
    """Return what take() would: the tables that were written to are read anew, the others are as they were before."""
    changed = [table for table in PLAYED if table.name in written]
    if not changed:
        return before
    with store.read() as tx:
        return before | {table.name: _by_key(table, map(tuple, tx.execute(select(table)))) for table in changed}


def put_back(store: Store, now: Contents, wanted: Contents) -> None:
    """Turn the contents that are there now into the wanted ones, touching only the rows that differ."""
    with store.write() as tx:
        for table in reversed(PLAYED):
            gone = [key for key in now[table.name] if key not in wanted[table.name]]
            if gone:
                tx.execute(delete(table).where(tuple_(*table.primary_key.columns).in_(gone)))
        for table in PLAYED:
            before, after = now[table.name], wanted[table.name]
            new = [_named(table, row) for key, row in after.items() if key not in before]
            if new:
                tx.execute(insert(table), new)
            for key, row in after.items():
                if key in before and before[key] != row:
                    here = (column == part for column, part in zip(table.primary_key.columns, key, strict=True))
                    tx.execute(update(table).where(*here).values(_named(table, row)))


def _by_key(table: Table, rows: object) -> Rows:
    at = [[one.name for one in table.columns].index(part.name) for part in table.primary_key.columns]
    return {tuple(row[i] for i in at): row for row in rows}


def _named(table: Table, row: tuple[object, ...]) -> dict[str, object]:
    return {one.name: value for one, value in zip(table.columns, row, strict=True)}
