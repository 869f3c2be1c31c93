"""Every RPC of the server, called with every kind of token, and by whoever it does not belong to.

The RPCs are those that reflection lists; one that has no row in FOREIGN or SHARED makes these tests fail.
"""

import secrets

import grpc
import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from arena.api.server import SERVICES
from arena.cli.client import create_tournament, submit_folder
from arena.core.errors import ArenaError
from arena.services.access import OPEN, RIGHTS
from arena.v1 import account_pb2, bot_pb2, match_pb2, tournament_pb2
from referee.tickets import Tickets

METHODS = {f"/{service.full_name}/{method.name}": method for service in SERVICES for method in service.methods}
ROLES = {
    "author": account_pb2.ROLE_AUTHOR,
    "organiser": account_pb2.ROLE_ORGANISER,
    "admin": account_pb2.ROLE_ADMIN,
}
UNAUTHENTICATED = grpc.StatusCode.UNAUTHENTICATED


@pytest.fixture
def channel(arena):
    with grpc.insecure_channel(arena.address) as opened:
        yield opened


def ask(channel, path, authorization="", body=b""):
    """Call a method with an empty request, or other bytes; return its status and reason, and what it answered first."""
    method = METHODS[path]
    kind = f"{'stream' if method.client_streaming else 'unary'}_{'stream' if method.server_streaming else 'unary'}"
    call = getattr(channel, kind)(path, request_serializer=bytes, response_deserializer=bytes)
    metadata = [("authorization", authorization)] if authorization else []
    try:
        answer = call(iter([body]) if method.client_streaming else body, timeout=10, metadata=metadata)
        first = next(answer, b"") if method.server_streaming else answer
        if method.server_streaming:
            answer.cancel()
    except grpc.RpcError as error:
        trailing = {entry.key: entry.value for entry in error.trailing_metadata() or ()}
        return error.code(), trailing.get("reason"), b""
    return grpc.StatusCode.OK, None, first


def issued(arena, admin, role, **facts):
    """The secret of a new account's token."""
    name = f"an-{role}"
    admin.call(admin.accounts.CreateAccount, account_pb2.CreateAccountRequest(name=name, role=ROLES[role]))
    return admin.call(admin.accounts.IssueToken, account_pb2.IssueTokenRequest(account=name, **facts))


def test_reflection_lists_no_rpc_that_has_no_rule(channel):
    stub = reflection_pb2_grpc.ServerReflectionStub(channel)

    def reflect(**what):
        request = reflection_pb2.ServerReflectionRequest(**what)
        return next(iter(stub.ServerReflectionInfo(iter([request]), timeout=10)))

    served = set()
    for service in reflect(list_services="").list_services_response.service:
        files = reflect(file_containing_symbol=service.name).file_descriptor_response.file_descriptor_proto
        for file in map(FileDescriptorProto.FromString, files):
            served |= {
                f"/{service.name}/{method.name}"
                for each in file.service
                if f"{file.package}.{each.name}" == service.name
                for method in each.method
            }
    assert served >= set(METHODS)
    assert served == set(RIGHTS) | set(OPEN)


NO_TOKENS = {
    "": "NO_TOKEN",
    "Bearer wo_guess": "TOKEN_UNKNOWN",
    f"Bearer wo_{'a' * 43}": "TOKEN_UNKNOWN",
    f"Bearer wo_{'a' * 5000}": "TOKEN_UNKNOWN",
    f"Bearer {Tickets().issue('seat 0')}": "TOKEN_UNKNOWN",  # a bot's ticket
    "Basic YWRtaW4=": "BAD_TOKEN",
    "Bearer ": "BAD_TOKEN",
    "Bearer": "BAD_TOKEN",
}


def test_no_rpc_answers_without_a_token_or_to_what_is_none(channel):
    for authorization, reason in NO_TOKENS.items():
        for path in METHODS:
            assert ask(channel, path, authorization)[:2] == (UNAUTHENTICATED, reason), (authorization, path)


def test_no_rpc_answers_to_a_token_that_has_been_revoked(arena, admin, channel):
    for role in ROLES:
        made = issued(arena, admin, role)
        admin.call(admin.accounts.RevokeToken, account_pb2.RevokeTokenRequest(token_id=made.token.id))
        for path in METHODS:
            assert ask(channel, path, f"Bearer {made.secret}")[:2] == (UNAUTHENTICATED, "TOKEN_REVOKED"), (role, path)


