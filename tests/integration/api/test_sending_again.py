"""Our client over lines that lose answers, and servers that come and go: what was asked happens once."""

import threading
import time

import grpc
import pytest
from cutting import Deaf

from arena.cli import client
from arena.cli.client import Session
from arena.cli.places import Door
from arena.core.errors import Conflict, Unavailable
from arena.v1 import account_pb2


@pytest.fixture
def deaf(arena):
    with Deaf(arena.address, b"CreateAccount") as line:
        yield line


def names(session):
    listed = session.call(session.accounts.ListAccounts, account_pb2.ListAccountsRequest())
    return [each.name for each in listed.accounts]


def test_an_answer_that_is_lost_is_asked_for_again_and_the_work_is_done_once(arena, admin, deaf):
    made = []

    def create():
        with Session(Door(deaf.address, arena.admin)) as session:
            request = account_pb2.CreateAccountRequest(name="ann", role=account_pb2.ROLE_AUTHOR)
            made.append(session.call(session.accounts.CreateAccount, request).account.name)

    thread = threading.Thread(target=create)
    thread.start()
    assert deaf.asked.wait(20)
    until = time.monotonic() + 20
    while "ann" not in names(admin):
        assert time.monotonic() < until
    deaf.cut()
    thread.join(30)

    assert made == ["ann"]
    assert deaf.connections == 2
    assert names(admin) == ["admin", "ann"]


def test_without_an_id_the_same_would_be_told_as_a_conflict(arena, admin):
    request = account_pb2.CreateAccountRequest(name="ann", role=account_pb2.ROLE_AUTHOR)
    admin.call(admin.accounts.CreateAccount, request)

    with pytest.raises(Conflict):
        admin.call(admin.accounts.CreateAccount, request)


def test_a_server_that_is_started_again_is_found_again(arena_with):
    first = arena_with()
    session = first.session()
    assert names(session) == ["admin"]
    first.stop()
    thread = threading.Timer(0.4, lambda: again.append(arena_with(address=first.address)))
    again = []
    thread.start()

    assert names(session) == ["admin"]
    thread.join(20)
    assert again


def test_a_server_that_never_was_there_is_told_at_once(monkeypatch):
    waited = []
    monkeypatch.setattr(client.time, "sleep", waited.append)
    with Session(Door("127.0.0.1:1", "token")) as session, pytest.raises(Unavailable) as caught:
        names(session)

    assert caught.value.code == "NO_SERVER"
    assert waited == []


def test_every_try_of_a_call_carries_one_id_and_every_call_another(arena):
    seen = []

    class Noting(grpc.UnaryUnaryClientInterceptor):
        def intercept_unary_unary(self, continuation, details, request):
            seen.append(dict(details.metadata)["request-id"])
            return continuation(details, request)

    session = arena.session()
    noted = grpc.intercept_channel(session._channel, Noting())
    session.accounts = type(session.accounts)(noted)
    names(session)
    names(session)

    assert len(set(seen)) == len(seen) == 2
