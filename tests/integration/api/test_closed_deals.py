"""While a deal is being played, nothing of it leaves: every RPC, asked by every role, and every byte that comes back.

The RPCs are those of the service descriptors; one that has no row in ASKED makes these tests fail.
"""

import base64
import hashlib
from collections.abc import Iterator

import grpc
import pytest

from arena.api.server import SERVICES
from arena.cli.client import create_tournament, start_tournament
from arena.match.result import MatchEnd, MatchResult, SeatEnd
from arena.services import dispatch, results
from arena.store.tables import deals, tournaments
from arena.v1 import account_pb2, bot_pb2, lobby_pb2, match_pb2, rating_pb2, tournament_pb2

LOG_WORDS = b"what the log of a closed deal says"
OUTPUT_WORDS = b"what a bot printed in a closed deal"
MATCHES = tuple(map(str, range(1, 13)))
"""Those of the cup: three pairs, two legs, two deals; the first two blocks have been played."""

ASKED = {
    "AccountService/WhoAmI": lambda role: [account_pb2.WhoAmIRequest()],
    "AccountService/CreateAccount": lambda role: [account_pb2.CreateAccountRequest(name=f"made-by-{role}", role=1)],
    "AccountService/ListAccounts": lambda role: [account_pb2.ListAccountsRequest()],
    "AccountService/IssueToken": lambda role: [account_pb2.IssueTokenRequest()],
    "AccountService/RevokeToken": lambda role: [account_pb2.RevokeTokenRequest(token_id="99")],
    "AccountService/ListTokens": lambda role: [account_pb2.ListTokensRequest()],
    "BotService/SubmitBot": lambda role: [bot_pb2.SubmitBotRequest(chunk=b"no archive")],
    "BotService/GetBot": lambda role: [bot_pb2.GetBotRequest(name="ann")],
    "BotService/ListBots": lambda role: [bot_pb2.ListBotsRequest()],
    "BotService/ListBotVersions": lambda role: [bot_pb2.ListBotVersionsRequest(bot="ann")],
    "BotService/GetSubmission": lambda role: [bot_pb2.GetSubmissionRequest(bot="ann")],
    "BotService/WatchSubmission": lambda role: [bot_pb2.WatchSubmissionRequest(bot="ann")],
    "BotService/GetSeatOutput": lambda role: [
        bot_pb2.GetSeatOutputRequest(match_id=match, seat=seat) for match in MATCHES for seat in (0, 1)
    ],
    "BotService/RetireBotVersion": lambda role: [bot_pb2.RetireBotVersionRequest(bot="idle", version=1)],
    "BotService/RestoreBotVersion": lambda role: [bot_pb2.RestoreBotVersionRequest(bot="idle", version=1)],
    "LobbyService/RegisterRemoteBot": lambda role: [
        lobby_pb2.RegisterRemoteBotRequest(
            manifest=f'name = "far-{role}"\ngames = ["first-snow"]\n', sha256=hashlib.sha256(role.encode()).hexdigest()
        )
    ],
    "LobbyService/AwaitMatch": lambda role: [
        lobby_pb2.AwaitMatchRequest(enter=lobby_pb2.EnterLobby(bot=bot, version=1, session="s" * 16, places=1))
        for bot in (f"far-{role}", "idle")
    ],
    "MatchService/GetMatch": lambda role: [match_pb2.GetMatchRequest(match_id=match) for match in MATCHES],
    "MatchService/ListMatches": lambda role: [
        match_pb2.ListMatchesRequest(),
        match_pb2.ListMatchesRequest(tournament="cup", page_size=1),
        *(match_pb2.ListMatchesRequest(state=state) for state in match_pb2.MatchState.values()),
    ],
    "MatchService/GetMatchLog": lambda role: [match_pb2.GetMatchLogRequest(match_id=match) for match in MATCHES],
    "MatchService/Challenge": lambda role: [
        match_pb2.ChallengeRequest(bots=[match_pb2.ChallengedBot(bot=bot) for bot in ("ann", "bob")])
    ],
    "MatchService/ReproduceMatch": lambda role: [match_pb2.ReproduceMatchRequest(match_id=match) for match in MATCHES],
    "RatingService/ListRatingPools": lambda role: [rating_pb2.ListRatingPoolsRequest()],
    "RatingService/ListRatings": lambda role: [rating_pb2.ListRatingsRequest(pool_id="1")],
    "RatingService/ListRatingChanges": lambda role: [rating_pb2.ListRatingChangesRequest(bot="ann")],
    "RatingService/CompareBots": lambda role: [
        rating_pb2.CompareBotsRequest(bot="ann", other_bot="bob"),
        rating_pb2.CompareBotsRequest(bot="ann", other_bot="bob", tournament="cup"),
    ],
    "RatingService/GetReliability": lambda role: [rating_pb2.GetReliabilityRequest(pool_id="1")],
    "TournamentService/CreateTournament": lambda role: [
        tournament_pb2.CreateTournamentRequest(name="cup", game="first-snow"),
        tournament_pb2.CreateTournamentRequest(name=f"cup-of-{role}", game="first-snow"),
    ],
    "TournamentService/StartTournament": lambda role: [tournament_pb2.StartTournamentRequest(name="cup")],
    "TournamentService/PauseTournament": lambda role: [tournament_pb2.PauseTournamentRequest(name="cup")],
    "TournamentService/ResumeTournament": lambda role: [tournament_pb2.ResumeTournamentRequest(name="cup")],
    # Cancelling opens every deal, which is its meaning; here it meets one that may not be cancelled by the caller or
    # is none.
    "TournamentService/CancelTournament": lambda role: [tournament_pb2.CancelTournamentRequest(name="other")],
    "TournamentService/EnterBot": lambda role: [tournament_pb2.EnterBotRequest(tournament="cup", bot="ann")],
    "TournamentService/WithdrawBot": lambda role: [tournament_pb2.WithdrawBotRequest(tournament="cup", bot="idle")],
    "TournamentService/GetTournament": lambda role: [tournament_pb2.GetTournamentRequest(name="cup")],
    "TournamentService/ListTournaments": lambda role: [tournament_pb2.ListTournamentsRequest(requests=True)],
    "TournamentService/WatchTournament": lambda role: [tournament_pb2.WatchTournamentRequest(name="cup")],
    "TournamentService/GetStandings": lambda role: [
        tournament_pb2.GetStandingsRequest(name="cup", detail=detail) for detail in (False, True)
    ],
    "TournamentService/GetProof": lambda role: [tournament_pb2.GetProofRequest(name="cup")],
}
"""What is asked of each RPC, by an account with this name."""

