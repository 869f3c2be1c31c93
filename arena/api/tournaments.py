"""Serves TournamentService."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import AsyncIterator

from arena.api import figures, wire
from arena.api.gate import Context, caller
from arena.api.site import Site, changes, page_size
from arena.core.errors import UsageError
from arena.services import tournaments
from arena.store.states import Format, TournamentState
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
            deals=request.deals or int(request.format != pb.TOURNAMENT_FORMAT_LADDER),
            clock=request.clock,
            components=request.components,
            format=_format(request.format),
            heads=tuple((each.bot, each.version) for each in request.heads),
        )
        return pb.CreateTournamentResponse(tournament=wire.tournament(made))

    async def StartTournament(self, request: pb.StartTournamentRequest, context: Context) -> pb.StartTournamentResponse:
        """Close entry and queue every block."""
        found = await to_thread(tournaments.start, self._site.store, caller(), request.name, self._site.now())
        return pb.StartTournamentResponse(tournament=wire.tournament(found))

    async def PauseTournament(self, request: pb.PauseTournamentRequest, context: Context) -> pb.PauseTournamentResponse:
        """Queue nothing more."""
        found = await to_thread(tournaments.pause, self._site.store, caller(), request.name)
        return pb.PauseTournamentResponse(tournament=wire.tournament(found))

    async def ResumeTournament(
        self, request: pb.ResumeTournamentRequest, context: Context
    ) -> pb.ResumeTournamentResponse:
        """Queue again what a pause held."""
        found = await to_thread(tournaments.resume, self._site.store, caller(), request.name, self._site.now())
        return pb.ResumeTournamentResponse(tournament=wire.tournament(found))

    async def CancelTournament(
        self, request: pb.CancelTournamentRequest, context: Context
    ) -> pb.CancelTournamentResponse:
        """End a tournament."""
        found = await to_thread(tournaments.cancel, self._site.store, caller(), request.name, self._site.now())
        return pb.CancelTournamentResponse(tournament=wire.tournament(found))

    async def EnterBot(self, request: pb.EnterBotRequest, context: Context) -> pb.EnterBotResponse:
        """Enter a bot."""
        entered = await to_thread(
            tournaments.enter,
            self._site.store,
            caller(),
            self._site.now(),
            tournament=request.tournament,
            bot=request.bot,
            version=request.version,
            head=request.head,
        )
        return pb.EnterBotResponse(entrant=wire.entrant(entered))

    async def WithdrawBot(self, request: pb.WithdrawBotRequest, context: Context) -> pb.WithdrawBotResponse:
        """Take a bot out."""
        await to_thread(
            tournaments.withdraw,
            self._site.store,
            caller(),
            self._site.now(),
            tournament=request.tournament,
            bot=request.bot,
            version=request.version,
        )
        found = await to_thread(tournaments.progress, self._site.store, request.tournament, self._site.now())
        return pb.WithdrawBotResponse(tournament=wire.tournament(found.tournament), progress=wire.progress(found))

    async def GetTournament(self, request: pb.GetTournamentRequest, context: Context) -> pb.GetTournamentResponse:
        """Return a tournament, who plays, and how far it is."""
        found = await to_thread(tournaments.progress, self._site.store, request.name, self._site.now())
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
            requests=request.requests,
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

        async def look() -> tournaments.Progress:
            return await to_thread(tournaments.progress, self._site.store, request.name, self._site.now())

        async for found in changes(self._site, look):
            answer = wire.tournament(found.tournament)
            yield pb.WatchTournamentResponse(state=answer.state, progress=wire.progress(found))
            if found.tournament.state in OVER:
                return

    async def GetStandings(self, request: pb.GetStandingsRequest, context: Context) -> pb.GetStandingsResponse:
        """Return the table as of now."""
        found = await to_thread(tournaments.standings, self._site.store, request.name, detail=request.detail)
        return figures.standings(found)

    async def GetProof(self, request: pb.GetProofRequest, context: Context) -> pb.GetProofResponse:
        """Return what the tournament's seeds follow from, as far as it is open."""
        return figures.proof(await to_thread(tournaments.proof, self._site.store, request.name))


def _format(value: pb.TournamentFormat.ValueType) -> Format:
    if value == pb.TOURNAMENT_FORMAT_UNSPECIFIED:
        return Format.ROUND_ROBIN
    if value not in pb.TournamentFormat.values():
        raise UsageError(f"format: {value} is none; there are round-robin, gauntlet and ladder", reason="BAD_FORMAT")
    return Format(pb.TournamentFormat.Name(value).removeprefix("TOURNAMENT_FORMAT_"))


def _state(value: pb.TournamentState.ValueType) -> TournamentState | None:
    if value == pb.TOURNAMENT_STATE_UNSPECIFIED:
        return None
    if value not in pb.TournamentState.values():
        raise UsageError(f"{value} is no state of a tournament", reason="BAD_STATE")
    return TournamentState(pb.TournamentState.Name(value).removeprefix("TOURNAMENT_STATE_"))
