"""`arena bots`, `versions`, `retire`, `restore`, `output`: what a server knows of bots."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Final

import typer

from arena.cli.client import Session, connect, parse_bot
from arena.cli.options import (
    CaOption,
    DataOption,
    JsonOption,
    ServerOption,
    TokenFileOption,
    as_plain,
    clock_time,
    is_wide,
    word,
)
from arena.cli.output import note, print_json, print_table, readable, say
from arena.core.errors import NotFound
from arena.v1 import account_pb2, bot_pb2, match_pb2
from arena.v1.match_result_pb2 import SeatEnd

SHOWN_BYTES: Final = 4000
"""Of a rejected bot's output; a traceback has less, and a flood must not fill the terminal."""

BotArgument = Annotated[str, typer.Argument(metavar="BOT", help="NAME or NAME@VERSION.")]


def bots(
    author: Annotated[str, typer.Option("--author", metavar="NAME", help="Only this account's.")] = "",
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    data: DataOption = None,
    ca: CaOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the bots on a server with their newest versions."""
    with connect(server, token_file, data, ca) as session:
        found = [
            bot
            for page in session.pages(session.bots.ListBots, bot_pb2.ListBotsRequest(author=author))
            for bot in page.bots
        ]
    if as_json:
        print_json(as_plain(found))
        return
    if not found:
        note("no bots yet; submit one with `arena submit DIR`")
        return
    rows = [(f"{each.name}@{each.latest.version}", each.author, *_facts(each.latest)) for each in found]
    print_table(("bot", "author", "state", "games", "submitted"), rows)
    for each in found:
        if each.latest.state == bot_pb2.BOT_VERSION_STATE_SET_ASIDE:
            say(f"{each.name}@{each.latest.version} {_out(each.latest)}: {each.latest.reason}")


def versions(
    bot: BotArgument,
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    data: DataOption = None,
    ca: CaOption = None,
    as_json: JsonOption = False,
) -> None:
    """List a bot's versions, newest first."""
    name, number = parse_bot(bot)
    with connect(server, token_file, data, ca) as session:
        found = [
            version
            for page in session.pages(session.bots.ListBotVersions, bot_pb2.ListBotVersionsRequest(bot=name))
            for version in page.versions
            if number in {0, version.version}
        ]
    if as_json:
        print_json(as_plain(found))
        return
    rows = [
        (
            f"{each.bot}@{each.version}",
            *_facts(each),
            each.language,
            "remote" if each.remote else f"{-(-each.size_bytes // 1024)} KB",
            each.sha256[:12],
            each.failed_in_row,
        )
        for each in found
    ]
    columns = ("version", "state", "games", "submitted", "language", "size", "sha256", "failed")
    shown = len(columns) if is_wide() else columns.index("language")
    print_table(columns[:shown], [row[:shown] for row in rows])
    for each in found:
        if each.reason:
            say(f"{each.bot}@{each.version} {_out(each)}: {each.reason}")
        if each.state == bot_pb2.BOT_VERSION_STATE_SET_ASIDE:
            say(f"bring it back with `arena restore {each.bot}@{each.version}`, or submit a new version")
    if any(each.failed_in_row for each in found) and shown == len(columns):
        say("failed: matches failed one after the other, up to the latest; too many set a version aside")


def retire(
    bot: BotArgument,
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    data: DataOption = None,
    ca: CaOption = None,
) -> None:
    """Take a version of a bot (without @VERSION: the newest) out of everything not yet scheduled."""
    name, number = parse_bot(bot)
    with connect(server, token_file, data, ca) as session:
        request = bot_pb2.RetireBotVersionRequest(bot=name, version=number)
        found = session.call(session.bots.RetireBotVersion, request).version
    say(f"{found.bot}@{found.version} is {_state(found)}")


def restore(
    bot: BotArgument,
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    data: DataOption = None,
    ca: CaOption = None,
) -> None:
    """Bring a version back (without @VERSION: the newest) that was set aside or retired; enter it anew where it was."""
    name, number = parse_bot(bot)
    with connect(server, token_file, data, ca) as session:
        request = bot_pb2.RestoreBotVersionRequest(bot=name, version=number)
        found = session.call(session.bots.RestoreBotVersion, request).version
    say(f"{found.bot}@{found.version} is {_state(found)}")


def output(
    match: Annotated[str, typer.Argument(metavar="MATCH", help="Id of a match, as `arena matches` lists it.")],
    *,
    seat: Annotated[int | None, typer.Option("--seat", min=0, help="One seat only.")] = None,
    turns: Annotated[bool, typer.Option("--turns", help="Also every turn's think time and charge.")] = False,
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    data: DataOption = None,
    ca: CaOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what your bots printed in a match, and how long they thought; all bots for an admin."""
    with connect(server, token_file, data, ca) as session:
        seats = [seat] if seat is not None else _own_seats(session, match)
        answers = [
            session.call(session.bots.GetSeatOutput, bot_pb2.GetSeatOutputRequest(match_id=match, seat=number))
            for number in seats
        ]
    if as_json:
        print_json([_output_as_plain(number, answer) for number, answer in zip(seats, answers, strict=True)])
        return
    for number, answer in zip(seats, answers, strict=True):
        if len(seats) > 1:
            say(f"--- seat {number}: {answer.bot}@{answer.version} ---")
        _show(number, answer, turns=turns)


def show_last_output(session: Session, match: str, seat: int) -> None:
    """Tell on stderr the end of what one seat's bot printed, how its seat ended and how long it thought."""
    request = bot_pb2.GetSeatOutputRequest(match_id=match, seat=seat)
    answer = session.call(session.bots.GetSeatOutput, request)
    if len(answer.output) > SHOWN_BYTES:
        note(f"the end of what it printed; all of it: `arena output {match} --seat {seat}`")
        answer.output = answer.output[-SHOWN_BYTES:]
        answer.truncated = False
    _show(seat, answer, tell=note)


def _show(
    seat: int, answer: bot_pb2.GetSeatOutputResponse, *, turns: bool = False, tell: Callable[[str], None] = say
) -> None:
    text = _readable(answer.output)
    if text:
        tell(text.rstrip("\n"))
    who = f"seat {seat}, {answer.bot}@{answer.version}"
    if answer.end:
        note(f"{who}: {word(SeatEnd.Name, answer.end, 'SEAT_END_')}{f', rank {answer.rank}' * bool(answer.rank)}")
    note(f"{who}: {_times(answer)}")
    if turns:
        rows = list(enumerate(zip(answer.think_ms, answer.charged_ms, strict=True), 1))
        print_table(("turn", "think ms", "charged ms"), [(turn, *times) for turn, times in rows])
    if answer.truncated:
        note(f"seat {seat}: the bot printed more than the arena keeps; the middle was left out")


def _own_seats(session: Session, match: str) -> Sequence[int]:
    me = session.call(session.accounts.WhoAmI, account_pb2.WhoAmIRequest()).account
    found = session.call(session.matches.GetMatch, match_pb2.GetMatchRequest(match_id=match)).match
    seats = [each.seat for each in found.seats if each.author == me.name]
    if me.role == account_pb2.ROLE_ADMIN:
        seats = [each.seat for each in found.seats]
    if not seats:
        raise NotFound(f"no bot of {me.name}'s played match {match}; only its author reads a bot's output")
    return seats


def _facts(version: bot_pb2.BotVersion) -> tuple[str, str, str]:
    return _state(version), ", ".join(version.games), clock_time(version.submitted_at)


def _state(version: bot_pb2.BotVersion) -> str:
    return word(bot_pb2.BotVersionState.Name, version.state, "BOT_VERSION_STATE_")


def _out(version: bot_pb2.BotVersion) -> str:
    return "was rejected" if version.state == bot_pb2.BOT_VERSION_STATE_REJECTED else f"is {_state(version)}"


def _times(answer: bot_pb2.GetSeatOutputResponse) -> str:
    took = sorted(answer.think_ms)
    if not took:
        return "it answered no turn"
    p50, p95 = (took[min(len(took) - 1, len(took) * share // 100)] for share in (50, 95))
    return (
        f"{len(took)} turn{'s' * (len(took) != 1)}, think time p50 {p50} ms, p95 {p95} ms, max {took[-1]} ms;"
        f" charged {sum(answer.charged_ms)} of {sum(took)} ms"
    )


def _output_as_plain(seat: int, answer: bot_pb2.GetSeatOutputResponse) -> dict[str, object]:
    return {
        "seat": seat,
        "end": word(SeatEnd.Name, answer.end, "SEAT_END_"),
        "rank": answer.rank,
        "bot": answer.bot,
        "version": answer.version,
        "output": answer.output.decode("utf-8", "replace"),
        "truncated": answer.truncated,
        "think_ms": list(answer.think_ms),
        "charged_ms": list(answer.charged_ms),
    }


def _readable(output: bytes) -> str:
    """Return a stranger's bytes as text that cannot steer a terminal."""
    return readable(output.decode("utf-8", "replace").replace("\r\n", "\n"))
