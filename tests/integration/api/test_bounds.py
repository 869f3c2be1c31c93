"""Limits of an account, and calls that end before their work does."""

import logging
import re
import threading
import time
from contextlib import suppress

import grpc
import pytest

from arena.api.limits import Limits
from arena.cli import client
from arena.core.errors import LimitReached
from arena.services import requests
from arena.services.archives import MAX_ARCHIVE_BYTES
from arena.v1 import account_pb2, bot_pb2, match_pb2, tournament_pb2
from arena.v1.account_pb2_grpc import AccountServiceStub
from arena.v1.tournament_pb2_grpc import TournamentServiceStub


def who(session):
    return session.call(session.accounts.WhoAmI, account_pb2.WhoAmIRequest())


@pytest.fixture
def impatient(monkeypatch):
    """A client that is told of every refusal, where others wait a moment and try again."""
    monkeypatch.setattr(client, "LONGEST_WAIT_S", 0)


def raw(arena, method, request, secret=None):
    """Make one call without our client; return (status, message, trailing metadata)."""
    with grpc.insecure_channel(arena.address) as channel:
        stub = AccountServiceStub(channel)
        with pytest.raises(grpc.RpcError) as caught:
            getattr(stub, method)(request, timeout=10, metadata=[("authorization", f"Bearer {secret or arena.admin}")])
    trailing = {entry.key: entry.value for entry in caught.value.trailing_metadata()}
    return caught.value.code(), caught.value.details(), trailing


def test_who_calls_too_often_is_told_when_to_try_again_and_others_are_served(arena_with, impatient):
    arena = arena_with(limits=Limits(per_s=0.5, burst=5))
    ann = arena.author("ann")
    for _ in range(5):
        who(ann)
    with pytest.raises(LimitReached) as caught:
        who(ann)

    assert (caught.value.code, caught.value.retry_after_s) == ("RATE_LIMITED", 2)
    assert caught.value.message == ("ann calls too often: 0.5 calls a second are the most, 5 at once; try again in 2 s")
    assert who(arena.session()).account.name == "admin"


def test_our_client_waits_for_a_limit_that_is_soon_over(arena_with):
    arena = arena_with(limits=Limits(per_s=2.0, burst=3))
    session = arena.session()

    for _ in range(5):
        assert who(session).account.name == "admin"


def test_every_limit_that_waiting_lifts_says_so_in_words_and_in_metadata(arena_with):
    arena = arena_with(limits=Limits(per_s=0.1, burst=1))
    who(arena.session())

    status, message, trailing = raw(arena, "WhoAmI", account_pb2.WhoAmIRequest())

    assert status is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert trailing["reason"] == "RATE_LIMITED"
    assert message.endswith(f"; try again in {trailing['retry-after']} s")


def test_the_command_line_says_it_in_one_line(arena_with, monkeypatch, capsys, impatient):
    from arena.cli.main import run

    arena = arena_with(limits=Limits(per_s=0.1, burst=1))
    monkeypatch.setenv("ARENA_SERVER", arena.address)
    monkeypatch.setenv("ARENA_TOKEN", arena.admin)
    assert run(["bots"]) == 0
    capsys.readouterr()

    assert run(["bots"]) == 1
    assert re.fullmatch(r"error: admin calls too often: .*; try again in \d+ s\n", capsys.readouterr().err)


def test_challenges_that_are_not_finished_are_bounded(arena, admin):
    arena.submit(admin, "ada", "bert")
    bots = [match_pb2.ChallengedBot(bot="ada"), match_pb2.ChallengedBot(bot="bert")]
    for _ in range(requests.MAX_OPEN):
        admin.call(admin.matches.Challenge, match_pb2.ChallengeRequest(bots=bots))
    with pytest.raises(LimitReached) as caught:
        admin.call(admin.matches.Challenge, match_pb2.ChallengeRequest(bots=bots))

    assert caught.value.code == "TOO_MANY_REQUESTS"
    assert caught.value.retry_after_s > client.LONGEST_WAIT_S
    arena.play()
    admin.call(admin.matches.Challenge, match_pb2.ChallengeRequest(bots=bots))


def test_an_archive_above_the_limit_is_refused_by_its_header_and_waiting_is_not_advised(arena, admin):
    header = bot_pb2.SubmitBotHeader(sha256="0" * 64, size_bytes=MAX_ARCHIVE_BYTES + 1)
    with pytest.raises(LimitReached) as caught:
        admin.upload(admin.bots.SubmitBot, iter([bot_pb2.SubmitBotRequest(header=header)]))

    assert (caught.value.code, caught.value.retry_after_s) == ("ARCHIVE_TOO_LARGE", 0)
    assert "try again" not in caught.value.message


class Slow:
    """A store whose reads last until they are let go."""

    def __init__(self, store) -> None:
        self.inside = threading.Semaphore(0)
        self.let_go = threading.Event()
        self._store = store
        self._read = store.read
        store.read = self._slowly

    def _slowly(self):
        if threading.current_thread().name.startswith("api_"):
            self.inside.release()
            self.let_go.wait(20)
        return self._read()

    def end(self) -> None:
        self.let_go.set()
        self._store.read = self._read


@pytest.fixture
def slow(arena):
    made = Slow(arena.store)
    yield made
    made.end()


def verdicts(caplog, method):
    return [record.getMessage() for record in caplog.records if method in record.getMessage()]


