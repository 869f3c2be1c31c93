"""Statements sent ahead: each sees those before it, and one that fails undoes all, whenever that is told."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import psycopg
import pytest
from databases import PostgresServer
from sqlalchemy import bindparam, insert, select, text, update
from sqlalchemy.exc import IntegrityError, OperationalError

from arena.core.errors import Unavailable
from arena.store import open_store
from arena.store.repeats import OneTransaction
from arena.store.sending import lock, send
from arena.store.tables import component_files, tokens

FILE = insert(component_files)
RENAME = (
    update(component_files).where(component_files.c.digest == bindparam("old")).values(content=bindparam("content"))
)
CONTENTS = select(component_files.c.content).order_by(component_files.c.digest)
ORPHAN = {"account_id": 0, "label": "a secret", "digest": "", "created_at": datetime(2026, 1, 1, tzinfo=UTC)}


def file(digest, content=""):
    return {"digest": digest, "content": content}


def contents(store):
    with store.read() as tx:
        return list(tx.scalars(CONTENTS))


def end_connections(url):
    ours = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = 'arena'"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(ours)


@contextmanager
def interrupted_after(seconds: float) -> Iterator[None]:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def fail_in_the_middle(tx):
    for digest in ("a", "a", "b"):
        send(tx, FILE, file(digest))


def fail_last(tx):
    for digest in ("b", "a", "a"):
        send(tx, FILE, file(digest))


def fail_in_many_rows(tx):
    send(tx, FILE, [file(digest) for digest in "abacad"])
    send(tx, FILE, file("e"))


def fail_often(tx):
    for digest in "aabbcc" * 50:
        send(tx, FILE, file(digest))


def fail_for_a_key(tx):
    send(tx, FILE, file("a"))
    send(tx, insert(tokens).inline(), ORPHAN)
    send(tx, FILE, file("b"))


def fail_for_time(tx):
    tx.execute(text("SET LOCAL statement_timeout = 20"))
    send(tx, text("SELECT pg_sleep(:seconds)"), {"seconds": 30})
    send(tx, FILE, file("a"))


def fail_at_home(tx):
    fail_in_the_middle(tx)
    raise ValueError


def fail_by_interruption(tx):
    send(tx, text("SELECT pg_sleep(:seconds)"), {"seconds": 30})
    send(tx, FILE, file("a"))


FAILURES = {
    fail_in_the_middle: Unavailable,
    fail_last: Unavailable,
    fail_in_many_rows: Unavailable,
    fail_often: Unavailable,
    fail_for_a_key: IntegrityError,
    fail_for_time: Unavailable,
    fail_at_home: (ValueError, Unavailable),  # the server may have told the failure before
    fail_by_interruption: KeyboardInterrupt,
}
"""What can go wrong, and what it is told as."""


def test_what_was_sent_is_there_for_the_next_statement_and_after_the_transaction(store):
    with store.write() as tx:
        send(tx, FILE, [file("a", "one"), file("b", "two")])
        send(tx, RENAME, {"old": "b", "content": "three"})
        assert list(tx.scalars(CONTENTS)) == ["one", "three"]
        send(tx, RENAME, {"old": "a", "content": "four"})
        assert tx.execute(RENAME, {"old": "a", "content": "five"}).rowcount == 1
        assert tx.execute(RENAME, [{"old": "c", "content": "six"}] * 2).rowcount == 0
        send(tx, RENAME, {"old": "b", "content": "seven"})
    assert contents(store) == ["five", "seven"]


def test_a_transaction_that_only_sends_is_committed(store):
    with store.write() as tx:
        send(tx, FILE, file("a", "one"))
    assert contents(store) == ["one"]


def test_an_error_of_the_caller_undoes_what_was_sent(store):
    def interrupt():
        with store.write() as tx:
            send(tx, FILE, file("a"))
            raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        interrupt()
    assert contents(store) == []


def test_a_statement_that_failed_is_told_at_the_end_at_the_latest_and_undoes_all(store):
    def send_twice():
        with store.write() as tx:
            for digest in ("a", "a", "b"):
                send(tx, FILE, file(digest))

    with pytest.raises((Unavailable, IntegrityError)):
        send_twice()
    assert contents(store) == []


def test_a_statement_that_failed_is_told_with_the_next_result_at_the_latest(store):
    came_on = False

    def send_twice():
        nonlocal came_on
        with store.write() as tx:
            send(tx, FILE, file("a"))
            send(tx, FILE, file("a"))
            tx.execute(CONTENTS)
            came_on = True

    with pytest.raises((Unavailable, IntegrityError)):
        send_twice()
    assert not came_on
    assert contents(store) == []


def test_a_row_that_somebody_else_made_meanwhile_is_told_as_ever(postgres: PostgresServer):
    store = open_store(postgres.new_url())
    try:
        with pytest.raises(Unavailable) as told, store.write() as tx:
            send(tx, FILE, [file("a"), file("a")])
        assert told.value.code == "CONCURRENT_CHANGE"
    finally:
        store.close()


def test_an_error_tells_no_values(store):
    with pytest.raises(IntegrityError) as told, store.write() as tx:
        send(tx, insert(tokens).inline(), ORPHAN)
    assert "a secret" not in str(told.value)
    assert contents(store) == []


def test_a_lock_that_was_sent_is_held_until_the_end(postgres: PostgresServer):
    one, two = (open_store(url) for url in [postgres.new_url()] * 2)
    try:
        with one.write() as tx:
            send(tx, FILE, file("a"))
        row = select(component_files.c.digest).where(component_files.c.digest == bindparam("old")).with_for_update()
        with one.write() as tx:
            lock(tx, row, {"old": "a"})
            tx.execute(CONTENTS)
            with two.write() as other:
                assert other.execute(row.with_for_update(skip_locked=True), {"old": "a"}).all() == []
        with two.write() as other:
            assert len(other.execute(row.with_for_update(skip_locked=True), {"old": "a"}).all()) == 1
    finally:
        one.close()
        two.close()


@pytest.mark.parametrize("reads", [True, False], ids=["before a result", "before the end"])
def test_a_server_that_is_lost_costs_one_failure(postgres: PostgresServer, *, reads: bool):
    url = postgres.new_url()
    store = open_store(url)

    def lose():
        with store.write() as tx:
            send(tx, FILE, file("a"))
            tx.execute(CONTENTS)
            end_connections(url)
            if reads:
                tx.execute(CONTENTS)

    try:
        with pytest.raises(Unavailable, match="the database cannot be used"):
            lose()
        assert contents(store) == []
        with store.write() as tx:
            send(tx, FILE, file("b", "again"))
        assert contents(store) == ["again"]
    finally:
        store.close()


def test_whoever_comes_next_finds_an_ordinary_connection(postgres: PostgresServer):
    store = open_store(postgres.new_url())
    try:
        with store.write() as tx:
            line = tx.connection.driver_connection
            send(tx, FILE, file("a"))
            assert line.info.pipeline_status is psycopg.pq.PipelineStatus.ON
        with store.write() as tx:
            assert tx.connection.driver_connection is line
            assert line.info.pipeline_status is psycopg.pq.PipelineStatus.OFF
            assert line.cursor_factory is psycopg.Cursor
    finally:
        store.close()


@pytest.mark.parametrize("fail", FAILURES, ids=lambda fail: fail.__name__)
@pytest.mark.parametrize("reads", [True, False], ids=["before a result", "before the end"])
def test_each_failure_is_told_as_what_it_is_and_leaves_no_row_no_line_in_the_log_and_a_connection_that_works(
    postgres: PostgresServer, caplog: pytest.LogCaptureFixture, fail, *, reads: bool
):
    store = open_store(postgres.new_url())

    def run():
        with interrupted_after(0.1 if fail is fail_by_interruption else 30), store.write() as tx:
            fail(tx)
            if reads:
                tx.execute(CONTENTS)

    try:
        with pytest.raises(FAILURES[fail]) as told:
            run()
        assert "pipeline" not in str(told.value)
        assert caplog.messages == []
        assert contents(store) == []
        with store.write() as tx:
            assert tx.connection.driver_connection.info.pipeline_status is psycopg.pq.PipelineStatus.OFF
            send(tx, FILE, file("a", "works"))
        assert contents(store) == ["works"]
    finally:
        store.close()


@pytest.mark.parametrize("before", [True, False], ids=["after something sent", "as the first"])
@pytest.mark.parametrize("fault", ["sent", "executed", "ours", "sent and ours"])
def test_a_part_of_a_transaction_that_failed_is_taken_back_alone(store, fault, *, before: bool):
    def fail(whole):
        with whole.write() as tx:
            send(tx, FILE, file("b", "part"))
            if "sent" in fault:
                send(tx, FILE, file("b"))
                send(tx, FILE, file("c"))
            if fault == "executed":
                tx.execute(FILE, file("b"))
            raise ValueError

    with OneTransaction(store, lambda _: None) as whole:
        if before:
            send(whole.whole(), FILE, file("a", "before"))
        with pytest.raises((Unavailable, IntegrityError, ValueError)):
            fail(whole)
        with whole.write() as tx:
            send(tx, FILE, file("b", "after"))
    assert contents(store) == ["before"] * before + ["after"]


def test_a_lost_connection_is_nobody_elses_trouble_while_the_transaction_that_lost_it_ends(postgres: PostgresServer):
    url = postgres.new_url()
    store = open_store(url)

    def lose():
        with store.write() as tx:
            send(tx, FILE, file("a"))
            end_connections(url)
            with pytest.raises(OperationalError):
                tx.execute(CONTENTS)
            with store.write() as other:  # has the lost one's place in the pool
                send(other, FILE, file("b", "other"))
            raise ValueError

    try:
        with pytest.raises(ValueError, match=r"^$"):
            lose()
        assert contents(store) == ["other"]
    finally:
        store.close()
