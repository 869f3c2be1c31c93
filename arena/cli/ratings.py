"""`arena ratings` and `arena history`: leaderboards, and the match behind each change."""

from __future__ import annotations

from typing import Annotated

import typer

from arena.cli.client import Session, connect, parse_bot
from arena.cli.options import (
    CaOption,
    DataOption,
    JsonOption,
    LimitOption,
    ServerOption,
    TokenFileOption,
    as_plain,
    clock_time,
    is_wide,
)
from arena.cli.output import note, print_json, print_table, say
from arena.cli.versus import pool_title
from arena.v1 import rating_pb2 as pb


def ratings(
    game: Annotated[str, typer.Argument(metavar="[GAME]", help="One game's only.")] = "",
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    data: DataOption = None,
    ca: CaOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the leaderboards of a server: one table for each pool of comparable matches."""
    with connect(server, token_file, data, ca) as session:
        show_ratings(session, game, as_json=as_json)


def history(
    bot: Annotated[str, typer.Argument(metavar="BOT", help="NAME or NAME@VERSION.")],
    *,
    limit: LimitOption = 50,
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    data: DataOption = None,
    ca: CaOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what each rated match changed for a bot, newest first."""
    name, version = parse_bot(bot)
    with connect(server, token_file, data, ca) as session:
        request = pb.ListRatingChangesRequest(bot=name, version=version, page_size=min(limit, 1000))
        found: list[pb.RatingChange] = []
        more = False
        for page in session.pages(session.ratings.ListRatingChanges, request):
            found += page.changes
            if len(found) >= limit:
                more = len(found) > limit or bool(page.next_page_token)
                break
    found = found[:limit]
    if as_json:
        print_json(as_plain(found))
        return
    if not found:
        note(f"{bot} has no rated matches yet")
        return
    rows = [
        (
            each.match_id,
            f"{each.bot}@{each.version}",
            each.rank,
            f"{_score(each.mu_after, each.sigma_after) - _score(each.mu_before, each.sigma_before):+.2f}",
            _score(each.mu_after, each.sigma_after),
            each.mu_after,
            each.sigma_after,
            clock_time(each.finished_at),
        )
        for each in found
    ]
    print_table(("match", "bot", "rank", "change", "score", "mu", "sigma", "finished"), rows)
    say("score = mu - 3 sigma after the match; change: what the match did to it")
    if more:
        note(f"there are more than {limit}; see them with --limit")


def show_ratings(session: Session, game: str = "", *, as_json: bool = False) -> None:
    """Print the leaderboard of every pool, or of one game's."""
    boards = [_board(session, pool.id) for pool in _pools(session, game)]
    if as_json:
        print_json([{"pool": as_plain([board.pool])[0], "ratings": as_plain(board.ratings)} for board in boards])
        return
    if not boards:
        note(f"no ratings{f' of {game}' if game else ''} yet; they come from tournaments")
        return
    for board in boards:
        _print_board(board)
    say(f"score = mu - 3 sigma; ? provisional: sigma above {boards[0].provisional_sigma:.2f}")
    pending = "pending" if is_wide() else "+n"
    say(f"{pending}: scheduled and not counted yet; rank: mean rank; forf.: matches forfeited")


def _pools(session: Session, game: str) -> list[pb.RatingPool]:
    return [
        pool
        for page in session.pages(session.ratings.ListRatingPools, pb.ListRatingPoolsRequest(game=game))
        for pool in page.pools
    ]


def _board(session: Session, pool_id: str) -> pb.ListRatingsResponse:
    whole = pb.ListRatingsResponse()
    for page in session.pages(session.ratings.ListRatings, pb.ListRatingsRequest(pool_id=pool_id)):
        whole.MergeFrom(page)
    return whole


def _print_board(board: pb.ListRatingsResponse) -> None:
    title = pool_title(board.pool)
    wide = is_wide()
    strength = ("mu", "sigma", "played", "pending") if wide else ("mu±sigma", "played")
    print_table(
        ("#", "bot", "author", "score", *strength, "rank", "forf."),
        [
            (
                each.place,
                f"{each.bot}@{each.version}",
                each.author,
                f"{each.score:6.2f}{'?' if each.provisional else ''}",
                *_strength(each, wide=wide),
                each.mean_rank if each.matches else None,
                each.forfeits,
            )
            for each in board.ratings
        ],
        title=title,
    )


def _strength(each: pb.Rating, *, wide: bool) -> tuple[object, ...]:
    if wide:
        return each.mu, each.sigma, each.matches, each.pending
    return f"{each.mu:.1f}±{each.sigma:.1f}", f"{each.matches}{f'+{each.pending}' if each.pending else ''}"


def _score(mu: float, sigma: float) -> float:
    return mu - 3 * sigma
