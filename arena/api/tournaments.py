"""Serves TournamentService."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import AsyncIterator
from functools import partial

from arena.api import wire
from arena.api.gate import Context, caller
from arena.api.site import Site, changes, page_size
from arena.core.errors import UsageError
from arena.services import tournaments
from arena.store.states import TournamentState
from arena.v1 import tournament_pb2 as pb
from arena.v1.tournament_pb2_grpc import TournamentServiceServicer

OVER = frozenset({TournamentState.FINISHED, TournamentState.CANCELLED})


class TournamentServicer(TournamentServiceServicer):
    """Tournaments: made, started, watched, and how they stand."""

    def __init__(self, site: Site) -> None:
        self._site = site

    async def CreateTournament(
        self, request: pb.CreateTournamentRequest, context: Context
    ) -> pb.CreateTournamentResponse:
        """Make a tournament."""
        made = await to_thread(
            tournaments.create,
            self._site.store,
            caller(),
            self._site.now(),
            name=request.name,
            game=request.game,
            entrants=tuple((each.bot, each.version) for each in request.entrants),
            variant=request.variant,
            seats=request.seats,
            deals=request.deals or 1,
            clock=request.clock,
            components=request.components,
        )
        return pb.CreateTournamentResponse(tournament=wire.tournament(made))

    async def StartTournament(self, request: pb.StartTournamentRequest, context: Context) -> pb.StartTournamentResponse:
        """Close entry and queue every block."""
        found = await to_thread(tournaments.start, self._site.store, caller(), request.name, self._site.now())
        return pb.StartTournamentResponse(tournament=wire.tournament(found))

    async def GetTournament(self, request: pb.GetTournamentRequest, context: Context) -> pb.GetTournamentResponse:
        """Return a tournament, who plays, and how far it is."""
        found = await to_thread(tournaments.progress, self._site.store, request.name)
        entered = await to_thread(tournaments.entrants, self._site.store, request.name)
        return pb.GetTournamentResponse(
            tournament=wire.tournament(found.tournament),
            entrants=[wire.entrant(each) for each in entered],
            progress=wire.progress(found),
        )

    async def ListTournaments(self, request: pb.ListTournamentsRequest, context: Context) -> pb.ListTournamentsResponse:
        """List tournaments, newest first."""
        page = await to_thread(
            tournaments.list_tournaments,
            self._site.store,
            state=_state(request.state),
            page_size=page_size(request.page_size),
            page_token=request.page_token,
        )
        return pb.ListTournamentsResponse(
            tournaments=[wire.tournament(each) for each in page.items], next_page_token=page.next_page_token
        )

    async def WatchTournament(
        self, request: pb.WatchTournamentRequest, context: Context
    ) -> AsyncIterator[pb.WatchTournamentResponse]:
        """Tell state and progress until the tournament is over."""
        look = partial(to_thread, tournaments.progress, self._site.store, request.name)
        async for found in changes(self._site, look):
            answer = wire.tournament(found.tournament)
            yield pb.WatchTournamentResponse(state=answer.state, progress=wire.progress(found))
            if found.tournament.state in OVER:
                return

    async def GetStandings(self, request: pb.GetStandingsRequest, context: Context) -> pb.GetStandingsResponse:
        """Return the table as of now."""
        found = await to_thread(tournaments.standings, self._site.store, request.name)
        return pb.GetStandingsResponse(
            standings=[wire.standing(row) for row in found.rows],
            paired=[wire.paired_difference(*pair) for pair in found.paired],
            state=wire.tournament(found.tournament).state,
            progress=wire.counts(found.counts),
        )


def _state(value: pb.TournamentState.ValueType) -> TournamentState | None:
    if value == pb.TOURNAMENT_STATE_UNSPECIFIED:
        return None
    if value not in pb.TournamentState.values():
        raise UsageError(f"{value} is no state of a tournament", reason="BAD_STATE")
    return TournamentState(pb.TournamentState.Name(value).removeprefix("TOURNAMENT_STATE_"))
