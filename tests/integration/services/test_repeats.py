"""Requests with an id, on both databases: once is once, whoever repeats them when."""

import threading
from contextlib import suppress
from datetime import timedelta

import pytest
from playing import START

from arena.core.errors import ArenaError, Conflict, UsageError
from arena.services import accounts
from arena.services.repeats import REMEMBERED, Answer, Asked, answer_once, check_request_id
from arena.store import open_store, people
from arena.store.states import Role


def make(admin, name):
    def act(store):
        return Answer(
            accounts.create_account(store, admin, name, Role.AUTHOR, START).name.encode(), b"kept " + name.encode()
        )

    return act


def asked(caller, content=b"make", request_id="r1", method="/a/Make"):
    return Asked(caller, method, request_id, content)


def names(store, admin):
    return [each.name for each in accounts.list_accounts(store, admin).items]


def test_a_repetition_is_answered_again_and_changes_nothing(store, world):
    first = answer_once(store, asked(world.admin), START, make(world.admin, "ann"))
    before = names(store, world.admin)

    again = answer_once(store, asked(world.admin), START, make(world.admin, "bob"))

    assert (first, again) == (b"ann", b"kept ann")
    assert names(store, world.admin) == before


def test_a_repetition_after_a_restart_is_one(url, store, world):
    answer_once(store, asked(world.admin), START, make(world.admin, "ann"))
    later = open_store(url)

    assert answer_once(later, asked(world.admin), START, make(world.admin, "bob")) == b"kept ann"
    later.close()


def test_another_request_with_the_same_id_is_refused_and_does_nothing(store, world):
    answer_once(store, asked(world.admin), START, make(world.admin, "ann"))

    with pytest.raises(Conflict, match="take a new id") as caught:
        answer_once(store, asked(world.admin, b"another"), START, make(world.admin, "bob"))

    assert caught.value.code == "REQUEST_ID_REUSED"
    assert "bob" not in names(store, world.admin)


def test_an_id_belongs_to_an_account_and_a_method(store, world):
    other = accounts.create_account(store, world.admin, "carol", Role.ADMIN, START)
    answer_once(store, asked(world.admin), START, make(world.admin, "ann"))
    answer_once(store, asked(other), START, make(world.admin, "bob"))
    answer_once(store, asked(world.admin, method="/a/Other"), START, make(world.admin, "dan"))

    assert {"ann", "bob", "dan"} <= set(names(store, world.admin))


def test_what_fails_leaves_nothing_and_can_be_tried_again(store, world):
    def half(inner):
        accounts.create_account(inner, world.admin, "ann", Role.AUTHOR, START)
        accounts.create_account(inner, world.admin, "ann", Role.AUTHOR, START)

    with pytest.raises(Conflict) as caught:
        answer_once(store, asked(world.admin), START, half)
    assert caught.value.code == "ACCOUNT_EXISTS"
    assert "ann" not in names(store, world.admin)

    assert answer_once(store, asked(world.admin), START, make(world.admin, "ann")) == b"ann"


def test_a_fault_after_the_work_takes_the_work_back(store, world):
    def breaks(inner):
        accounts.create_account(inner, world.admin, "ann", Role.AUTHOR, START)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        answer_once(store, asked(world.admin), START, breaks)

    assert "ann" not in names(store, world.admin)


def test_a_part_that_fails_and_is_caught_is_taken_back_alone(store, world):
    def mends(inner):
        accounts.create_account(inner, world.admin, "ann", Role.AUTHOR, START)
        with suppress(ZeroDivisionError), inner.write() as tx:
            people.insert_account(tx, "bob", Role.AUTHOR, START)
            raise ZeroDivisionError
        return Answer(b"", b"")

    answer_once(store, asked(world.admin), START, mends)

    assert "ann" in names(store, world.admin)
    assert "bob" not in names(store, world.admin)


def test_what_was_written_is_seen_by_reads_of_the_same_request(store, world):
    def act(inner):
        accounts.create_account(inner, world.admin, "ann", Role.AUTHOR, START)
        assert "ann" in names(inner, world.admin)
        assert "ann" not in names(store, world.admin)
        return Answer(b"", b"")

    answer_once(store, asked(world.admin), START, act)


def test_a_request_that_only_reads_is_remembered_too(store, world):
    answer_once(store, asked(world.admin), START, lambda _inner: Answer(b"1", b"1"))

    assert answer_once(store, asked(world.admin), START, lambda _inner: Answer(b"2", b"2")) == b"1"


def test_an_answer_is_forgotten_after_its_time(store, world):
    answer_once(store, asked(world.admin), START, lambda _inner: Answer(b"1", b"1"))
    just = START + REMEMBERED
    over = just + timedelta(seconds=1)

    assert answer_once(store, asked(world.admin), just, lambda _inner: Answer(b"2", b"2")) == b"1"
    assert answer_once(store, asked(world.admin), over, lambda _inner: Answer(b"3", b"3")) == b"3"
    assert answer_once(store, asked(world.admin), over, lambda _inner: Answer(b"4", b"4")) == b"3"


def test_of_many_at_once_one_acts_and_all_have_its_answer(url, store, world):
    together = threading.Barrier(6)
    answers, failures, acted = [], [], []

    def repeat(number):
        own = open_store(url)

        def act(inner):
            made = accounts.create_account(inner, world.admin, "ann", Role.AUTHOR, START)
            acted.append(number)
            return Answer(made.name.encode(), made.name.encode())

        try:
            together.wait(20)
            answers.append(answer_once(own, asked(world.admin), START, act))
        except ArenaError as failure:
            failures.append(failure)
        finally:
            own.close()

    threads = [threading.Thread(target=repeat, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert failures == []
    assert answers == [b"ann"] * 6
    assert len(acted) == 1


def test_where_the_first_of_two_fails_the_one_that_waits_acts(url, store, world):
    begun, failing = threading.Event(), threading.Event()

    def fails(inner):
        accounts.create_account(inner, world.admin, "ann", Role.AUTHOR, START)
        begun.set()
        failing.wait(20)
        raise ZeroDivisionError

    def first():
        with pytest.raises(ZeroDivisionError):
            answer_once(store, asked(world.admin), START, fails)

    thread = threading.Thread(target=first)
    thread.start()
    assert begun.wait(20)
    threading.Timer(0.1, failing.set).start()
    own = open_store(url)

    assert answer_once(own, asked(world.admin), START, make(world.admin, "ann")) == b"ann"
    thread.join(20)
    own.close()


@pytest.mark.parametrize("text", ["1", "a.b:c-d_E", "x" * 64])
def test_an_id_is_a_short_word(text):
    assert check_request_id(text) == text


@pytest.mark.parametrize("text", ["", "x" * 65, "a b", "ä", "a\n", "a/b"])
def test_what_is_no_id_is_refused(text):
    with pytest.raises(UsageError) as caught:
        check_request_id(text)
    assert caught.value.code == "BAD_REQUEST_ID"