METHODS = [method for service in SERVICES for method in service.methods]
ROLES = {
    "stranger": account_pb2.ROLE_AUTHOR,
    "author": account_pb2.ROLE_AUTHOR,
    "organiser": account_pb2.ROLE_ORGANISER,
    "admin": account_pb2.ROLE_ADMIN,
}


@pytest.fixture
def secrets(arena, admin):
    """A cup whose first deal is half played, with everything of it that may not be known; by what it is."""
    sessions = {name: arena.author(name, role) for name, role in ROLES.items() if name != "admin"}
    arena.submit(sessions["author"], "ann", "bob", "cyd")
    arena.submit(admin, "idle")
    create_tournament(sessions["organiser"], "cup", "first-snow", ["ann", "bob", "cyd"], 2)
    start_tournament(sessions["organiser"], "cup")
    found = {"the log": LOG_WORDS, "the output": OUTPUT_WORDS}
    for _ in range(2):
        claim = dispatch.claim(arena.store, "test:1", arena.clock())
        for leg in claim.legs:
            log = b'{"seed":"%s","match":"%d","says":"%s"}\n' % (leg.seed.hex().encode(), leg.match_id, LOG_WORDS)
            found[f"the digest of log {leg.match_id}"] = hashlib.sha256(log).digest()
            results.record(arena.store, recording(claim, leg, log.decode()), arena.clock())
    dispatch.claim(arena.store, "test:2", arena.clock())
    with arena.store.read() as tx:
        for row in tx.execute(deals.select()):
            found[f"the seed of deal {row.number}"] = bytes(row.seed)
        found["the secret"] = bytes(tx.execute(tournaments.select()).one().secret)
    arena.tokens = {name: token_of(session) for name, session in sessions.items()} | {"admin": arena.admin}
    return found


def recording(claim, leg, log):
    return results.Recording(
        block_id=claim.block_id,
        attempt=claim.attempt,
        match_id=leg.match_id,
        result=MatchResult(MatchEnd.COMPLETED, (SeatEnd.PLAYED,) * 2, (1, 2), (20, 10), "points", 42),
        log=log,
        outputs=tuple(results.SeatOutput(OUTPUT_WORDS, truncated=False) for _ in leg.seats),
        times=tuple(results.SeatTimes((5, 9), (0, 4)) for _ in leg.seats),
    )


