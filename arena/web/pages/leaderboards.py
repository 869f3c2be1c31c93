"""Leaderboards: the pools, one pool's table with how sure each rank is, and its downloads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Final, cast
from urllib.parse import urlencode

from fastapi import APIRouter, Path, Query, Request, Response

from arena.ladder.rating import PROVISIONAL_SIGMA
from arena.ladder.strength import Strength
from arena.services import boards, pools
from arena.store.records import Pool, RatingRow
from arena.web.drawings import sparkline
from arena.web.kept import Kept
from arena.web.rendering import as_csv, as_json, page
from arena.web.site import site_of
from arena.web.visitors import may

router: Final = APIRouter(dependencies=[may("RatingService/ListRatings")])

PER_PAGE: Final = 50

PoolId = Annotated[int, Path(ge=1, le=(1 << 31) - 1)]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a leaderboard; strength: None where nothing is known of its rank but its place."""

    rating: RatingRow
    strength: Strength | None
    think_ms: float | None

    @property
    def provisional(self) -> bool:
        """Whether the score may still move by several places."""
        return self.rating.sigma > PROVISIONAL_SIGMA

    @property
    def interval(self) -> str:
        """The ranks it may have: "3" or "2–5", "" where that is not known."""
        if self.strength is None:
            return ""
        first, last = self.strength.first, self.strength.last
        return str(first) if first == last else f"{first}–{last}"


@dataclass(frozen=True, slots=True)
class Column:
    """What a leaderboard can be sorted by; down: whether its largest comes first when nothing is said."""

    name: str
    title: str
    of: Callable[[Line], Any]
    down: bool = False


COLUMNS: Final = (
    Column("rank", "Rank", lambda line: (line.strength.first if line.strength else 1 << 31, line.rating.place)),
    Column("place", "Place", lambda line: line.rating.place),
    Column("bot", "Bot", lambda line: (line.rating.bot, line.rating.version)),
    Column("author", "Author", lambda line: line.rating.author),
    Column("score", "Score", lambda line: line.rating.score, down=True),
    Column("mu", "μ", lambda line: line.rating.mu, down=True),
    Column("sigma", "σ", lambda line: line.rating.sigma),
    Column("matches", "Matches", lambda line: line.rating.matches, down=True),
    Column("mean_rank", "Mean rank", lambda line: line.rating.mean_rank or 1e9),
    Column("forfeits", "Forfeits", lambda line: line.rating.forfeits, down=True),
    Column("think", "Think", lambda line: line.think_ms or 0.0),
)
_BY_NAME: Final = {column.name: column for column in COLUMNS}


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody wants to see of a leaderboard."""

    sort: str = "place"
    down: bool = False
    find: str = ""
    number: int = 1

    def query(self, **changes: Any) -> str:
        """Return this wish as the query of an address, with changes."""
        facts = {"sort": self.sort, "down": int(self.down), "find": self.find, "page": self.number} | changes
        return urlencode({name: value for name, value in facts.items() if value != ""})


@router.get("/leaderboards")
def leaderboards(request: Request, after: str = "") -> Response:
    """Show every pool with its leaders."""
    found, following = pools.glances(site_of(request).store, page_size=30, page_token=after)
    return page(request, "leaderboards.html", pools=found, following=following)


@router.get("/leaderboards/{pool_id}.json")
def leaderboard_json(request: Request, pool_id: PoolId) -> Response:
    """Return a whole leaderboard as JSON."""
    pool, lines = _lines(request, pool_id)
    value = {
        "pool": _pool_facts(pool),
        "provisional_sigma": PROVISIONAL_SIGMA,
        "ratings": [_facts(one) for one in lines],
    }
    return as_json(request, value, name=f"leaderboard-{pool_id}.json")


@router.get("/leaderboards/{pool_id}.csv")
def leaderboard_csv(request: Request, pool_id: PoolId) -> Response:
    """Return a whole leaderboard as CSV."""
    _, lines = _lines(request, pool_id)
    rows = [_facts(line) for line in lines]
    columns = list(_facts(None))
    return as_csv(
        request, columns, [[row[name] for name in columns] for row in rows], name=f"leaderboard-{pool_id}.csv"
    )


@router.get("/leaderboards/{pool_id}")
def leaderboard(
    request: Request,
    pool_id: PoolId,
    *,
    sort: str = "place",
    down: bool | None = None,
    find: Annotated[str, Query(max_length=100)] = "",
    number: Annotated[int, Query(alias="page", ge=1, le=10_000)] = 1,
) -> Response:
    """Show one pool's leaderboard, sorted and filtered."""
    column = _BY_NAME.get(sort, _BY_NAME["place"])
    wish = Wish(column.name, column.down if down is None else down, find.strip(), number)
    pool, lines = _lines(request, pool_id)
    wanted = wish.find.lower()
    kept = [one for one in lines if wanted in one.rating.bot or wanted in one.rating.author] if wanted else list(lines)
    kept.sort(key=column.of, reverse=wish.down)
    shown = kept[(number - 1) * PER_PAGE : number * PER_PAGE]
    trends = boards.trends(site_of(request).store, pool_id, [line.rating.version_id for line in shown])
    return page(
        request,
        "leaderboard.html",
        pool=pool,
        lines=shown,
        trends={version_id: sparkline(scores) for version_id, scores in trends.items()},
        columns=COLUMNS,
        wish=wish,
        total=len(lines),
        kept=len(kept),
        last_page=max(1, -(-len(kept) // PER_PAGE)),
        provisional=PROVISIONAL_SIGMA,
        most=boards.MOST_RANKED,
    )


def _lines(request: Request, pool_id: int) -> tuple[Pool, list[Line]]:
    site = site_of(request)
    pool, rows = boards.board(site.store, pool_id)
    kept = cast(Kept[boards.Certainty], request.app.state.certainty)
    sure = kept.get(
        pool_id,
        site.now(),
        lambda: boards.certainty(site.store, pool_id),
        seen=boards.stamp(site.store, pool_id),
    )
    return pool, [Line(row, sure.strength.get(row.version_id), sure.think_ms.get(row.version_id)) for row in rows]


def _pool_facts(pool: Pool) -> dict[str, Any]:
    return {
        "id": pool.id,
        "game": pool.game,
        "variant": pool.variant,
        "seats": pool.seats,
        "rules_version": pool.rules_version,
        "components_sha256": pool.components_digest,
        "remote": pool.remote,
    }


def _facts(line: Line | None) -> dict[str, Any]:
    """Return a line as plain values; of None only the names count."""
    row = line and line.rating
    strength = line and line.strength
    return {
        "place": row and row.place,
        "first_rank": strength and strength.first,
        "last_rank": strength and strength.last,
        "bot": row and row.bot,
        "version": row and row.version,
        "author": row and row.author,
        "score": row and row.score,
        "mu": row and row.mu,
        "sigma": row and row.sigma,
        "provisional": line and line.provisional,
        "matches": row and row.matches,
        "pending": row and row.pending,
        "mean_rank": row.mean_rank if row and row.matches else None,
        "forfeits": row and row.forfeits,
        "think_mean_ms": line and line.think_ms,
    }
