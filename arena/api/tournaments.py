"""Serves TournamentService."""

from __future__ import annotations

from collections.abc import AsyncIterator

from arena.api import figures, wire
from arena.api.gate import Context, caller, in_thread
from arena.api.repeating import answer
from arena.api.site import Site, changes, page_size
from arena.core.errors import UsageError
from arena.services import tournaments
from arena.store import Store
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
        kind = _format(request.format)

        def act(store: Store) -> pb.CreateTournamentResponse:
            made = tournaments.create(
                store,
                caller(),
                self._site.now(),
                name=request.name,
                game=request.game,
                entrants=tuple((each.bot, each.version) for each in request.entrants),
                variant=request.variant,
                seats=request.seats,
                deals=request.deals or int(kind is not Format.LADDER),
                clock=request.clock,
                components=request.components,
                format=kind,
                heads=tuple((each.bot, each.version) for each in request.heads),
                remote=request.remote,
            )
            return pb.CreateTournamentResponse(tournament=wire.tournament(made))

        return await answer(self._site, request, pb.CreateTournamentResponse, act)

    async def StartTournament(self, request: pb.StartTournamentRequest, context: Context) -> pb.StartTournamentResponse:
        """Close entry and queue every block."""

        def act(store: Store) -> pb.StartTournamentResponse:
            found = tournaments.start(store, caller(), request.name, self._site.now())
            return pb.StartTournamentResponse(tournament=wire.tournament(found))

        return await answer(self._site, request, pb.StartTournamentResponse, act)

    async def PauseTournament(self, request: pb.PauseTournamentRequest, context: Context) -> pb.PauseTournamentResponse:
        """Queue nothing more."""

        def act(store: Store) -> pb.PauseTournamentResponse:
            found = tournaments.pause(store, caller(), request.name)
            return pb.PauseTournamentResponse(tournament=wire.tournament(found))

        return await answer(self._site, request, pb.PauseTournamentResponse, act)

    async def ResumeTournament(
        self, request: pb.ResumeTournamentRequest, context: Context
    ) -> pb.ResumeTournamentResponse:
        """Queue again what a pause held."""

        def act(store: Store) -> pb.ResumeTournamentResponse:
            found = tournaments.resume(store, caller(), request.name, self._site.now())
            return pb.ResumeTournamentResponse(tournament=wire.tournament(found))

        return await answer(self._site, request, pb.ResumeTournamentResponse, act)

    async def CancelTournament(
        self, request: pb.CancelTournamentRequest, context: Context
    ) -> pb.CancelTournamentResponse:
        """End a tournament."""

        def act(store: Store) -> pb.CancelTournamentResponse:
            found = tournaments.cancel(store, caller(), request.name, self._site.now())
            return pb.CancelTournamentResponse(tournament=wire.tournament(found))

        return await answer(self._site, request, pb.CancelTournamentResponse, act)

    async def EnterBot(self, request: pb.EnterBotRequest, context: Context) -> pb.EnterBotResponse:
        """Enter a bot."""

        def act(store: Store) -> pb.EnterBotResponse:
            entered = tournaments.enter(
                store,
                caller(),
                self._site.now(),
                tournament=request.tournament,
                bot=request.bot,
                version=request.version,
                head=request.head,
            )
            return pb.EnterBotResponse(entrant=wire.entrant(entered))

        return await answer(self._site, request, pb.EnterBotResponse, act)

    async def WithdrawBot(self, request: pb.WithdrawBotRequest, context: Context) -> pb.WithdrawBotResponse:
        """Take a bot out."""

        def act(store: Store) -> pb.WithdrawBotResponse:
            now, name = self._site.now(), request.tournament
            tournaments.withdraw(store, caller(), now, tournament=name, bot=request.bot, version=request.version)
            found = tournaments.progress(store, name, now)
            return pb.WithdrawBotResponse(tournament=wire.tournament(found.tournament), progress=wire.progress(found))

        return await answer(self._site, request, pb.WithdrawBotResponse, act)

    async def GetTournament(self, request: pb.GetTournamentRequest, context: Context) -> pb.GetTournamentResponse:
        """Return a tournament, who plays, and how far it is."""
        found = await in_thread(tournaments.progress, self._site.store, request.name, self._site.now())
        entered = await in_thread(tournaments.entrants, self._site.store, request.name)
        return pb.GetTournamentResponse(
            tournament=wire.tournament(found.tournament),
            entrants=[wire.entrant(each) for each in entered],
            progress=wire.progress(found),
        )

    async def ListTournaments(self, request: pb.ListTournamentsRequest, context: Context) -> pb.ListTournamentsResponse:
        """List tournaments, newest first."""
        page = await in_thread(
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
            return await in_thread(tournaments.progress, self._site.store, request.name, self._site.now())

        async for found in changes(self._site, look):
            answer = wire.tournament(found.tournament)
            yield pb.WatchTournamentResponse(state=answer.state, progress=wire.progress(found))
            if found.tournament.state in OVER:
                return

    async def GetStandings(self, request: pb.GetStandingsRequest, context: Context) -> pb.GetStandingsResponse:
        """Return the table as of now."""
        found = await in_thread(tournaments.standings, self._site.store, request.name, detail=request.detail)
        return figures.standings(found)

    async def GetProof(self, request: pb.GetProofRequest, context: Context) -> pb.GetProofResponse:
        """Return what the tournament's seeds follow from, as far as it is open."""
        return figures.proof(await in_thread(tournaments.proof, self._site.store, request.name))


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
