"""A person at a seat: the form that asks for a match, and the table where it is played. For those who are signed in."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from markupsafe import Markup

from arena.core.errors import NotFound, UsageError
from arena.core.manifest import ANY_GAME
from arena.core.registry import find_variant, game_ids, load_game
from arena.services import submissions
from arena.store import Store
from arena.store.records import Bot
from arena.store.states import VersionState
from arena.web.forms import OWN_FORM, Posted
from arena.web.parlour import CLOCK, Parlour
from arena.web.rendering import EventStream, page, see_other
from arena.web.site import site_of
from arena.web.tables import Table
from arena.web.visitors import account_of, may, visitor_of

router: Final = APIRouter()

_PLAYERS: Final = [may("MatchService/Challenge"), may("LobbyService/AwaitMatch")]
_OWN: Final = (
    ("(greedy)", "greedy: takes what looks best"),
    ("(search)", "search: looks ahead, is strong"),
    ("(random)", "random: plays anything"),
)
"""The arena's own bots as the form offers them, whom most people want first."""

_PAGE: Final = 500
_PAGES: Final = 4
"""Pages of bots that the form offers; whoever is not on it can be challenged by command."""

TableId = Annotated[str, Path(max_length=40)]
Word = Annotated[str, Query(max_length=60)]


@router.get("/play", dependencies=_PLAYERS)
async def play_page(request: Request, game: Word = "") -> Response:
    """Show the form; or the table of somebody who has one."""
    visitor = await run_in_threadpool(visitor_of, request)
    mine = await _parlour(request).take_up(account_of(visitor))
    if mine is not None:
        return see_other(f"/play/{mine.id}")
    chosen = load_game(game or game_ids()[0])
    bots = await run_in_threadpool(_opponents, site_of(request).store, chosen.spec.id)
    games = [load_game(each).spec for each in game_ids()]
    return await run_in_threadpool(
        page, request, "play.html", spec=chosen.spec, games=games, own=_OWN, bots=bots, clock=CLOCK
    )


@router.post("/play", dependencies=_PLAYERS)
async def play(request: Request, fields: Posted) -> Response:
    """Ask for a match, and go to its table."""
    account = account_of(await run_in_threadpool(visitor_of, request))
    game = load_game(fields.get("game", ""))
    variant = find_variant(game, fields.get("variant", ""))
    seats = _seats(fields.get("seats", ""), variant.min_seats, variant.max_seats)
    opponents = tuple(fields.get(f"opponent-{number}", "") for number in range(1, seats))
    if not all(opponents):
        raise UsageError(f"{seats} seats need {seats - 1} opponents; choose one for each", reason="TOO_FEW_ENTRANTS")
    table = await _parlour(request).open(account, game=game.spec.id, variant=variant.id, opponents=opponents)
    return see_other(f"/play/{table.id}")


@router.get("/play/{table_id}", dependencies=_PLAYERS)
async def table_page(request: Request, table_id: TableId) -> Response:
    """Show a table; in place of one that is no more, what its account has not finished."""
    try:
        table = await _table(request, table_id)
    except NotFound:
        visitor = await run_in_threadpool(visitor_of, request)
        mine = await _parlour(request).take_up(account_of(visitor))
        if mine is None:
            raise
        return see_other(f"/play/{mine.id}")
    return await _shown(request, "table.html", table)


@router.get("/play/{table_id}/board", dependencies=_PLAYERS)
async def table_board(request: Request, table_id: TableId) -> Response:
    """Send the part of a table's page that changes."""
    return await _shown(request, "table_board.html", await _table(request, table_id))


@router.get("/play/{table_id}/events", dependencies=_PLAYERS)
async def table_events(request: Request, table_id: TableId) -> Response:
    """Say whenever a table has changed. Raises LimitReached (TOO_MANY_PAGES)."""
    table = await _table(request, table_id)
    events = table.changes(site_of(request).stopping)
    await anext(events)
    return EventStream(events)


@router.post("/play/{table_id}/choose", dependencies=_PLAYERS)
async def choose(request: Request, table_id: TableId, fields: Posted) -> Response:
    """Make a choice. Raises Conflict (NOT_ASKED), UsageError (BAD_CHOICE)."""
    table = await _table(request, table_id)
    ply, index = fields.get("ply", ""), fields.get("action", "")
    if not all(each.isascii() and each.isdecimal() and len(each) < 10 for each in (ply, index)):
        raise UsageError("a choice is a number of the list; choose one there", reason="BAD_CHOICE")
    table.answer(int(ply), int(index))
    await table.change()
    return see_other(f"/play/{table_id}")


@router.post("/play/{table_id}/leave", dependencies=[*_PLAYERS, OWN_FORM])
async def leave(request: Request, table_id: TableId) -> Response:
    """Give the seat up, or wait no more for one."""
    table = await _table(request, table_id)
    table.left.set()
    return see_other(f"/play/{table_id}")


def _parlour(request: Request) -> Parlour:
    parlour: Parlour = request.app.state.parlour
    return parlour


async def _table(request: Request, table_id: str) -> Table:
    visitor = await run_in_threadpool(visitor_of, request)
    return _parlour(request).find(table_id, account_of(visitor))


async def _shown(request: Request, template: str, table: Table) -> Response:
    picture = Markup(table.picture)  # noqa: S704 - drawn by the game, from the seat's own view
    return await run_in_threadpool(page, request, template, table=table, spec=table.game.spec, picture=picture)


def _seats(text: str, least: int, most: int) -> int:
    if text.isascii() and text.isdecimal() and len(text) < 3 and least <= int(text) <= most:
        return int(text)
    raise UsageError(
        f"this variant has {least} to {most} seats; choose a number of them", reason="WRONG_NUMBER_OF_SEATS"
    )


def _opponents(store: Store, game: str) -> list[str]:
    """Return the bots that can be played against, by name."""
    found: list[str] = []
    token = ""
    for _ in range(_PAGES):
        bots = submissions.list_bots(store, page_size=_PAGE, page_token=token)
        found += [bot.name for bot in bots.items if _plays(bot, game)]
        token = bots.next_page_token
        if not token:
            break
    return found


def _plays(bot: Bot, game: str) -> bool:
    version = bot.latest
    return version.state is VersionState.ACCEPTED and not version.remote and bool({game, ANY_GAME} & {*version.games})