def test_no_rpc_answers_to_a_token_that_has_expired(arena, admin, channel):
    secrets_of = {role: issued(arena, admin, role, lifetime_s=60).secret for role in ROLES}
    arena.clock.advance(seconds=60)
    for role, secret in secrets_of.items():
        for path in METHODS:
            assert ask(channel, path, f"Bearer {secret}")[:2] == (UNAUTHENTICATED, "TOKEN_EXPIRED"), (role, path)


@pytest.mark.parametrize("role", ROLES)
def test_each_role_is_let_in_where_its_row_says_so_and_nowhere_else(arena, admin, channel, role):
    secret = issued(arena, admin, role).secret
    order = list(ROLES)

    for path, needed in RIGHTS.items():
        status, reason, _ = ask(channel, path, f"Bearer {secret}")
        if order.index(role) < order.index(needed.lower()):
            assert (status, reason) == (grpc.StatusCode.PERMISSION_DENIED, "ROLE_TOO_LOW"), path
        else:
            assert status not in {UNAUTHENTICATED, grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN}, path
            assert reason != "ROLE_TOO_LOW", path


FILE_WORDS, OUTPUT_WORDS, LABEL_WORDS = "what-ann-has-written", "out hers", "what-ann-calls-her-token"

FOREIGN = {
    "AccountService/IssueToken": account_pb2.IssueTokenRequest(account="ann"),
    "AccountService/ListTokens": account_pb2.ListTokensRequest(account="ann"),
    "AccountService/RevokeToken": account_pb2.RevokeTokenRequest(token_id="2"),
    "BotService/GetSeatOutput": bot_pb2.GetSeatOutputRequest(match_id="1", seat=0),
    "BotService/RetireBotVersion": bot_pb2.RetireBotVersionRequest(bot="hers"),
    "BotService/RestoreBotVersion": bot_pb2.RestoreBotVersionRequest(bot="hers"),
    "MatchService/Challenge": match_pb2.ChallengeRequest(bots=[match_pb2.ChallengedBot(bot="hers")] * 2),
    "TournamentService/CancelTournament": tournament_pb2.CancelTournamentRequest(name="hers"),
    "TournamentService/EnterBot": tournament_pb2.EnterBotRequest(tournament="later", bot="hers"),
    "TournamentService/WithdrawBot": tournament_pb2.WithdrawBotRequest(tournament="cup", bot="hers"),
}
"""What an author asks for that is another author's; each is refused."""

SHARED = {
    "AccountService/WhoAmI", "BotService/GetBot", "BotService/ListBots", "BotService/ListBotVersions",
    "BotService/GetSubmission", "BotService/WatchSubmission", "MatchService/GetMatch", "MatchService/ListMatches",
    "MatchService/GetMatchLog", "MatchService/ReproduceMatch", "RatingService/ListRatingPools",
    "RatingService/ListRatings", "RatingService/ListRatingChanges", "RatingService/CompareBots",
    "RatingService/GetReliability", "TournamentService/GetTournament", "TournamentService/ListTournaments",
    "TournamentService/WatchTournament", "TournamentService/GetStandings", "TournamentService/GetProof",
    # Tried by tests of their own: a name that is taken, and the lobby.
    "BotService/SubmitBot", "LobbyService/RegisterRemoteBot", "LobbyService/AwaitMatch",
}  # fmt: skip
"""What is nobody's own."""


@pytest.fixture
def hers(arena, admin):
    """Ann's bot, its files and output, her cup and her challenge; returns Bob's and an organiser's secrets."""
    ann = arena.author("ann", account_pb2.ROLE_ORGANISER)
    ann.call(ann.accounts.IssueToken, account_pb2.IssueTokenRequest(label=LABEL_WORDS))
    submit_folder(ann, arena.bot_folder("hers", f"print('{FILE_WORDS}')\n"))
    arena.submit(ann, "second")
    arena.started(ann, "cup", "hers", "second")
    arena.play()
    arena.started(ann, "hers", "hers", "second")
    create_tournament(ann, "later", "first-snow", ["hers", "second"], 1)
    return {role: issued(arena, admin, role).secret for role in ("author", "organiser")}


def test_every_rpc_that_an_author_may_make_is_either_nobodys_own_or_refused_to_others():
    open_to_authors = {path.removeprefix("/arena.v1.") for path, role in RIGHTS.items() if role == "AUTHOR"}

    assert open_to_authors - SHARED == set(FOREIGN)


