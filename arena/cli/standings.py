"""`arena tournament standings`: how a tournament stands, as tables or as JSON."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from arena.api.plain import with_paired
from arena.cli.client import Session, connect
from arena.cli.options import CaOption, DataOption, JsonOption, ServerOption, TokenFileOption, as_plain, is_wide, word
from arena.cli.output import note, print_json, print_table, say
from arena.cli.solo import show_paired
from arena.v1 import match_result_pb2, statistics_pb2
from arena.v1 import tournament_pb2 as pb

DETAIL_TIMEOUT_S: Final = 180.0
"""For 100,000 matches, the most a tournament can have, a quiet server takes some five seconds."""


def standings(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The tournament's name.")],
    *,
    matrix: Annotated[bool, typer.Option("--matrix", help="Also everybody against everybody.")] = False,
    ends: Annotated[bool, typer.Option("--ends", help="Also how seats ended, by cause.")] = False,
    times: Annotated[bool, typer.Option("--times", help="Also how long turns took.")] = False,
    balance: Annotated[bool, typer.Option("--balance", help="Also what the schedule gives everybody.")] = False,
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    data: DataOption = None,
    ca: CaOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the table of a tournament as of now; JSON has all of it."""
    with connect(server, token_file, data, ca) as session:
        found = fetch_standings(session, name)
    if as_json:
        print_json(with_paired(as_plain(found.standings), found.paired))
        return
    _show(name, found)
    for wanted, show in ((matrix, _show_matrix), (ends, _show_ends), (times, _show_times), (balance, _show_balance)):
        if wanted:
            say()
            show(found)


def fetch_standings(session: Session, name: str) -> pb.GetStandingsResponse:
    """Return a tournament's table with all details."""
    request = pb.GetStandingsRequest(name=name, detail=True)
    return session.call(session.tournaments.GetStandings, request, timeout_s=DETAIL_TIMEOUT_S)


def show_standings(session: Session, name: str) -> None:
    """Print a tournament's table."""
    _show(name, fetch_standings(session, name))


def _show(name: str, found: pb.GetStandingsResponse) -> None:
    counts = found.progress
    state = word(pb.TournamentState.Name, found.state, "TOURNAMENT_STATE_")
    wide = is_wide()
    columns = ("#", "bot", *(("author",) if wide else ()), "points", "share", "95 %", "played", "rank", "places")
    columns += ("Elo", "95 %", "forf.") if wide else ("forf.",)
    title = f"{name}: {state}, {counts.finished} of {counts.total} matches{', remote' * found.remote}"
    print_table(columns, [_row(each, wide=wide) for each in found.standings], title=title)
    say("points: a match gives 0 to 1, the share of its opponents beaten, a tie half")
    say("rank: mean rank; places: where it may stand, with 95 % confidence")
    say("forf.: matches forfeited")
    if wide:
        say("Elo: strength above the mean of all, from all results at once; - to: too few blocks to say")
    if found.remote:
        say("remote: every match has a deal of its own, so nothing is paired")
    if any(each.withdrawn for each in found.standings):
        say("x: withdrawn; what it played stays")
    if found.closed:
        note(f"{found.closed} more are over and count when their deal is: others still play it")
    show_paired(found.paired)


def _row(each: pb.Standing, *, wide: bool) -> tuple[object, ...]:
    place: tuple[object, ...] = (each.place, f"{_name(each)}{' x' if each.withdrawn else ''}")
    place += (each.author,) if wide else ()
    share = _interval(each.share, "{:.0%}") if each.HasField("share") else "-"
    points, rank = (f"{each.points_share:.1%}", each.mean_rank) if each.matches else (None, None)
    sums = (each.points, points, share, each.matches, rank, _places(each.strength))
    elo = each.strength.elo
    strength = (f"{elo.mean:+.0f}", _interval(elo, "{:+.0f}")) if wide else ()
    return (*place, *sums, *strength, each.forfeits)


def _show_matrix(found: pb.GetStandingsResponse) -> None:
    """Print wins-ties-losses of every row against every column."""
    table = found.standings
    if not any(each.against for each in table):
        say("head to head: nobody has met anybody")
        return
    rows = []
    for number, each in enumerate(table, 1):
        met = {(other.bot, other.version): f"{other.wins}-{other.ties}-{other.losses}" for other in each.against}
        rows.append((number, _name(each), *(met.get((other.bot, other.version), "") for other in table)))
    columns = ("", "bot", *(str(number) for number in range(1, len(table) + 1)))
    print_table(columns, rows, title="head to head: wins-ties-losses of the row against the column")


def _show_ends(found: pb.GetStandingsResponse) -> None:
    causes = sorted({count.end for each in found.standings for count in each.ends})
    names = [word(match_result_pb2.SeatEnd.Name, end, "SEAT_END_") for end in causes]
    rows = []
    for each in found.standings:
        counts = {count.end: count.count for count in each.ends}
        rows.append((_name(each), *(counts.get(end, 0) for end in causes), each.unrated))
    print_table(("bot", *names, "no result"), rows, title="how seats ended")


def _show_times(found: pb.GetStandingsResponse) -> None:
    rows = [
        (_name(each), each.think.turns, each.think.mean_ms, each.think.p50_ms, each.think.p95_ms, each.think.max_ms)
        for each in found.standings
    ]
    print_table(("bot", "turns", "mean", "p50", "p95", "max"), rows, title="milliseconds a turn")


def _show_balance(found: pb.GetStandingsResponse) -> None:
    seats = max((len(each.planned.seats) for each in found.standings), default=0)
    rows = [
        (
            _name(each),
            sum(each.planned.seats),
            *each.planned.seats,
            _spread(each.planned.fewest_meetings, each.planned.most_meetings),
            each.planned.deals,
        )
        for each in found.standings
    ]
    columns = ("bot", "matches", *(f"seat {seat}" for seat in range(seats)), "with each other", "deals")
    print_table(columns, rows, title="the schedule, played or not")
    even = found.balance
    parts = {"matches": even.matches, "seats": even.seats, "pairs": even.pairs, "deals": even.deals}
    spans = "; ".join(f"{name}: {_spread(found.fewest, found.most)}" for name, found in parts.items())
    say(f"from least to most: {spans}")


def _places(found: statistics_pb2.Strength) -> str:
    return _spread(found.first_place, found.last_place)


def _spread(fewest: int, most: int) -> str:
    return str(fewest) if fewest == most else f"{fewest}-{most}"


def _interval(found: statistics_pb2.Estimate, style: str) -> str:
    """Return "low to high"; an end that nothing bounds is left out."""
    low = style.format(found.low) if found.HasField("low") else "-"
    high = style.format(found.high) if found.HasField("high") else "-"
    return "-" if low == high == "-" else f"{low} to {high}"


def _name(each: pb.Standing) -> str:
    return f"{each.bot}@{each.version}"
