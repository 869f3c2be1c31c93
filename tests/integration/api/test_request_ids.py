"""A request id: whoever sends a call again, for whatever reason, is answered again, and nothing happens twice."""

import hashlib
import re
import sqlite3
import threading
from contextlib import closing

import grpc
import pytest
from google.protobuf.message_factory import GetMessageClass

from arena.api.server import SERVICES
from arena.cli.client import create_tournament
from arena.cli.packing import pack
from arena.services.access import CHANGES, RIGHTS
from arena.v1 import account_pb2, bot_pb2, lobby_pb2, match_pb2, tournament_pb2

METHODS = {f"/{service.full_name}/{method.name}": method for service in SERVICES for method in service.methods}
READING = re.compile("(List|Get|Watch|Compare|WhoAmI|AwaitMatch)")

CREATE = {"name": "cup", "game": "first-snow", "deals": 1}
ENTRANTS = [tournament_pb2.Entrant(bot="ada"), tournament_pb2.Entrant(bot="bert")]


def created(arena, admin):
    create_tournament(admin, "cup", "first-snow", ["ada", "bert"], 2)


def running(arena, admin):
    arena.started(admin, "cup", "ada", "bert", "cleo", deals=2)


def paused(arena, admin):
    running(arena, admin)
    admin.call(admin.tournaments.PauseTournament, tournament_pb2.PauseTournamentRequest(name="cup"))


def played(arena, admin):
    arena.started(admin, "cup", "ada", "bert")
    arena.play()


def retired(arena, admin):
    admin.call(admin.bots.RetireBotVersion, bot_pb2.RetireBotVersionRequest(bot="ada"))


def nothing(arena, admin):
    """Ask for no more than the bots."""


def upload(arena, name):
    packed = pack(arena.bot_folder(name))
    header = bot_pb2.SubmitBotHeader(sha256=packed.sha256, size_bytes=len(packed.archive))
    return [bot_pb2.SubmitBotRequest(header=header), bot_pb2.SubmitBotRequest(chunk=packed.archive)]


def named(kind, before, **other):
    """A call on the tournament "cup", after something; and the same call on another one."""
    return before, kind(name="cup", **other), kind(name="other")


CALLS = {
    "AccountService/CreateAccount": (
        nothing,
        account_pb2.CreateAccountRequest(name="ann", role=account_pb2.ROLE_AUTHOR),
        account_pb2.CreateAccountRequest(name="bob", role=account_pb2.ROLE_AUTHOR),
    ),
    "AccountService/IssueToken": (
        nothing, account_pb2.IssueTokenRequest(label="a"), account_pb2.IssueTokenRequest(label="b"),
    ),
    "AccountService/RevokeToken": (
        lambda arena, admin: admin.call(admin.accounts.IssueToken, account_pb2.IssueTokenRequest()),
        account_pb2.RevokeTokenRequest(token_id="2"),
        account_pb2.RevokeTokenRequest(token_id="1"),
    ),
    "BotService/SubmitBot": (nothing, "dora", "emil"),
    "BotService/RetireBotVersion": (
        nothing, bot_pb2.RetireBotVersionRequest(bot="ada"), bot_pb2.RetireBotVersionRequest(bot="bert"),
    ),
    "BotService/RestoreBotVersion": (
        retired, bot_pb2.RestoreBotVersionRequest(bot="ada"), bot_pb2.RestoreBotVersionRequest(bot="bert"),
    ),
    "LobbyService/RegisterRemoteBot": (
        nothing,
        lobby_pb2.RegisterRemoteBotRequest(manifest='name = "far"\ngames = ["first-snow"]\n', sha256="a" * 64),
        lobby_pb2.RegisterRemoteBotRequest(manifest='name = "far"\ngames = ["first-snow"]\n', sha256="b" * 64),
    ),
    "MatchService/Challenge": (
        nothing,
        match_pb2.ChallengeRequest(bots=[match_pb2.ChallengedBot(bot="ada"), match_pb2.ChallengedBot(bot="bert")]),
        match_pb2.ChallengeRequest(bots=[match_pb2.ChallengedBot(bot="ada"), match_pb2.ChallengedBot(bot="cleo")]),
    ),
    "MatchService/ReproduceMatch": (
        played, match_pb2.ReproduceMatchRequest(match_id="1"), match_pb2.ReproduceMatchRequest(match_id="2"),
    ),
    "TournamentService/CreateTournament": (
        nothing,
        tournament_pb2.CreateTournamentRequest(**CREATE, entrants=ENTRANTS),
        tournament_pb2.CreateTournamentRequest(**CREATE, entrants=ENTRANTS, clock="none"),
    ),
    "TournamentService/StartTournament": named(tournament_pb2.StartTournamentRequest, created),
    "TournamentService/PauseTournament": named(tournament_pb2.PauseTournamentRequest, running),
    "TournamentService/ResumeTournament": named(tournament_pb2.ResumeTournamentRequest, paused),
    "TournamentService/CancelTournament": named(tournament_pb2.CancelTournamentRequest, running),
    "TournamentService/EnterBot": (
        created,
        tournament_pb2.EnterBotRequest(tournament="cup", bot="cleo"),
        tournament_pb2.EnterBotRequest(tournament="cup", bot="ada"),
    ),
    "TournamentService/WithdrawBot": (
        running,
        tournament_pb2.WithdrawBotRequest(tournament="cup", bot="cleo"),
        tournament_pb2.WithdrawBotRequest(tournament="cup", bot="ada"),
    ),
}  # fmt: skip


