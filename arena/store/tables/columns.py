"""The column types every table is made of."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    DateTime,
    Dialect,
    Enum,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Text,
)
from sqlalchemy import TypeDecorator as SqlTypeDecorator
from sqlalchemy import text as sql
from sqlmodel import SQLModel

METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)
"""All tables; constraints have names, so that a migration can change them on every database."""

KEY = BigInteger().with_variant(Integer, "sqlite")
"""64-bit ids: SQLite numbers rows by itself only in a column called INTEGER, which has 64 bits there."""


class Row(SQLModel):
    """A table of the arena. Rows are written by the repository's statements and never constructed."""

    metadata = METADATA


class Instant(SqlTypeDecorator[datetime]):
    """A moment in UTC: `timestamp with time zone` on PostgreSQL, sortable text without zone on SQLite."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Take an aware datetime; a naive one is a fault of the caller."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a moment needs its time zone")
        value = value.astimezone(UTC)
        return value.replace(tzinfo=None) if dialect.name == "sqlite" else value

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Give an aware datetime in UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def key() -> Column[int]:
    """A primary key that the database numbers."""
    return Column(KEY, primary_key=True, autoincrement=True)


def ref(target: str, *, null: bool = False, primary: bool = False) -> Column[int]:
    """A reference to another table's key; indexes are declared per table, for the queries there are."""
    return Column(KEY, ForeignKey(target), nullable=null, primary_key=primary, autoincrement=False)


def integer(*, null: bool = False, primary: bool = False) -> Column[int]:
    """A small whole number."""
    return Column(Integer, nullable=null, primary_key=primary, autoincrement=False)


def long_integer(*, null: bool = False) -> Column[int]:
    """A whole number that may pass 2**31."""
    return Column(KEY, nullable=null)


def text(*, null: bool = False, unique: bool = False, primary: bool = False) -> Column[str]:
    """A text of any length."""
    return Column(Text, nullable=null, unique=unique or None, primary_key=primary)


def blob() -> Column[bytes]:
    """Bytes; only in tables of their own, so that reading a list never pages through them."""
    return Column(LargeBinary, nullable=False)


def instant(*, null: bool = False) -> Column[datetime]:
    """A moment in UTC."""
    return Column(Instant, nullable=null)


def partial_index(name: str, *columns: str, where: str) -> Index:
    """An index of the rows that meet a condition; both databases use it only where a statement spells that out."""
    return Index(name, *columns, sqlite_where=sql(where), postgresql_where=sql(where))


def choice(kind: type[StrEnum], name: str, *, null: bool = False, primary: bool = False) -> Column[Any]:
    """One of an enum's values as text, checked by the database; name: of the check."""
    values = Enum(
        kind,
        name=name,
        native_enum=False,
        create_constraint=True,
        length=20,
        values_callable=lambda members: [member.value for member in members],
    )
    return Column(values, nullable=null, primary_key=primary)