def token_of(session) -> str:
    return session._metadata[0][1].removeprefix("Bearer ")


def spellings(secret: bytes) -> Iterator[bytes]:
    """How a secret could be written."""
    yield secret
    for text in (secret.hex(), secret.hex().upper(), base64.b64encode(secret).decode().rstrip("=")):
        yield text.encode()


def answers(arena, role: str, method, request) -> bytes:
    """Everything that comes back: messages, status, details and metadata; of a stream, what comes at once."""
    path = f"/{method.containing_service.full_name}/{method.name}"
    said = [("authorization", f"Bearer {arena.tokens[role]}")]
    with grpc.insecure_channel(arena.address) as channel:
        kind = ("stream" if method.client_streaming else "unary") + ("_stream" if method.server_streaming else "_unary")
        call = getattr(channel, kind)(path, request_serializer=type(request).SerializeToString)
        given = iter([request]) if method.client_streaming else request
        heard = []
        try:
            if method.server_streaming:
                stream = call(given, metadata=said, timeout=1.5)
                for part in stream:
                    heard.append(part)
                    if method.name.startswith(("Watch", "Await")):
                        break
                stream.cancel()
            else:
                heard.append(call(given, metadata=said, timeout=20))
        except grpc.RpcError as refusal:
            heard.append(f"{refusal.code().name} {refusal.details()}".encode())
            heard += [f"{key}={value!r}".encode() for key, value in refusal.trailing_metadata() or ()]
    return b"\n".join(heard)


def leaks(arena, secrets, role: str) -> list[str]:
    """Everything secret that this role is told by any RPC."""
    found = []
    for method in METHODS:
        for request in ASKED[f"{method.containing_service.name}/{method.name}"](role):
            heard = answers(arena, role, method, request)
            assert not heard.startswith(b"INTERNAL")
            found += [
                f"{method.name} tells {role} {what}"
                for what, secret in secrets.items()
                if any(spelled in heard for spelled in spellings(secret))
            ]
    return found


def test_every_rpc_has_been_thought_about():
    assert {f"{method.containing_service.name}/{method.name}" for method in METHODS} == set(ASKED)


@pytest.mark.parametrize("role", ROLES)
def test_no_rpc_tells_anybody_anything_of_a_deal_that_is_being_played(arena, secrets, role):
    assert leaks(arena, secrets, role) == []


def test_once_its_last_block_is_final_a_deal_is_told_to_everybody_and_the_next_stays_closed(arena, secrets):
    claim = None
    arena.clock.advance(minutes=5)
    dispatch.expire(arena.store, arena.clock())
    arena.clock.advance(minutes=5)
    claim = dispatch.claim(arena.store, "test:1", arena.clock())
    for leg in claim.legs:
        results.record(arena.store, recording(claim, leg, f"{LOG_WORDS.decode()}\n"), arena.clock())
    found = leaks(arena, secrets, "stranger")
    for told in ("GetMatchLog tells stranger the log", "GetProof tells stranger the seed of deal 1"):
        assert told in found
    assert any("the digest of log 1" in one for one in found)
    assert not any("deal 2" in one or "the secret" in one or "the output" in one for one in found)
    assert "GetSeatOutput tells author the output" in leaks(arena, secrets, "author")


def test_how_long_bots_thought_in_a_deal_is_not_told_before_it_is_open(arena, secrets, admin):
    def thinking(match: str) -> list[tuple[int, ...]]:
        found = admin.call(admin.matches.GetMatch, match_pb2.GetMatchRequest(match_id=match)).match
        listed = admin.call(admin.matches.ListMatches, match_pb2.ListMatchesRequest(tournament="cup")).matches
        assert found in listed
        return [(seat.turns, seat.think_max_ms, seat.think_total_ms, seat.charged_total_ms) for seat in found.seats]

    assert thinking("1") == [(0, 0, 0, 0)] * 2
    admin.call(admin.tournaments.CancelTournament, tournament_pb2.CancelTournamentRequest(name="cup"))
    assert thinking("1") == [(2, 9, 14, 4)] * 2


def test_the_refusal_is_the_same_for_a_match_that_is_over_and_one_that_is_not(arena, secrets):
    method = next(one for one in METHODS if one.name == "GetMatchLog")
    refusals = {
        answers(arena, "admin", method, match_pb2.GetMatchLogRequest(match_id=match)).replace(match.encode(), b"N")
        for match in ("2", "5")
    }
    assert len(refusals) == 1