def wait_for(condition, seconds=20.0):
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.parametrize("how", ["cancelled", "late"])
def test_a_call_that_nobody_waits_for_gives_its_place_back_when_its_thread_is_free(arena, slow, caplog, how):
    caplog.set_level(logging.INFO, "arena.api")
    with grpc.insecure_channel(arena.address) as channel:
        stub = AccountServiceStub(channel)
        metadata = [("authorization", f"Bearer {arena.admin}")]
        timeout = 20 if how == "cancelled" else 0.5
        call = stub.ListTokens.future(account_pb2.ListTokensRequest(), timeout=timeout, metadata=metadata)
        assert slow.inside.acquire(timeout=20)
        if how == "cancelled":
            call.cancel()
            for _ in range(3):  # by now the server has heard of it: this goes the same way
                stub.WhoAmI(account_pb2.WhoAmIRequest(), timeout=20, metadata=metadata)
        with pytest.raises((grpc.RpcError, grpc.FutureCancelledError)):
            call.result(timeout=20)
        assert verdicts(caplog, "ListTokens") == []
        slow.let_go.set()
        wait_for(lambda: verdicts(caplog, "ListTokens"))
    assert "CANCELLED" in verdicts(caplog, "ListTokens")[0]


def test_many_slow_calls_of_one_account_keep_no_other_waiting(arena, slow, caplog):
    secret = arena.admin
    with grpc.insecure_channel(arena.address) as channel:
        stub = AccountServiceStub(channel)
        metadata = [("authorization", f"Bearer {secret}")]
        calls = [
            stub.ListTokens.future(account_pb2.ListTokensRequest(), timeout=20, metadata=metadata) for _ in range(40)
        ]
        for _ in range(Limits().threads):
            assert slow.inside.acquire(timeout=20)
        assert not slow.inside.acquire(timeout=0.2)
        slow.let_go.set()
        for call in calls:
            call.result(timeout=20)


def test_a_cancelled_call_is_done_whole_or_not_at_all_and_may_be_sent_again(arena, admin):
    for number in range(12):
        with grpc.insecure_channel(arena.address) as channel:
            stub = AccountServiceStub(channel)
            metadata = [("authorization", f"Bearer {arena.admin}"), ("request-id", f"r{number}")]
            request = account_pb2.CreateAccountRequest(name=f"a{number}", role=account_pb2.ROLE_AUTHOR)
            call = stub.CreateAccount.future(request, timeout=20, metadata=metadata)
            threading.Timer(0.002 * number, call.cancel).start()
            with suppress(grpc.RpcError, grpc.FutureCancelledError):  # sooner or later, in the middle or too late
                call.result(timeout=20)
            assert stub.CreateAccount(request, timeout=20, metadata=metadata).account.name == f"a{number}"


def watch_call(arena, secret):
    channel = grpc.insecure_channel(arena.address, [("grpc.use_local_subchannel_pool", 1)])
    stub = TournamentServiceStub(channel)
    request = tournament_pb2.WatchTournamentRequest(name="cup")
    return channel, stub.WatchTournament(request, metadata=[("authorization", f"Bearer {secret}")])


@pytest.fixture
def cup(arena, admin):
    arena.submit(admin, "ada", "bert")
    return arena.started(admin, "cup", "ada", "bert")


@pytest.mark.parametrize("how", ["cancelled", "gone"])
def test_a_watch_ends_when_its_client_goes(arena, cup, caplog, how):
    caplog.set_level(logging.INFO, "arena.api")
    channel, call = watch_call(arena, arena.admin)
    next(call)
    call.cancel() if how == "cancelled" else channel.close()

    wait_for(lambda: verdicts(caplog, "WatchTournament"))
    assert "CANCELLED" in verdicts(caplog, "WatchTournament")[0]
    channel.close()


@pytest.mark.parametrize("revoked", [True, False])
def test_a_watch_that_tells_nothing_ends_soon_after_its_token(arena, admin, cup, monkeypatch, revoked):
    from arena.api import gate

    monkeypatch.setattr(gate, "AGAIN_S", 0.0)
    made = admin.call(admin.accounts.IssueToken, account_pb2.IssueTokenRequest(lifetime_s=60))
    channel, call = watch_call(arena, made.secret)
    next(call)
    if revoked:
        admin.call(admin.accounts.RevokeToken, account_pb2.RevokeTokenRequest(token_id=made.token.id))
    else:
        arena.clock.advance(seconds=61)

    with pytest.raises(grpc.RpcError) as caught:
        list(call)
    assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED
    channel.close()


def test_the_places_of_watches_that_have_gone_are_free_again(arena, cup):
    most = Limits().calls
    for _ in range(3):
        channel, _ = watch_call(arena, arena.admin)
        calls = [watch_call_on(channel, arena) for _ in range(most - 2)]
        for call in calls:
            next(call)
        for call in calls:
            call.cancel()
        channel.close()
    assert who(arena.session()).account.name == "admin"


def watch_call_on(channel, arena):
    request = tournament_pb2.WatchTournamentRequest(name="cup")
    metadata = [("authorization", f"Bearer {arena.admin}")]
    return TournamentServiceStub(channel).WatchTournament(request, metadata=metadata)


def test_many_logs_in_a_row_are_fetched_in_spite_of_the_limit(arena_with):
    arena = arena_with(limits=Limits(per_s=4.0, burst=12))
    session = arena.session()
    arena.submit(session, "ada", "bert")
    arena.started(session, "cup", "ada", "bert")
    arena.play()
    request = match_pb2.GetMatchLogRequest(match_id="1")

    sizes = {sum(len(part.chunk) for part in session.stream(session.matches.GetMatchLog, request)) for _ in range(14)}

    assert len(sizes) == 1
