"""Serves MatchService."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final

from arena.api import wire
from arena.api.gate import Context, caller, in_thread
from arena.api.repeating import answer
from arena.api.site import Site, page_size
from arena.core.errors import UsageError
from arena.services import matches, requests
from arena.store import Store
from arena.store.states import MatchState
from arena.v1 import match_pb2 as pb
from arena.v1.match_pb2_grpc import MatchServiceServicer

LOG_CHUNK_BYTES: Final = 64 * 1024

_FILTERS: Final[dict[pb.MatchState.ValueType, tuple[MatchState | None, bool | None]]] = {
    pb.MATCH_STATE_UNSPECIFIED: (None, None),
    pb.MATCH_STATE_QUEUED: (MatchState.SCHEDULED, False),
    pb.MATCH_STATE_RUNNING: (MatchState.SCHEDULED, True),
    pb.MATCH_STATE_FINISHED: (MatchState.FINAL, None),
    pb.MATCH_STATE_CANCELLED: (MatchState.CANCELLED, None),
}


class MatchServicer(MatchServiceServicer):
    """Matches and their logs."""

    def __init__(self, site: Site) -> None:
        self._site = site

    async def GetMatch(self, request: pb.GetMatchRequest, context: Context) -> pb.GetMatchResponse:
        """Return a match with its seats."""
        found = await in_thread(matches.get_match, self._site.store, wire.parse_id(request.match_id, "match"))
        return pb.GetMatchResponse(match=wire.match(found))

    async def ListMatches(self, request: pb.ListMatchesRequest, context: Context) -> pb.ListMatchesResponse:
        """List matches, newest first."""
        if request.state not in _FILTERS:
            raise UsageError(f"{request.state} is no state of a match", reason="BAD_STATE")
        state, running = _FILTERS[request.state]
        page = await in_thread(
            matches.list_matches,
            self._site.store,
            tournament=request.tournament,
            game=request.game,
            bot=request.bot,
            state=state,
            running=running,
            page_size=page_size(request.page_size),
            page_token=request.page_token,
        )
        return pb.ListMatchesResponse(
            matches=[wire.match(each) for each in page.items], next_page_token=page.next_page_token
        )

    async def Challenge(self, request: pb.ChallengeRequest, context: Context) -> pb.ChallengeResponse:
        """Queue unrated blocks between bots."""

        def act(store: Store) -> pb.ChallengeResponse:
            made = requests.challenge(
                store,
                caller(),
                self._site.now(),
                challenged=tuple(None if each.guest else (each.bot, each.version) for each in request.bots),
                game=request.game,
                variant=request.variant,
                blocks=request.blocks or 1,
                clock=request.clock,
            )
            return pb.ChallengeResponse(tournament=made.tournament.name, matches=len(made.match_ids))

        return await answer(self._site, request, pb.ChallengeResponse, act)

    async def ReproduceMatch(self, request: pb.ReproduceMatchRequest, context: Context) -> pb.ReproduceMatchResponse:
        """Queue a match once more."""
        number = wire.parse_id(request.match_id, "match")

        def act(store: Store) -> pb.ReproduceMatchResponse:
            made = requests.reproduce(store, caller(), self._site.now(), match_id=number)
            return pb.ReproduceMatchResponse(tournament=made.tournament.name, match_id=str(made.match_ids[0]))

        return await answer(self._site, request, pb.ReproduceMatchResponse, act)

    async def GetMatchLog(
        self, request: pb.GetMatchLogRequest, context: Context
    ) -> AsyncIterator[pb.GetMatchLogResponse]:
        """Return a log in chunks."""
        found = await in_thread(matches.get_log, self._site.store, wire.parse_id(request.match_id, "match"))
        content = found.content
        yield pb.GetMatchLogResponse(chunk=content[:LOG_CHUNK_BYTES], sha256=found.sha256, size_bytes=len(content))
        for at in range(LOG_CHUNK_BYTES, len(content), LOG_CHUNK_BYTES):
            yield pb.GetMatchLogResponse(chunk=content[at : at + LOG_CHUNK_BYTES])