def test_what_is_another_authors_is_refused_to_an_author(channel, hers):
    for name, request in FOREIGN.items():
        status, reason, _ = ask(channel, f"/arena.v1.{name}", f"Bearer {hers['author']}", request.SerializeToString())
        hidden = name == "AccountService/RevokeToken"  # it does not even say that the token is there
        assert status is (grpc.StatusCode.NOT_FOUND if hidden else grpc.StatusCode.PERMISSION_DENIED), name
        assert reason in {"NOT_YOURS", "ROLE_NEEDED", "NO_SUCH_TOKEN"}, name


def test_what_is_hers_ann_may_do(arena, channel, hers, admin):
    secret = admin.call(admin.accounts.IssueToken, account_pb2.IssueTokenRequest(account="ann")).secret
    for name in sorted(set(FOREIGN) - {"AccountService/RevokeToken", "TournamentService/CancelTournament"}):
        status, reason, _ = ask(channel, f"/arena.v1.{name}", f"Bearer {secret}", FOREIGN[name].SerializeToString())
        assert status not in {grpc.StatusCode.PERMISSION_DENIED, UNAUTHENTICATED}, (name, reason)


@pytest.mark.parametrize("role", ["author", "organiser"])
def test_no_byte_of_a_bots_files_or_output_reaches_others(arena, channel, hers, role):
    requests = {
        "MatchService/GetMatch": match_pb2.GetMatchRequest(match_id="1"),
        "MatchService/GetMatchLog": match_pb2.GetMatchLogRequest(match_id="1"),
        "BotService/GetBot": bot_pb2.GetBotRequest(name="hers"),
        "BotService/ListBotVersions": bot_pb2.ListBotVersionsRequest(bot="hers"),
        "BotService/GetSubmission": bot_pb2.GetSubmissionRequest(bot="hers"),
        "BotService/WatchSubmission": bot_pb2.WatchSubmissionRequest(bot="hers"),
        "TournamentService/GetTournament": tournament_pb2.GetTournamentRequest(name="cup"),
        "TournamentService/GetStandings": tournament_pb2.GetStandingsRequest(name="cup", detail=True),
        "TournamentService/WatchTournament": tournament_pb2.WatchTournamentRequest(name="cup"),
        **FOREIGN,
    }
    answered = 0
    for path in sorted(METHODS):
        body = requests.get(path.removeprefix("/arena.v1."))
        status, _, answer = ask(
            channel, path, f"Bearer {hers[role]}", b"" if body is None else body.SerializeToString()
        )
        answered += status is grpc.StatusCode.OK
        for words in (FILE_WORDS, OUTPUT_WORDS, LABEL_WORDS):
            assert words.encode() not in answer, path
    assert answered >= 12


def test_an_organiser_has_no_hand_in_another_organisers_tournament(arena, channel, hers):
    for verb in ("Start", "Pause", "Resume", "Cancel"):
        request = getattr(tournament_pb2, f"{verb}TournamentRequest")(name="cup")
        path = f"/arena.v1.TournamentService/{verb}Tournament"
        status, _, _ = ask(channel, path, f"Bearer {hers['organiser']}", request.SerializeToString())
        assert status is grpc.StatusCode.PERMISSION_DENIED, verb


def test_a_refusal_says_the_same_of_accounts_and_tokens_that_are_there_and_that_are_not(arena, hers):
    bob = arena.session(hers["author"])

    def said(method, request, *names):
        with pytest.raises(ArenaError) as caught:
            bob.call(method, request)
        text = caught.value.message
        for name in names:
            text = text.replace(name, "X")
        return type(caught.value), caught.value.code, text

    there, nowhere = "ann", "nobody-" + secrets.token_hex(4)
    for method, kind in (
        (bob.accounts.IssueToken, account_pb2.IssueTokenRequest),
        (bob.accounts.ListTokens, account_pb2.ListTokensRequest),
    ):
        assert said(method, kind(account=there)) == said(method, kind(account=nowhere))
    revoke = account_pb2.RevokeTokenRequest
    assert said(bob.accounts.RevokeToken, revoke(token_id="2"), "2") == said(
        bob.accounts.RevokeToken, revoke(token_id="9999"), "9999"
    )
    make = account_pb2.CreateAccountRequest
    assert said(bob.accounts.CreateAccount, make(name=there, role=1)) == said(
        bob.accounts.CreateAccount, make(name=nowhere, role=1)
    )