def test_every_rpc_that_does_not_only_read_is_among_those_that_take_an_id_and_is_tried_here():
    changing = {path for path in RIGHTS if not READING.match(path.rpartition("/")[2])}

    assert set(CHANGES) == changing
    assert {f"/arena.v1.{name}" for name in CALLS} == changing


class Caller:
    """Sends one call again and again."""

    def __init__(self, arena, name) -> None:
        self.arena = arena
        self.path = f"/arena.v1.{name}"
        self.method = METHODS[self.path]

    def send(self, request, request_id=None, secret=None):
        """Return the answer to a request; to submit, a bot's name stands for one."""
        metadata = [("authorization", f"Bearer {secret or self.arena.admin}")]
        metadata += [("request-id", request_id)] if request_id else []
        answer = GetMessageClass(self.method.output_type)
        with grpc.insecure_channel(self.arena.address) as channel:
            kind = channel.stream_unary if self.method.client_streaming else channel.unary_unary
            call = kind(
                self.path,
                request_serializer=lambda each: each.SerializeToString(),
                response_deserializer=answer.FromString,
            )
            sent = iter(upload(self.arena, request)) if isinstance(request, str) else request
            return call(sent, metadata=metadata, timeout=20)


@pytest.fixture(params=sorted(CALLS))
def prepared_call(request, arena, admin):
    """An arena in which a call makes sense, the call, and another one of the same method."""
    before, wanted, other = CALLS[request.param]
    arena.submit(admin, "ada", "bert", "cleo")
    before(arena, admin)
    return Caller(arena, request.param), wanted, other


def rows(arena):
    """Everything that is stored."""
    with closing(sqlite3.connect(arena.folder / "arena.db")) as database:
        return list(database.iterdump())


def without_secret(answer):
    kept = type(answer)()
    kept.CopyFrom(answer)
    if isinstance(kept, account_pb2.IssueTokenResponse):
        kept.secret = ""
    return kept


def twice_at_once(caller, request, request_id):
    """Send the same call twice at the same time, and return both answers."""
    together, answers = threading.Barrier(2), []

    def send():
        together.wait(20)
        answers.append(caller.send(request, request_id))

    threads = [threading.Thread(target=send) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    return answers


def test_a_call_sent_again_with_its_id_at_once_or_later_has_the_same_answer_and_happens_once(prepared_call):
    caller, wanted, other = prepared_call
    answers = [without_secret(answer) for answer in twice_at_once(caller, wanted, "once")]
    stored = rows(caller.arena)
    caller.arena.clock.advance(minutes=5)

    assert len(answers) == 2
    assert answers[0] == answers[1] == caller.send(wanted, "once")
    assert rows(caller.arena) == stored
    with pytest.raises(grpc.RpcError) as caught:
        caller.send(other, "once")
    trailing = {entry.key: entry.value for entry in caught.value.trailing_metadata()}
    assert (caught.value.code(), trailing["reason"]) == (grpc.StatusCode.FAILED_PRECONDITION, "REQUEST_ID_REUSED")
    assert rows(caller.arena) == stored


def test_a_restarted_server_knows_what_it_has_answered(arena_with):
    first = arena_with()
    caller = Caller(first, "AccountService/IssueToken")
    made = caller.send(account_pb2.IssueTokenRequest(label="a"), "once")
    first.stop()

    again = Caller(arena_with(), "AccountService/IssueToken").send(account_pb2.IssueTokenRequest(label="a"), "once")

    assert again == without_secret(made)


def test_a_repeated_token_is_shown_without_its_secret_which_is_stored_nowhere(arena):
    made = Caller(arena, "AccountService/IssueToken").send(account_pb2.IssueTokenRequest(label="a"), "once")

    assert made.secret
    for file in arena.folder.glob("arena.db*"):
        assert made.secret.encode() not in file.read_bytes()
    assert made.secret not in "\n".join(rows(arena))
    assert hashlib.sha256(made.secret.encode()).hexdigest() in "\n".join(rows(arena))


def test_two_accounts_may_use_the_same_id(arena, admin):
    arena.author("ann")
    secret = admin.call(admin.accounts.IssueToken, account_pb2.IssueTokenRequest(account="ann")).secret
    caller = Caller(arena, "AccountService/IssueToken")

    mine = caller.send(account_pb2.IssueTokenRequest(), "once")
    hers = caller.send(account_pb2.IssueTokenRequest(), "once", secret)

    assert (mine.token.account, hers.token.account) == ("admin", "ann")


def test_a_call_that_was_refused_may_be_sent_again_once_it_can_succeed(arena, admin):
    caller = Caller(arena, "TournamentService/EnterBot")
    arena.submit(admin, "ada", "bert", "cleo")
    request = tournament_pb2.EnterBotRequest(tournament="cup", bot="cleo")
    with pytest.raises(grpc.RpcError):
        caller.send(request, "once")
    created(arena, admin)

    assert caller.send(request, "once").entrant.bot == "cleo"


@pytest.mark.parametrize("request_id", ["a b", "x" * 65, "a/b"])
def test_an_id_that_is_none_is_refused(arena, request_id):
    with pytest.raises(grpc.RpcError) as caught:
        Caller(arena, "AccountService/IssueToken").send(account_pb2.IssueTokenRequest(), request_id)
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "1 to 64" in caught.value.details()
