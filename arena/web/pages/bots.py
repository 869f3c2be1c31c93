"""Bots: the list, one bot with its versions, ratings and opponents, one version with its checks, and one's own."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Annotated, Any, Final

from fastapi import APIRouter, Path, Query, Request, Response
from markupsafe import Markup

from arena.services import boards, matches, ratings, submissions
from arena.store.records import Account, RatingChange
from arena.store.states import MatchState, Role
from arena.web.drawings import Line, chart
from arena.web.rendering import as_csv, as_json, page
from arena.web.site import site_of
from arena.web.veil import veiled
from arena.web.visitors import account_of, may, visitor_of

router: Final = APIRouter()

PER_PAGE: Final = 50
VERSIONS: Final = 20
MOST_LINES: Final = 4
"""Versions whose ratings one chart shows: the newest."""

HISTORY: Final = 1000
Name = Annotated[str, Path(max_length=60)]
After = Annotated[str, Query(max_length=300)]


@dataclass(frozen=True, slots=True)
class InPool:
    """A bot in one pool as its page shows it; charted: the versions in the picture."""

    profile: boards.Profile
    picture: Markup
    charted: tuple[str, ...]
    closed: int


@router.get("/bots", dependencies=[may("BotService/ListBots")])
def bots(request: Request, author: Annotated[str, Query(max_length=60)] = "", after: After = "") -> Response:
    """List bots by name."""
    found = submissions.list_bots(site_of(request).store, author=author, page_size=PER_PAGE, page_token=after)
    return page(request, "bots.html", found=found, author=author)


@router.get("/bots/{name}/history.json", dependencies=[may("RatingService/ListRatingChanges")])
def history_json(request: Request, name: Name, after: After = "") -> Response:
    """Return what matches changed for a bot, newest first, a page of it."""
    found = ratings.history(site_of(request).store, name, page_size=HISTORY, page_token=after, only_open=True)
    value = {"changes": [_facts(each) for each in found.items], "next_page_token": found.next_page_token}
    return as_json(request, value, name=f"{name}-history.json")


@router.get("/bots/{name}/history.csv", dependencies=[may("RatingService/ListRatingChanges")])
def history_csv(request: Request, name: Name, after: After = "") -> Response:
    """Return the same as CSV."""
    found = ratings.history(site_of(request).store, name, page_size=HISTORY, page_token=after, only_open=True).items
    return as_csv(request, _HISTORY, [_facts(each).values() for each in found], name=f"{name}-history.csv")


@router.get("/bots/{name}", dependencies=[may("BotService/GetBot"), may("RatingService/ListRatingChanges")])
def bot(request: Request, name: Name, after: After = "") -> Response:
    """Show a bot."""
    store = site_of(request).store
    found = submissions.get_bot(store, name)
    played = matches.list_matches(store, bot=name, state=MatchState.FINAL, page_size=15).items
    return page(
        request,
        "bot.html",
        bot=found,
        versions=submissions.list_versions(store, name, page_size=VERSIONS, page_token=after),
        pools=[_in_pool(profile) for profile in boards.profile(store, name)],
        matches=[veiled(match) for match in played],
        own=_is_own(visitor_of(request).account, found.author),
    )


@router.get("/bots/{name}/versions/{version}", dependencies=[may("BotService/GetSubmission")])
def version_page(request: Request, name: Name, version: Annotated[int, Path(ge=1, lt=1 << 31)]) -> Response:
    """Show a version with its checks; its manifest only to its author."""
    found, checks = submissions.get_submission(site_of(request).store, name, version)
    own = _is_own(account_of(visitor_of(request)), found.author)
    return page(request, "version.html", version=found, checks=checks, own=own)


@router.get("/me", dependencies=[may("AccountService/WhoAmI")])
def me(request: Request, after: After = "") -> Response:
    """Show somebody's own bots with the checks of their newest versions."""
    store, account = site_of(request).store, account_of(visitor_of(request))
    found = submissions.list_bots(store, author=account.name, page_size=VERSIONS, page_token=after)
    checked = [submissions.get_submission(store, each.name) for each in found.items]
    return page(request, "me.html", account=account, checked=checked, following=found.next_page_token)


def _is_own(account: Account | None, author: str) -> bool:
    return account is not None and (account.name == author or account.role.covers(Role.ADMIN))


def _in_pool(profile: boards.Profile) -> InPool:
    steps: dict[int, list[boards.Step]] = defaultdict(list)
    for step in profile.steps:
        steps[step.version].append(step)
    charted = sorted(steps, reverse=True)[:MOST_LINES]
    name = profile.ratings[0].bot if profile.ratings else ""
    lines = [
        Line(f"{name}@{version}", [one.mu for one in steps[version]], [3 * one.sigma for one in steps[version]])
        for version in charted
    ]
    closed = sum(row.matches for row in profile.ratings) - len(profile.steps)
    shown = closed if len(profile.steps) < boards.MOST_STEPS else 0
    return InPool(profile, chart(lines), tuple(line.name for line in lines), max(0, shown))


_HISTORY: Final = (
    *("match", "bot", "version", "pool", "rank"),
    *("mu_before", "sigma_before", "mu_after", "sigma_after", "finished_at"),
)


def _facts(change: RatingChange) -> dict[str, Any]:
    values = (
        *(change.match_id, change.bot, change.version, change.pool_id, change.rank),
        *(change.mu_before, change.sigma_before, change.mu_after, change.sigma_after, change.finished_at.isoformat()),
    )
    return dict(zip(_HISTORY, values, strict=True))
