"""Two bots against each other: what their common blocks say, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request, Response

from arena.api import figures
from arena.api.plain import as_plain
from arena.ladder.stats import Leg
from arena.ladder.versus import block_score
from arena.match.result import MatchEnd
from arena.services import boards, comparing
from arena.services.submissions import parse_label
from arena.web.drawings import error_bar
from arena.web.rendering import as_json, page
from arena.web.site import site_of
from arena.web.visitors import may

router: Final = APIRouter(dependencies=[may("RatingService/CompareBots")])

Who = Annotated[str, Query(max_length=60)]


@dataclass(frozen=True, slots=True)
class Block:
    """A common block: its matches in order. share: of the points, won by the first; None if it does not count."""

    tournament: str
    deal: int
    legs: tuple[boards.MetLeg, ...]
    share: float | None


@router.get("/versus")
def versus(request: Request, one: Who = "", other: Who = "") -> Response:
    """Show two bots' comparison, or the form to ask for one."""
    one, other = one.strip(), other.strip()
    if not (one and other):
        return page(request, "versus.html", one=one, other=other, pools=None)
    pools = [(each, error_bar(each.found.share) if each.found else None) for each in _compare(request, one, other)]
    (bot, version), (rival, rival_version) = parse_label(one), parse_label(other)
    met = boards.met(site_of(request).store, bot, rival, version=version, other_version=rival_version)
    blocks: dict[int, list[Block]] = {}
    for (pool_id, _), legs in groupby(met, key=lambda leg: (leg.pool_id, leg.block)):
        blocks.setdefault(pool_id, []).append(_block(list(legs)[::-1]))
    return page(request, "versus.html", one=one, other=other, pools=pools, blocks=blocks, most=boards.MOST_MET)


@router.get("/versus.json")
def versus_json(request: Request, one: Who, other: Who) -> Response:
    """Return the comparison as `arena versus --json` does."""
    return as_json(request, as_plain([figures.comparison(each) for each in _compare(request, one, other)]))


def _compare(request: Request, one: str, other: str) -> Sequence[comparing.Comparison]:
    (bot, version), (rival, rival_version) = parse_label(one), parse_label(other)
    return comparing.compare(site_of(request).store, bot, rival, version=version, other_version=rival_version)


def _block(legs: list[boards.MetLeg]) -> Block:
    counts = all(leg.end is MatchEnd.COMPLETED for leg in legs)
    share = block_score([Leg(leg.ranks, completed=True) for leg in legs]) if counts else None
    return Block(legs[0].tournament, legs[0].deal, tuple(legs), share)
