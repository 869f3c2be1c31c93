"""Repository of answered requests, and the store that makes a use case and its answer one transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from types import TracebackType
from typing import Self

from sqlalchemy import ColumnElement, Connection, delete, select, update
from sqlalchemy.dialects import postgresql, sqlite

from arena.store.engine import Store, Transaction, translated
from arena.store.tables import request_answers


@dataclass(frozen=True, slots=True)
class RequestKey:
    """Whose request, to which method, with which id."""

    account_id: int
    method: str
    request_id: str


@dataclass(frozen=True, slots=True)
class Answered:
    """What a request was answered; fingerprint: hash of the request."""

    fingerprint: str
    answer: bytes


class OneTransaction(Store):
    """A store whose writes all become one transaction, committed at the end of its `with` or not at all.

    store: where it is made. begun: called in the transaction before the first write; may raise to give it up. Reads
    before the first write have snapshots of their own, later ones see what was written. For one thread.
    """

    def __init__(self, store: Store, begun: Callable[[Transaction], None]) -> None:
        self._store = store
        self._begun = begun
        self._stack = ExitStack()
        self._tx: Connection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._tx = None
        self._stack.__exit__(kind, error, at)

    @property
    def dialect(self) -> str:
        """See Store."""
        return self._store.dialect

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """See Store."""
        if self._tx is not None:
            yield self._tx
            return
        with self._store.read() as tx:
            yield tx

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Run a part of the transaction; an error takes this part back."""
        with translated(), self.whole().begin_nested(), self.read() as tx:
            yield tx

    def whole(self) -> Connection:
        """Return the one transaction, which begins now if it has not yet."""
        if self._tx is None:
            self._tx = self._stack.enter_context(self._store.write())
            self._begun(self._tx)
        return self._tx

    def close(self) -> None:
        """Leave the store open: others use it."""


def find_answer(tx: Connection, key: RequestKey, since: datetime) -> Answered | None:
    """Return what this request was answered, unless that was before a moment."""
    query = select(request_answers).where(*_is(key), request_answers.c.made_at >= since)
    row = tx.execute(query).one_or_none()
    return None if row is None else Answered(row.fingerprint, row.answer)


def begin_answer(tx: Connection, key: RequestKey, fingerprint: str, now: datetime) -> bool:
    """Take a request's place; False if it is taken. Waits for whoever is about to take it."""
    make = sqlite.insert if tx.dialect.name == "sqlite" else postgresql.insert
    values = {
        "account_id": key.account_id,
        "method": key.method,
        "request_id": key.request_id,
        "fingerprint": fingerprint,
        "answer": b"",
        "made_at": now,
    }
    taken = make(request_answers).values(values).on_conflict_do_nothing().returning(request_answers.c.request_id)
    return tx.scalar(taken) is not None


def finish_answer(tx: Connection, key: RequestKey, answer: bytes) -> None:
    """Store what the request whose place was taken is answered."""
    tx.execute(update(request_answers).where(*_is(key)).values(answer=answer))


def forget_answers(tx: Connection, account_id: int, before: datetime) -> None:
    """Delete an account's answers from before a moment."""
    old = request_answers.c.made_at < before
    tx.execute(delete(request_answers).where(request_answers.c.account_id == account_id, old))


def _is(key: RequestKey) -> tuple[ColumnElement[bool], ...]:
    columns = request_answers.c
    return (
        columns.account_id == key.account_id,
        columns.method == key.method,
        columns.request_id == key.request_id,
    )
