"""Who may call what: one table with every RPC of the server and the lowest role that may make it.

The web page asks the same table: each of its addresses names the RPC that it stands for. What depends on the thing
asked for (an author's own bot, a closed deal) is the services' business.
"""

from __future__ import annotations

from typing import Final

from arena.core.errors import PermissionDenied
from arena.store.states import Role

RIGHTS: Final[dict[str, Role]] = {
    "/arena.v1.AccountService/WhoAmI": Role.AUTHOR,
    "/arena.v1.AccountService/CreateAccount": Role.ADMIN,
    "/arena.v1.AccountService/ListAccounts": Role.ADMIN,
    "/arena.v1.AccountService/IssueToken": Role.AUTHOR,  # for another account: admins, see arena.services.accounts
    "/arena.v1.AccountService/RevokeToken": Role.AUTHOR,  # as above
    "/arena.v1.AccountService/ListTokens": Role.AUTHOR,  # as above
    "/arena.v1.BotService/SubmitBot": Role.AUTHOR,
    "/arena.v1.BotService/GetBot": Role.AUTHOR,
    "/arena.v1.BotService/ListBots": Role.AUTHOR,
    "/arena.v1.BotService/ListBotVersions": Role.AUTHOR,
    "/arena.v1.BotService/GetSubmission": Role.AUTHOR,
    "/arena.v1.BotService/WatchSubmission": Role.AUTHOR,
    "/arena.v1.BotService/GetSeatOutput": Role.AUTHOR,  # its own bot's, see arena.services.matches
    "/arena.v1.BotService/RetireBotVersion": Role.AUTHOR,  # as above
    "/arena.v1.BotService/RestoreBotVersion": Role.AUTHOR,  # as above
    "/arena.v1.LobbyService/RegisterRemoteBot": Role.AUTHOR,
    "/arena.v1.LobbyService/AwaitMatch": Role.AUTHOR,  # for its own bot, see arena.services.lobby
    "/arena.v1.MatchService/GetMatch": Role.AUTHOR,
    "/arena.v1.MatchService/ListMatches": Role.AUTHOR,
    "/arena.v1.MatchService/GetMatchLog": Role.AUTHOR,
    "/arena.v1.MatchService/Challenge": Role.AUTHOR,  # with its own bot, see arena.services.requests
    "/arena.v1.MatchService/ReproduceMatch": Role.AUTHOR,
    "/arena.v1.RatingService/ListRatingPools": Role.AUTHOR,
    "/arena.v1.RatingService/ListRatings": Role.AUTHOR,
    "/arena.v1.RatingService/ListRatingChanges": Role.AUTHOR,
    "/arena.v1.RatingService/CompareBots": Role.AUTHOR,
    "/arena.v1.RatingService/GetReliability": Role.AUTHOR,
    "/arena.v1.TournamentService/CreateTournament": Role.ORGANISER,
    "/arena.v1.TournamentService/StartTournament": Role.ORGANISER,
    "/arena.v1.TournamentService/PauseTournament": Role.ORGANISER,  # its own, see arena.services.lifecycle
    "/arena.v1.TournamentService/ResumeTournament": Role.ORGANISER,  # as above
    "/arena.v1.TournamentService/CancelTournament": Role.AUTHOR,  # its own challenge, see arena.services.lifecycle
    "/arena.v1.TournamentService/EnterBot": Role.AUTHOR,  # its own bot, see arena.services.proposals
    "/arena.v1.TournamentService/WithdrawBot": Role.AUTHOR,  # its own bot, see arena.services.lifecycle
    "/arena.v1.TournamentService/GetTournament": Role.AUTHOR,
    "/arena.v1.TournamentService/ListTournaments": Role.AUTHOR,
    "/arena.v1.TournamentService/WatchTournament": Role.AUTHOR,
    "/arena.v1.TournamentService/GetStandings": Role.AUTHOR,
    "/arena.v1.TournamentService/GetProof": Role.AUTHOR,
}

OPEN: Final = frozenset(
    {
        "/grpc.health.v1.Health/Check",
        "/grpc.health.v1.Health/Watch",
        "/grpc.health.v1.Health/List",
        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
    }
)
"""RPCs that need no token: they tell nothing but that a server runs and what it understands."""


PUBLIC: Final = frozenset(
    f"/arena.v1.{rpc}"
    for rpc in (
        *("BotService/GetBot", "BotService/ListBots", "BotService/ListBotVersions"),
        *("MatchService/GetMatch", "MatchService/ListMatches", "MatchService/GetMatchLog"),
        *("RatingService/ListRatingPools", "RatingService/ListRatings", "RatingService/ListRatingChanges"),
        *("RatingService/CompareBots", "RatingService/GetReliability"),
        *("TournamentService/GetTournament", "TournamentService/ListTournaments", "TournamentService/WatchTournament"),
        *("TournamentService/GetStandings", "TournamentService/GetProof"),
    )
)
"""What the web page shows to anybody: all that an author may read and that is nobody's own."""

CHANGES: Final = frozenset(
    f"/arena.v1.{rpc}"
    for rpc in (
        *("AccountService/CreateAccount", "AccountService/IssueToken", "AccountService/RevokeToken"),
        *("BotService/SubmitBot", "BotService/RetireBotVersion", "BotService/RestoreBotVersion"),
        *("LobbyService/RegisterRemoteBot", "MatchService/Challenge", "MatchService/ReproduceMatch"),
        *("TournamentService/CreateTournament", "TournamentService/StartTournament"),
        *("TournamentService/PauseTournament", "TournamentService/ResumeTournament"),
        *("TournamentService/CancelTournament", "TournamentService/EnterBot", "TournamentService/WithdrawBot"),
    )
)
"""What changes something: whoever sends one of these with a request id may repeat it, see arena.services.repeats."""


def check_right(method: str, role: Role) -> None:
    """Raise PermissionDenied unless the role may call this method; a method outside the table nobody may call."""
    needed = RIGHTS.get(method)
    if needed is None:
        raise PermissionDenied(f"{method} is open to nobody")
    if not role.covers(needed):
        raise PermissionDenied(
            f"{method.rpartition('/')[2]} needs the role {needed.lower()}, this token's account is {role.lower()};"
            " ask an admin of the server",
            reason="ROLE_TOO_LOW",
        )
