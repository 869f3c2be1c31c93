"""Tournaments: the list, one tournament's progress, table and schedule, and what its organiser can do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, cast
from urllib.parse import quote

from fastapi import APIRouter, Path, Query, Request, Response
from markupsafe import Markup

from arena.core.errors import UsageError
from arena.services import matches, tournaments
from arena.services.access import RIGHTS
from arena.services.submissions import parse_label
from arena.services.tournaments import Progress, Standings
from arena.store.records import Account, Entrant, Match, Tournament
from arena.store.states import MatchState, Role, TournamentState
from arena.web.drawings import progress
from arena.web.forms import OWN_FORM, Posted
from arena.web.kept import Kept
from arena.web.rendering import page, see_other
from arena.web.site import site_of
from arena.web.veil import veiled
from arena.web.visitors import account_of, may, visitor_of

router: Final = APIRouter()

PER_PAGE: Final = 30
DEALS: Final = 100
MOST_RUNNING: Final = 10
MOST_IN_MATRIX: Final = 24
"""Entrants in the matrix: more would be a picture that nobody reads."""

_OVER: Final = frozenset({TournamentState.FINISHED, TournamentState.CANCELLED})
Name = Annotated[str, Path(max_length=60)]
After = Annotated[str, Query(max_length=300)]


@dataclass(frozen=True, slots=True)
class Powers:
    """What this visitor may do with a tournament. withdraw: the labels that it may take out."""

    pause: bool
    resume: bool
    withdraw: frozenset[str]


@router.get("/tournaments", dependencies=[may("TournamentService/ListTournaments")])
def tournament_list(request: Request, state: Annotated[str, Query(max_length=20)] = "", after: After = "") -> Response:
    """List tournaments, newest first."""
    wanted = state.upper()
    if wanted and wanted not in set(TournamentState):
        raise UsageError(f"there is no state {state!r}; choose one of the form's", reason="BAD_STATE")
    store = site_of(request).store
    chosen = TournamentState(wanted) if wanted else None
    found = tournaments.list_tournaments(store, state=chosen, page_size=PER_PAGE, page_token=after)
    rows = [(each, bar(tournaments.progress(store, each.name))) for each in found.items]
    return page(
        request,
        "tournaments.html",
        rows=rows,
        following=found.next_page_token,
        state=state.lower(),
        states=[one.lower() for one in TournamentState],
    )


@router.get(
    "/tournaments/{name}", dependencies=[may("TournamentService/GetTournament"), may("TournamentService/GetStandings")]
)
def tournament(request: Request, name: Name, after: After = "", deals: After = "") -> Response:
    """Show a tournament."""
    site = site_of(request)
    found = tournaments.progress(site.store, name, site.now())
    entered = tournaments.entrants(site.store, name)
    table = _table(request, found, sum(one.withdrawn for one in entered), len(entered))
    # Of a schedule that is being played, what has been played says most; what waits would fill the first pages.
    halfway = found.tournament.state not in _OVER and found.counts.finished > 0
    shown = MatchState.FINAL if halfway else None
    played = matches.list_matches(site.store, tournament=name, state=shown, page_size=PER_PAGE, page_token=after)
    now: tuple[Match, ...] = ()
    if halfway and not after:
        now = matches.list_matches(site.store, tournament=name, running=True, page_size=MOST_RUNNING).items
    account = visitor_of(request).account
    return page(
        request,
        "tournament.html",
        tournament=found.tournament,
        found=found,
        bar=bar(found),
        entrants=entered,
        table=table,
        matrix=table.rows[:MOST_IN_MATRIX],
        solo=found.tournament.seats == 1,
        matches=[veiled(match) for match in now + played.items],
        halfway=halfway,
        following=played.next_page_token,
        deals=tournaments.list_deals(site.store, name, page_size=DEALS, page_token=deals),
        powers=_powers(account, found.tournament, {one: one.author for one in entered if not one.withdrawn}),
        is_later=bool(after),
    )


@router.post("/tournaments/{name}/pause", dependencies=[may("TournamentService/PauseTournament"), OWN_FORM])
def pause(request: Request, name: Name) -> Response:
    """Queue nothing more."""
    tournaments.pause(site_of(request).store, account_of(visitor_of(request)), name)
    return _back(name)


@router.post("/tournaments/{name}/resume", dependencies=[may("TournamentService/ResumeTournament"), OWN_FORM])
def resume(request: Request, name: Name) -> Response:
    """Go on."""
    site = site_of(request)
    tournaments.resume(site.store, account_of(visitor_of(request)), name, site.now())
    return _back(name)


@router.post("/tournaments/{name}/withdraw", dependencies=[may("TournamentService/WithdrawBot")])
def withdraw(request: Request, name: Name, fields: Posted) -> Response:
    """Take a bot out."""
    site = site_of(request)
    bot, version = parse_label(fields.get("bot", ""))
    tournaments.withdraw(
        site.store, account_of(visitor_of(request)), site.now(), tournament=name, bot=bot, version=version
    )
    return _back(name)


@dataclass(frozen=True, slots=True)
class Bar:
    """A tournament's progress as a picture, and the numbers that stand beside it."""

    picture: Markup
    finished: int
    total: int


def bar(found: Progress) -> Bar:
    """Return the bar of a tournament."""
    counts = found.counts
    parts = (("done", counts.finished), ("void", counts.without_result), ("now", counts.running))
    return Bar(progress(parts, counts.total), counts.finished, counts.total)


def _table(request: Request, found: Progress, withdrawn: int, entered: int) -> Standings:
    site, name = site_of(request), found.tournament.name
    kept = cast(Kept[Standings], request.app.state.standings)
    return kept.get(
        name,
        site.now(),
        lambda: tournaments.standings(site.store, name, detail=True),
        seen=(found.counts.finished, found.counts.without_result, found.finished_deals),
        firm=(found.tournament.state, withdrawn, entered),
    )


def _powers(account: Account | None, found: Tournament, entered: dict[Entrant, str]) -> Powers:
    """Return what the services would let this visitor do; they are asked again when it is done."""
    if account is None or found.state in _OVER:
        return Powers(pause=False, resume=False, withdraw=frozenset())
    leads = account.role.covers(Role.ADMIN) or account.name == found.organiser
    organises = leads and account.role.covers(RIGHTS["/arena.v1.TournamentService/PauseTournament"])
    return Powers(
        pause=organises and found.state is TournamentState.RUNNING,
        resume=organises and found.state is TournamentState.PAUSED,
        withdraw=frozenset(
            f"{one.bot}@{one.version}" for one, author in entered.items() if leads or author == account.name
        ),
    )


def _back(name: str) -> Response:
    return see_other(f"/tournaments/{quote(name, safe='')}")
